"""Questions on the page: answered in every way a reader does, kept, and read without scripts."""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from sitekit.decks import Question, load_decks
from sitekit.questions import question_facts

from .conftest import Site, Visitor, button, part, wait_for
from .test_accessibility import violations

DECK = {question.id: question for question in load_decks()["counting-operations"].questions}
QUIZ = "practice/quiz/"


def first(kind: str) -> Question:
    return next(question for question in DECK.values() if question.kind == kind)


def ready(page: Page, name: str) -> Locator:
    """A question of the lesson, when its form is there."""
    question = page.locator(f"napkin-question#{name}")
    expect(part(question, "form")).to_be_visible()
    question.scroll_into_view_if_needed()
    return question


def state(question: Locator, wanted: str) -> None:
    expect(question).to_have_attribute("data-state", wanted)


def drawn(question: Locator, name: str) -> dict[str, str]:
    """The draw that the page shows: found by its text, since nothing else tells it."""
    text = part(question, "question").inner_text()
    facts = question_facts(DECK[name])
    for draw in facts["draws"]:
        shown = re.sub(r"<[^>]+>", "", facts["question"])
        for key, value in draw["values"].items():
            shown = shown.replace(f"{{{key}}}", value)
        if shown == text:
            return dict(draw)
    raise AssertionError(f"no draw reads {text!r}")


def attempts(page: Page) -> list[dict[str, object]]:
    """What the log holds of questions."""
    found: list[dict[str, object]] = page.evaluate(
        """async () => {
          const { practice } = await import('/napkin/assets/js/lib/practice/store.js');
          return (await (await practice()).all()).filter(({ kind }) => kind === 'attempt');
        }"""
    )
    return found


def attempts_reach(page: Page, count: int) -> None:
    for _ in range(100):
        if len(attempts(page)) >= count:
            break
        page.wait_for_timeout(50)
    assert len(attempts(page)) == count


def announced(page: Page) -> str:
    return " ".join(page.locator(".napkin-announcer").all_text_contents())


def test_without_scripts_every_question_and_its_answer_can_be_read(
    open_window: Callable[..., Visitor], site: Site
) -> None:
    page = open_window(java_script_enabled=False).page
    page.goto(site.lesson)
    assert page.locator("napkin-question").count() == len(DECK)
    for name in DECK:
        question = page.locator(f"napkin-question#{name}")
        expect(part(question, "static").locator("> :first-child")).to_be_visible()
        answer = part(question, "answer")
        assert not answer.locator("p").last.is_visible()
        answer.locator("summary").click()
        expect(answer.locator("p").last).to_be_visible()
    assert page.locator("napkin-question input, napkin-question button").count() == 0


def test_no_answer_is_in_the_accessibility_tree_before_it_is_asked_for(
    page: Page, site: Site
) -> None:
    page.goto(site.lesson)
    for name, question in DECK.items():
        shown = ready(page, name)
        tree = shown.aria_snapshot()
        facts = question_facts(question)
        secrets = [facts["explanation"], *(option["reply"] for option in facts.get("options", []))]
        for secret in secrets:
            plain = re.split(r"<code>.*?</code>|<[^>]+>|[{&]", secret)
            words = max(plain, key=len)[:40]
            if len(words) > 8:
                assert words not in tree, f"{name}: {words!r} is told beforehand"
        if question.kind == "number":
            assert drawn(shown, name)["shown"] not in tree
        assert "Check" in tree


def test_a_number_is_read_as_written_and_what_is_not_understood_is_no_miss(
    page: Page, site: Site
) -> None:
    page.goto(site.lesson)
    question = ready(page, "q-time-at-peak")
    draw = drawn(question, "q-time-at-peak")
    seconds = float(draw["answer"])
    field = question.locator("input")
    field.fill("soon")
    button(question, "check").click()
    state(question, "invalid")
    expect(part(question, "feedback")).to_contain_text("Start with a number")
    # A number without a unit is asked about; a choice answers it.
    field.fill(f"{seconds * 1e6:.4g}")
    field.press("Enter")
    state(question, "invalid")
    expect(part(question, "feedback")).to_contain_text("asks for a time")
    assert attempts(page) == []
    part(question, "feedback").get_by_role("button", name=re.compile("µs$")).click()
    state(question, "right")
    expect(part(question, "reading")).to_have_text(re.compile(r"read as [\d.,]+ µs"))
    expect(part(question, "explanation")).to_contain_text(draw["shown"])
    assert announced(page).startswith("Read as")
    # The same in seconds, by another spelling, after fresh numbers.
    button(question, "another").click()
    state(question, "open")
    again = drawn(question, "q-time-at-peak")
    assert again["values"] != draw["values"]
    mantissa, exponent = f"{float(again['answer']):.3e}".split("e")
    field = question.locator("input")
    assert field.evaluate("field => field === document.activeElement")
    # Key by key, as on a phone: no character is refused.
    field.press_sequentially(f"{mantissa.replace('.', ',')}·10^{int(exponent)} s".replace("-", "−"))
    button(question, "check").press("Enter")
    state(question, "right")
    # The button is gone; who stood on it has not fallen off the page.
    expect(button(question, "check")).to_be_hidden()
    assert page.evaluate("document.activeElement.dataset.action") == "another"
    attempts_reach(page, 2)
    kept = attempts(page)
    assert [each["values"] for each in kept] == [draw["values"], again["values"]]


def test_a_known_mistake_gets_its_own_reply_and_becomes_a_card(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    question = ready(page, "q-macs-to-flop")
    draw = drawn(question, "q-macs-to-flop")
    macs = float(draw["answer"]) / 2e9
    question.locator("input").fill(f"{macs:g}")
    button(question, "check").click()
    state(question, "wrong")
    expect(part(question, "feedback")).to_contain_text("two operations, a multiply and an add")
    assert "Wrong. One multiply-add is two operations" in announced(page)
    expect(part(question, "explanation")).to_be_empty()
    button(question, "card").click()
    expect(button(question, "card")).to_have_text("In your cards")
    wait_for(
        page,
        """(async () => {
          const all = await import('/napkin/assets/js/lib/practice/store.js');
          return (await all.practice()).state('macs-to-flop').added > 0;
        })()""",
    )
    # Twice the same answer is one attempt; a right one follows.
    button(question, "check").click()
    question.locator("input").fill(f"{2 * macs:g} GFLOP")
    state(question, "open")
    button(question, "check").click()
    state(question, "right")
    attempts_reach(page, 2)
    expect(part(page.locator("napkin-quiz"), "score")).to_have_text(
        f"Right so far: 1 of {len(DECK)}"
    )


def test_a_comma_with_two_readings_is_asked_about_once(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    question = ready(page, "q-product-flop")
    # Fresh numbers until the count has four digits, as one types it with a comma.
    for _ in range(40):
        answer = int(drawn(question, "q-product-flop")["answer"])
        if answer < 10_000:
            break
        button(question, "another").click()
    question.locator("input").fill(f"{answer:,}")
    button(question, "check").click()
    state(question, "invalid")
    choices = part(question, "choices").locator("button")
    expect(choices).to_have_count(2)
    choices.first.click()
    state(question, "right")
    # From now on it is known; another reading is offered where it was wrong.
    button(question, "another").click()
    question.locator("input").fill("1,001")
    expect(part(question, "reading")).to_have_text("read as 1,001 FLOP")
    button(question, "check").click()
    state(question, "wrong")
    expect(part(question, "choices")).to_contain_text("Not what you meant?")


def test_choices_with_mouse_keyboard_and_touch(
    open_window: Callable[..., Visitor], site: Site
) -> None:
    for name in ("mouse", "keyboard", "touch"):
        page = open_window(has_touch=name == "touch").page
        page.goto(site.lesson)
        question = ready(page, "q-double-the-side")
        right = question.get_by_label("8 seconds")
        before = page.evaluate("scrollY")
        if name == "keyboard":
            question.get_by_label("2 seconds").focus()
            for _ in range(4):
                if right.is_checked():
                    break
                page.keyboard.press("ArrowDown")
            page.keyboard.press("Enter")
        elif name == "touch":
            question.locator("label", has_text="8 seconds").tap()
            button(question, "check").tap()
        else:
            question.locator("label", has_text="8 seconds").click()
            button(question, "check").click()
        state(question, "right")
        expect(part(question, "feedback")).to_contain_text("Three sides double")
        assert abs(page.evaluate("scrollY") - before) < 2, "the page has jumped"


def test_several_choices_say_how_many_and_which_are_right(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    question = ready(page, "q-counts-not-rates")
    expect(part(question, "note")).to_have_text("Choose 2.")
    question.get_by_label("275 GFLOP").check()
    button(question, "check").click()
    state(question, "invalid")
    question.get_by_label("15 TFLOPS").check()
    button(question, "check").click()
    state(question, "wrong")
    expect(part(question, "feedback")).to_contain_text("1 of your 2 choices is right")
    expect(part(question, "feedback").locator("li")).to_have_count(2)
    question.get_by_label("15 TFLOPS").uncheck()
    question.get_by_label("2·m·k·n FLOP").check()
    button(question, "check").click()
    state(question, "right")


def test_an_order_is_made_with_the_keyboard_alone(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    question = ready(page, "q-order-speeds")
    wanted = DECK["q-order-speeds"].items
    texts = question.locator("[data-part=items] [data-part=text]")
    for place, item in enumerate(wanted):
        while (at := texts.all_inner_texts().index(item)) > place:
            up = question.get_by_role("button", name=f"Move up: {item}")
            up.focus()
            page.keyboard.press("Enter")
            assert up.evaluate("up => up === document.activeElement"), "the focus was lost"
            expect(texts.nth(at - 1)).to_have_text(item)
            assert announced(page) == f"{item}: now {at} of {len(wanted)}"
    button(question, "check").press("Enter")
    state(question, "right")


def test_what_code_prints_is_predicted_and_hints_come_one_by_one(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    question = ready(page, "q-output-doubling")
    question.locator("textarea").fill("64")
    button(question, "check").click()
    state(question, "wrong")
    expect(part(question, "feedback")).to_contain_text("gives a float")
    button(question, "solution").click()
    expect(part(question, "explanation").locator("pre")).to_have_text("64.0")
    # The answer has been shown: it counts no more, until it is begun anew.
    expect(button(question, "check")).to_be_hidden()
    button(question, "another").click()
    question.locator("textarea").fill(" 64.0 \n")
    button(question, "check").click()
    state(question, "right")
    hinted = ready(page, "q-clock-ticks")
    button(hinted, "hint").click()
    expect(part(hinted, "hint")).to_have_count(1)
    assert announced(page).startswith("Hint: ")
    expect(button(hinted, "hint")).to_be_hidden()


def test_a_missed_question_comes_back_as_a_card_with_its_numbers(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    question = ready(page, "q-time-at-peak")
    question.locator("input").fill("1 year")
    button(question, "check").click()
    state(question, "wrong")
    button(question, "card").click()
    expect(button(question, "card")).to_have_text("In your cards")
    page.goto(site.url + "practice/flashcards/")
    card = page.locator("napkin-review napkin-card")
    expect(part(card, "front")).to_contain_text(re.compile(r"A layer costs \d+ GFLOP"))
    button(card, "show").click()
    expect(part(card, "back")).to_contain_text(re.compile(r"Answer: [\d.]+ (µs|ms)"))


def test_an_answer_outlives_a_reload_and_a_tab_that_closes_at_once(
    visitor: Visitor, site: Site
) -> None:
    page = visitor.page
    page.goto(site.lesson)
    question = ready(page, "q-macs-to-flop")
    text = part(question, "question").inner_text()
    question.locator("input").fill("3 kFLOP")
    button(question, "check").click()
    choice = ready(page, "q-double-the-side")
    order = choice.locator("label").all_inner_texts()
    choice.get_by_label("4 seconds").check()
    button(choice, "check").click()
    page.close()
    page = visitor.context.new_page()
    page.goto(site.lesson)
    question = ready(page, "q-macs-to-flop")
    state(question, "wrong")
    assert part(question, "question").inner_text() == text, "other numbers than were answered"
    assert question.locator("input").input_value() == "3 kFLOP"
    choice = ready(page, "q-double-the-side")
    state(choice, "wrong")
    assert choice.locator("label").all_inner_texts() == order
    assert choice.get_by_label("4 seconds").is_checked()
    assert page.evaluate("document.activeElement === document.body"), "the focus was taken"
    assert announced(page) == ""
    attempts_reach(page, 2)


def test_an_attempt_that_the_log_never_got_is_taken_up_once(visitor: Visitor, site: Site) -> None:
    """As after a tab that was closed before the database had written."""
    page = visitor.page
    page.goto(site.lesson)
    event = {
        "item": "q-double-the-side", "kind": "attempt", "outcome": "wrong", "given": "[0]",
        "values": {}, "turn": 0, "hints": 0, "hash": DECK["q-double-the-side"].hash,
        "ticket": "t-1",
    }  # fmt: skip
    page.evaluate(
        "event => localStorage.setItem('napkin:/napkin/:attempt:t-1', JSON.stringify(event))", event
    )
    page.evaluate("localStorage.setItem('napkin:/napkin/:attempt:t-2', '{damaged')")
    for _ in range(2):
        page.reload()
        state(ready(page, "q-double-the-side"), "wrong")
        attempts_reach(page, 1)
    left = "Object.keys(localStorage).filter((key) => key.includes(':attempt:')).length === 0"
    wait_for(page, left)


def test_leaving_and_coming_back_mounts_each_question_once(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    ready(page, "q-double-the-side")
    for name, title in (("Questions", "Questions from all lessons"), ("Counting operations",) * 2):
        page.locator(".md-sidebar--primary").get_by_role("link", name=name, exact=True).click()
        expect(page.locator("article h1")).to_contain_text(title)
    question = ready(page, "q-double-the-side")
    expect(part(question, "form")).to_have_count(1)
    question.get_by_label("8 seconds").check()
    button(question, "check").click()
    state(question, "right")
    attempts_reach(page, 1)


def only_lesson(mix: Locator, slug: str) -> None:
    boxes = mix.locator("input[name=lesson]")
    expect(boxes.first).to_be_visible()
    for box in boxes.all():
        box.set_checked(box.input_value() == slug)


def test_a_mix_asks_across_lessons_and_keeps_scores(
    open_window: Callable[..., Visitor], site: Site
) -> None:
    page = open_window(viewport={"width": 390, "height": 700}).page
    page.goto(site.url + QUIZ)
    mix = page.locator("napkin-mix")
    only_lesson(mix, "counting-operations")
    mix.locator("select[name=topic]").select_option("hardware")
    button(mix, "start").click()
    state(mix, "running")
    question = mix.locator("napkin-question:not([hidden])")
    expect(question).to_have_attribute("id", "q-order-speeds")
    expect(part(question, "question")).to_be_in_viewport()
    button(question, "check").click()
    state(question, "wrong")
    button(question, "solution").click()
    link = part(question, "explanation").locator("a")
    expect(link).to_have_attribute(
        "href", site.lesson + "#a-data-centre-gpu-against-this-tab"
    )
    # A reload goes on where it was.
    page.reload()
    state(mix, "running")
    state(question, "wrong")
    button(mix, "finish").click()
    state(mix, "done")
    expect(part(mix, "result")).to_have_text("0 of 1 right")
    button(mix, "cards").click()
    expect(button(mix, "cards")).to_have_text("In your cards")
    button(mix, "new").click()
    only_lesson(mix, "counting-operations")
    row = mix.locator("tr[data-lesson=counting-operations] td")
    assert row.all_inner_texts() == ["0 (0 %)", "1", str(len(DECK))]
    # Only what was missed.
    mix.locator("select[name=order]").select_option("missed")
    button(mix, "start").click()
    expect(part(mix, "status")).to_have_text("Question 1 of 1")


def test_an_exam_tells_nothing_before_the_end_and_outlives_a_reload(
    page: Page, site: Site
) -> None:
    page.clock.install()
    page.goto(site.url + QUIZ)
    mix = page.locator("napkin-mix")
    only_lesson(mix, "counting-operations")
    mix.locator("select[name=topic]").select_option("compute")
    mix.locator("select[name=mode]").select_option("exam")
    mix.locator("input[name=minutes]").fill("10")
    button(mix, "start").click()
    question = mix.locator("napkin-question:not([hidden])")
    expect(part(mix, "clock")).to_have_text(re.compile("^(10:00|9:5)"))
    expect(button(question, "check")).to_be_hidden()
    expect(button(question, "hint")).to_be_hidden()
    # Not even an exam counts what cannot be read.
    question.locator("input").fill("later")
    question.locator("input").press("Tab")
    expect(part(question, "feedback")).to_contain_text("Start with a number")
    button(mix, "finish").click()
    expect(mix).to_contain_text("could not be read")
    state(mix, "running")
    name = question.get_attribute("id") or ""
    seconds = float(drawn(question, name)["answer"])
    question.locator("input").fill(f"{seconds:.4g} s")
    expect(part(question, "feedback")).to_be_empty()
    page.reload()
    question = mix.locator("napkin-question:not([hidden])")
    assert question.locator("input").input_value() == f"{seconds:.4g} s"
    assert float(drawn(question, name)["answer"]) == seconds, "other numbers than before"
    assert attempts(page) == []
    page.clock.fast_forward("11:00")
    state(mix, "done")
    expect(part(mix, "result")).to_have_text("Time is up. 1 of 2 right, 1 not answered")
    attempts_reach(page, 1)


def test_axe_finds_nothing_in_answered_questions(
    open_window: Callable[..., Visitor], site: Site
) -> None:
    for scheme in ("light", "dark"):
        page = open_window(color_scheme=scheme, viewport={"width": 390, "height": 844}).page
        page.goto(site.lesson)
        for name, question in DECK.items():
            shown = ready(page, name)
            if question.kind in ("choice", "multiple"):
                for place in range(2 if question.kind == "multiple" else 1):
                    shown.locator("input").nth(place).check()
            elif question.kind == "number":
                shown.locator("input").fill("1,234")
            elif question.kind == "output":
                shown.locator("textarea").fill("1")
            button(shown, "check").click()
            if button(shown, "solution").is_visible():
                button(shown, "solution").click()
        assert violations(page, "napkin-quiz") == []
        assert page.evaluate("document.documentElement.scrollWidth") == 390

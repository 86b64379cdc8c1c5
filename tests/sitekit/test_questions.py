"""Questions are checked at the build, with every draw; what is wrong is told by file and line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sitekit.decks import Question, load_decks, parse_deck
from sitekit.draws import MOST, Draw, draws, filled
from sitekit.paths import PYSRC, ROOT
from sitekit.printed import printed
from sitekit.provision import node
from sitekit.questions import question_facts
from sitekit.quiz import quiz_html
from sitekit.sections import SiteError

NUMBER = """
quiz:
  - id: q-weights
    kind: number
    topic: memory
    question: "How many GB are the weights of a model with {n}B parameters in {bits}-bit?"
    values: {n: [3, 7, 70], bits: [4, 8]}
    answer: n * 1e9 * bits / 8
    unit: B
    mistakes:
      - {value: answer * 8, reply: "That is the number of bits for {n}B."}
    explanation: "`{n}e9 * {bits} / 8 = {answer}`."
"""
OUTPUT = """
quiz:
  - id: q-print
    kind: output
    topic: operations
    question: What does this print?
    code: |
      print(2 * 3)
    mistakes:
      - {value: "5", reply: That is the sum.}
    explanation: "A product: `2 * 3 = 6`."
"""


def question(text: str) -> Question:
    return parse_deck(text, "lesson", "lesson.deck.yml").questions[0]


def test_every_draw_has_its_own_answer_texts_and_mistakes() -> None:
    made = draws(question(NUMBER))
    assert len(made) == 6
    assert made[0] == Draw({"n": "3", "bits": "4"}, 1_500_000_000, "1.5 GB", (12_000_000_000,))
    facts = question_facts(question(NUMBER))
    text = filled(facts["question"], made[-1])
    assert text == "<p>How many GB are the weights of a model with 70B parameters in 8-bit?</p>"
    assert filled(facts["explanation"], made[-1]) == "<p><code>70e9 * 8 / 8 = 70 GB</code>.</p>"
    assert filled(facts["replies"][0], made[-1]) == "That is the number of bits for 70B."


def test_a_large_sweep_is_sampled_the_same_way_at_every_build() -> None:
    many = NUMBER.replace("[3, 7, 70]", str(list(range(1, 60))))
    assert len(draws(question(many))) == MOST
    assert draws(question(many)) == draws(question(many))
    script = (
        "import json, sys; from sitekit.decks import parse_deck; "
        "from sitekit.questions import question_facts; "
        "q = parse_deck(sys.argv[1], 'lesson', 'lesson.deck.yml').questions[0]; "
        "print(json.dumps(question_facts(q)))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, many], capture_output=True, text=True, check=True,
        env={"PYTHONPATH": str(PYSRC), "PYTHONHASHSEED": "7"},
    )  # fmt: skip
    assert json.loads(ran.stdout) == question_facts(question(many))


BROKEN = {
    "an answer that cannot be worked out": (
        ("n * 1e9 * bits / 8", "n / (bits - 4)"), "with n = 3, bits = 4: ZeroDivisionError"),
    "an answer that is no number": (("n * 1e9 * bits / 8", "inf"), "is inf"),
    "an unknown name": (("n * 1e9 * bits / 8", "layers * 2"), "NameError"),
    "a mistake that counts as right": (("answer * 8", "answer * 1.01"), "counts as right"),
    "a mistake that is right for some values": (
        ("answer * 8", "n * 1e9"), "with n = 3, bits = 8"),
    "a sum that does not hold": (("/ 8 = {answer}", "/ 4 = {answer}"), "not 1.5 GB"),
    "a place without a value": (("{n}B parameters", "{m}B parameters"), "no value for {m}"),
    "a value that the question does not say": (("in {bits}-bit", ""), "does not say its value"),
    "an answer in the question": (("in {bits}-bit", "in {bits}-bit, {answer}"), "gives its own"),
    "an unknown unit": (("unit: B", "unit: GBs"), "did you mean the unit `GB`?"),
    "an answer of zero": (("n * 1e9 * bits / 8", "n - n"), "no share can be tolerated"),
    "an import that fails": (("unit: B", "unit: B\n    uses: import nothing_such"), "nothing_such"),
    "two mistakes alike": (
        ("    explanation", "      - {value: answer * 8.01, reply: Bits.}\n    explanation"),
        "same number"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_question_whose_numbers_are_not_sane_stops_the_build(name: str) -> None:
    (old, new), told = BROKEN[name]
    assert old in NUMBER
    with pytest.raises(SiteError) as raised:
        question_facts(question(NUMBER.replace(old, new)))
    assert str(raised.value).startswith("lesson.deck.yml:3: ")
    assert told in str(raised.value)


def test_what_code_prints_is_found_by_running_it() -> None:
    assert printed(question(OUTPUT)) == "6\n"
    napkin = OUTPUT.replace(
        "print(2 * 3)",
        "from napkin.flops import matmul_flops\n      print(matmul_flops(2, 3, 4))",
    )
    assert printed(question(napkin)) == "48\n"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("print(1 / 0)", "fails: ZeroDivisionError"),
        ("x = 1", "prints nothing"),
        ("print('x' * 400)", "prints more than"),
        ("print(5)", "is listed as a mistake"),
    ],
)
def test_code_that_nobody_could_predict_stops_the_build(code: str, told: str) -> None:
    with pytest.raises(SiteError, match=told):
        printed(question(OUTPUT.replace("print(2 * 3)", code)))


def test_texts_with_tags_and_script_ends_stay_texts(tmp_path: Path) -> None:
    deck = parse_deck(
        """
quiz:
  - id: q-tags
    kind: choice
    topic: memory
    question: "Is `List<String>` a < b & c, or </script> </template>?"
    options:
      - {text: "`a<b`", right: true, reply: "</template>"}
      - {text: "{n} and {answer}", reply: no}
    explanation: "<b>"
""".replace("reply: no", 'reply: "no"'),
        "lesson", "lesson.deck.yml",
    )  # fmt: skip
    html = quiz_html("q-tags", {"lesson": deck}, tmp_path)
    assert html.count("</template>") == 1
    assert "</script>" not in html
    assert "<code>List&lt;String&gt;</code> a &lt; b &amp; c" in html
    assert "{n} and {answer}" in html


def test_a_result_is_kept_until_its_sources_change(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from sitekit import kept

    monkeypatch.setattr(kept, "FOLDER", tmp_path)
    calls: list[int] = []

    def compute(argument: int) -> int:
        calls.append(argument)
        return argument + 1

    for _ in range(2):
        assert kept.kept("x", compute, 1, "key") == 2
    assert calls == [1]
    monkeypatch.setattr(kept, "sources_digest", lambda: "other")
    assert kept.kept("x", compute, 1, "key") == 2
    next(tmp_path.glob("*.json")).write_text("damaged", "utf-8")
    assert kept.kept("x", compute, 1, "key") == 2
    assert kept.kept("x", compute, 1, "another") == 2
    assert len(calls) >= 3


def test_the_course_questions_are_judged_in_the_browser_as_python_has_them() -> None:
    """Every published answer is right when typed, every mistake gets its own reply."""
    facts = [
        {"id": q.id, "kind": q.kind} | question_facts(q)
        for deck in load_decks().values()
        for q in deck.questions
    ]
    assert facts
    for each in facts:
        if each["kind"] == "number":
            each["filled"] = [
                filled(each["question"] + each["explanation"], Draw(**draw))
                for draw in each["draws"]
            ]
    ran = subprocess.run(
        [node.find_node().node, str(ROOT / "tests/sitekit/questions.mjs")],
        input=json.dumps(facts), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr

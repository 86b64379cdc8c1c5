"""The reader's own machine: NumPy beside WebGPU, or a plain word where there is none."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from .conftest import Site, Visitor, wait_for


def measure(page: Page, site: Site) -> Locator:
    """Press the button of the lesson's machine, and wait until it has measured."""
    page.goto(site.lesson)
    machine = page.locator("napkin-machine")
    machine.get_by_role("button", name="Measure this machine").click()
    wait_for(
        page, "['done', 'error'].includes(document.querySelector('napkin-machine').dataset.state)"
    )
    expect(machine).to_have_attribute("data-state", "done")
    return machine


def test_without_webgpu_numpy_is_measured_and_the_reason_told(page: Page, site: Site) -> None:
    page.add_init_script("Object.defineProperty(Navigator.prototype, 'gpu', {value: undefined})")
    machine = measure(page, site)
    expect(machine.locator("[data-part=status]")).to_contain_text("offers no WebGPU")
    rows = machine.locator("tbody tr")
    assert rows.locator("th").all_inner_texts() == ["n = 256", "n = 512", "n = 1024"]
    for row in rows.all():
        expect(row.locator("td")).to_contain_text("FLOP/s")


def test_a_gpu_is_checked_against_numpy_and_shown_beside_it(page: Page, site: Site) -> None:
    machine = measure(page, site)
    status = machine.locator("[data-part=status]")
    expect(status).to_contain_text("emulated on the CPU")
    expect(status).to_contain_text("equals NumPy")
    for row in machine.locator("tbody tr").all():
        numpy, gpu, ratio = row.locator("td").all_inner_texts()
        assert "FLOP/s" in numpy
        assert "FLOP/s" in gpu
        assert float(ratio.split()[0]) > 0


def test_a_gpu_that_multiplies_wrongly_is_not_believed(
    open_window: Callable[..., Visitor], site: Site
) -> None:
    visitor = open_window(service_workers="block")  # what it fetches cannot be changed here
    visitor.allow("Service Worker registration blocked")
    page = visitor.page
    page.route(
        "**/lib/webgpu.js",
        lambda route: route.fulfill(
            body=route.fetch().text().replace("sums[y][x] +=", "sums[y][x] = 1.0 +"),
            content_type="text/javascript",
        ),
    )
    machine = measure(page, site)
    expect(machine.locator("[data-part=status]")).to_contain_text("differs from NumPy")
    expect(machine.locator("thead")).not_to_contain_text("WebGPU")

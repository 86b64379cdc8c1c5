"""`make bench`: what a reader waits for, against a plain Pyodide, measured now on this machine."""

from __future__ import annotations

import argparse
import os
import platform

from playwright.sync_api import sync_playwright

from sitekit.paths import ROOT
from sitekit.provision.chromium import find_chromium

from .calculators import input_to_result
from .floods import floods
from .host import host
from .startup import CELLS, Row, first_visits, longest, page_loads, second_visits
from .stops import stops

SITE = ROOT / "build" / "site"
KINDS = ("loopback", "second", "paced", "tasks", "floods", "calculators", "stops")


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="of each measurement (default: 5)")
    parser.add_argument(
        "--only",
        choices=KINDS,
        help="measure one kind of visit only",
    )
    options = parser.parse_args()
    rounds = options.rounds
    first = {
        ("loopback", "pure"): Row("first visit, loopback, pure Python", "1.05"),
        ("loopback", "numpy"): Row("first visit, loopback, NumPy", "1.05"),
        ("paced", "numpy"): Row("first visit, 20 Mbit/s and 40 ms, NumPy", "0.80"),
    }
    second = {
        ("pure", "at once"): Row("second visit, click at once, pure Python", "0.25"),
        ("numpy", "at once"): Row("second visit, click at once, NumPy", "0.45"),
        ("pure", "after 10 s"): Row("second visit, after 10 s, pure Python", "30 ms"),
        ("numpy", "after 10 s"): Row("second visit, after 10 s, NumPy", "60 ms"),
    }
    again = Row("run again in the same page", "30 ms")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(find_chromium()))
        print(
            f"Chromium {browser.version}, {platform.system()} {platform.machine()}, "
            f"{os.cpu_count()} cores, {rounds} rounds; medians (least-most)"
        )
        wanted = (options.only,) if options.only else KINDS
        if "loopback" in wanted:
            with host(SITE) as url:
                for kind in CELLS:
                    first_visits(browser, url, first["loopback", kind], kind, rounds)
                    print(first["loopback", kind], flush=True)
        if "second" in wanted:
            with host(SITE) as url:
                tasks = second_visits(browser, url, rounds, second, again)
            for row in [*second.values(), again]:
                print(row, flush=True)
            print(f"{'second visits':44} {longest(tasks)}")
        if "paced" in wanted:
            with host(SITE, megabits=20, delay=0.04) as url:
                first_visits(browser, url, first["paced", "numpy"], "numpy", rounds)
            print(first["paced", "numpy"], flush=True)
        if "tasks" in wanted:
            with host(SITE) as url:
                print(f"{'load, scroll, first run':44} {longest(page_loads(browser, url, rounds))}")
        if "floods" in wanted:
            with host(SITE) as url:
                for line in floods(browser, url, rounds):
                    print(line, flush=True)
        if "calculators" in wanted:
            with host(SITE) as url:
                print(*input_to_result(browser, url, rounds), sep="\n", flush=True)
        if "stops" in wanted:
            with host(SITE) as url, host(SITE, megabits=20, delay=0.04) as paced:
                for line in stops(browser, url, paced, rounds):
                    print(line, flush=True)
        print("load average:", *(f"{load:.1f}" for load in os.getloadavg()))
        browser.close()


if __name__ == "__main__":
    main()

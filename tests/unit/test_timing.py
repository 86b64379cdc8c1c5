"""Timing against clocks whose truth is known: the fake time moves only when the test says so."""

import math
import random
from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from napkin.timing import Timing, clock_tick, time_call

NS = 1e-9
US, MS, S = 1_000, 1_000_000, 1_000_000_000  # in nanoseconds
TICKS = [5 * US, 100 * US, 1 * MS, 16 * MS, 100 * MS]


class FakeClock:
    """A clock that shows a virtual time, in steps of `tick` ns; each read costs `read` ns.

    `noise` (ns, at random, below a step) shakes every reading before it is cut to whole steps,
    `blur` (ns) after it; `setback` = (when, by), in ns, moves it backwards once.
    """

    def __init__(
        self,
        tick: int,
        *,
        read: int = 2 * US,
        noise: int = 0,
        blur: int = 0,
        setback: tuple[int, int] | None = None,
        seed: int = 0,
    ) -> None:
        self.now = 123_456_789
        self.tick, self.read, self.noise, self.blur = tick, read, noise, blur
        self.setback = setback
        self.random = random.Random(seed)

    def __call__(self) -> float:
        self.now += self.read
        shown = self.now
        if self.setback and self.now >= self.setback[0]:
            shown -= self.setback[1]
        if self.noise:
            shown += self.random.randrange(self.noise)
        shown = shown // self.tick * self.tick
        if self.blur:
            shown += self.random.randrange(self.blur)
        return shown * NS

    def work(self, duration: int) -> Callable[[], None]:
        def func() -> None:
            self.now += duration

        return func


@pytest.mark.parametrize("tick", TICKS)
def test_clock_tick_finds_the_step(tick: int) -> None:
    assert clock_tick(FakeClock(tick)) == pytest.approx(tick * NS, rel=1e-6)


def test_clock_tick_of_a_fine_clock_is_the_time_between_reads() -> None:
    assert clock_tick(FakeClock(1, read=70)) == pytest.approx(70 * NS, rel=1e-6)


@pytest.mark.parametrize("tick", TICKS)
def test_clock_tick_sees_through_jitter(tick: int) -> None:
    shaken = FakeClock(tick, noise=tick // 3)
    assert clock_tick(shaken) == pytest.approx(tick * NS, rel=1e-6)
    blurred = FakeClock(tick, blur=tick // 50)
    assert clock_tick(blurred) == pytest.approx(tick * NS, rel=0.03)


@pytest.mark.parametrize("back", [3 * MS, 10 * S])
def test_clock_tick_survives_a_clock_set_back(back: int) -> None:
    clock = FakeClock(1 * MS, setback=(123_456_789 + 8 * MS, back))
    # Patience for 20 steps, not for the ten seconds until the clock has caught up.
    assert clock_tick(clock, max_reads=10_000) == pytest.approx(1e-3, rel=1e-6)


def test_clock_tick_survives_being_interrupted() -> None:
    clock = FakeClock(1, read=70)

    def interrupted() -> float:
        if clock.random.random() < 0.01:  # some other process takes the core for 4 ms
            clock.now += 4 * MS
        return clock()

    assert clock_tick(interrupted) == pytest.approx(70 * NS, rel=1e-3)


@pytest.mark.parametrize("tick", [1 * US, *TICKS])
def test_clock_tick_survives_a_busy_machine(tick: int) -> None:
    """Others have the processor for two thirds of the time, in turns of some milliseconds."""
    clock = FakeClock(tick)
    turn = clock.now

    def shared() -> float:
        nonlocal turn
        if clock.now >= turn:
            clock.now += clock.random.randrange(4 * MS, 9 * MS)
            turn = clock.now + 3 * MS
        return clock()

    expected = max(tick, clock.read)
    assert clock_tick(shared) == pytest.approx(expected * NS, rel=1e-6)


@pytest.mark.parametrize("tick", TICKS)
def test_clock_tick_stays_within_its_time(tick: int) -> None:
    clock = FakeClock(tick)
    before = clock.now
    clock_tick(clock, rounds=5, seconds=0.5)
    assert (clock.now - before) * NS < 0.5 + 6 * tick * NS


@pytest.mark.parametrize("clock", [lambda: 7.0, lambda: math.nan])
def test_a_clock_that_stands_still_is_an_error(clock: Callable[[], float]) -> None:
    with pytest.raises(RuntimeError, match="did not move in 1,000 reads"):
        clock_tick(clock, max_reads=1000)


def test_a_clock_that_only_runs_backwards_is_an_error() -> None:
    countdown = iter(range(10_000, 0, -1))
    with pytest.raises(RuntimeError, match="did not move"):
        clock_tick(lambda: float(next(countdown)), max_reads=1000)


@pytest.mark.parametrize("tick", TICKS)
@pytest.mark.parametrize("duration", [1 * US, 37 * US, 250 * US, 1 * MS, 13 * MS, 700 * MS, 2 * S])
def test_time_call_recovers_the_true_duration(tick: int, duration: int) -> None:
    # Python takes a while for the ten million calls of 1 µs that fill 100 steps of 100 ms.
    ticks, runs = (10, 2) if duration / tick < 1e-3 else (100, 5)
    clock = FakeClock(tick)
    timing = time_call(clock.work(duration), clock=clock, ticks=ticks, runs=runs)
    assert timing.seconds == pytest.approx(duration * NS, rel=1 / ticks)
    assert timing.tick == pytest.approx(tick * NS, rel=1e-6)
    assert timing.spread <= 1 / ticks
    assert timing.runs == runs
    assert timing.calls * timing.seconds >= max(ticks * tick * NS, 0.05) * (1 - 1e-9)


@settings(deadline=None, max_examples=100)
@given(
    tick=st.integers(1 * US, 100 * MS),
    duration=st.integers(1 * US, 2 * S),
    ticks=st.integers(10, 200),
    noise=st.floats(0, 1),
    seed=st.integers(0, 2**32),
)
def test_time_call_keeps_its_promise_on_any_clock(
    tick: int, duration: int, ticks: int, noise: float, seed: int
) -> None:
    assume(max(ticks * tick, 50 * MS) / duration < 10_000)
    clock = FakeClock(tick, noise=int(noise * tick), seed=seed)
    timing = time_call(clock.work(duration), tick=tick * NS, clock=clock, ticks=ticks, runs=3)
    # Each end of a run is up to one step off, up to two on a shaken clock.
    steps_off = 2 if clock.noise else 1
    allowed = steps_off * tick + 2 * clock.read
    true = timing.calls * duration
    assert abs(timing.calls * timing.seconds / NS - true) <= allowed * (1 + 1e-6)
    assert timing.calls * timing.seconds >= max(ticks * tick * NS, 0.05) * (1 - 1e-9)
    assert timing.rate(1) > 0


@pytest.mark.parametrize("duration", [20 * US, 30 * MS])
@pytest.mark.parametrize("when", range(50, 1200, 50))
def test_time_call_survives_a_clock_set_back(when: int, duration: int) -> None:
    """Wherever in the runs it happens, and by however much of a run."""
    for back in (40 * MS, 5 * S):
        clock = FakeClock(1 * MS, setback=(123_456_789 + when * MS, back))
        timing = time_call(clock.work(duration), tick=1e-3, clock=clock)
        assert timing.seconds == pytest.approx(duration * NS, rel=0.011)


def test_a_leap_of_the_clock_does_not_pass_for_a_long_run() -> None:
    """One call of 20 µs seems to last ten seconds; the runs after it show that it did not."""
    clock = FakeClock(1 * MS, setback=(123_456_789 + 30 * US, -10 * S))
    timing = time_call(clock.work(20 * US), tick=1e-3, clock=clock, runs=2)
    assert timing.seconds == pytest.approx(20e-6, rel=0.011)
    assert timing.spread <= 0.01


def test_time_call_shrugs_off_a_slow_run_but_shows_it_in_the_spread() -> None:
    clock = FakeClock(1 * MS)
    calls = 0

    def work() -> None:
        nonlocal calls
        calls += 1
        clock.now += 50 * MS if calls == 400 else 1 * MS

    timing = time_call(work, clock=clock)
    assert timing.seconds == pytest.approx(1e-3, rel=0.01)
    assert 0.1 < timing.spread < 0.3


def test_the_warm_up_call_is_not_measured() -> None:
    clock = FakeClock(1 * MS)
    first = True

    def work() -> None:
        nonlocal first
        clock.now += 5 * S if first else 10 * MS
        first = False

    timing = time_call(work, clock=clock)
    assert timing.seconds == pytest.approx(0.010, rel=0.01)
    assert timing.spread <= 0.01


def test_spread_is_half_the_range_of_the_runs() -> None:
    clock = FakeClock(1 * US, read=0)
    durations = iter([7 * S, 1000 * MS, 1100 * MS, 1000 * MS, 900 * MS, 1000 * MS])

    def work() -> None:
        clock.now += next(durations)

    timing = time_call(work, tick=1e-6, clock=clock)
    assert timing.seconds == pytest.approx(1.0, rel=1e-5)
    assert timing.spread == pytest.approx(0.1, rel=1e-3)
    assert timing.calls == 1


def test_a_longer_run_is_asked_of_a_coarser_clock() -> None:
    fine, coarse = FakeClock(5 * US), FakeClock(16 * MS)
    few = time_call(fine.work(1 * MS), clock=fine)
    many = time_call(coarse.work(1 * MS), clock=coarse)
    assert 50 <= few.calls <= 100  # 0.05 s, however fine the clock
    assert 1600 <= many.calls <= 3200  # 100 steps of 16 ms


def test_a_clock_that_stops_is_an_error_not_a_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("napkin.timing._HOPELESS_CALLS", 1000)
    with pytest.raises(RuntimeError, match="stands still or the call is too short"):
        time_call(lambda: None, tick=1e-3, clock=lambda: 5.0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tick", 0.0),
        ("tick", -1e-3),
        ("tick", math.nan),
        ("tick", math.inf),
        ("ticks", 0),
        ("seconds", -1.0),
        ("seconds", math.nan),
        ("runs", 0),
    ],
)
def test_time_call_refuses_a_bad_setting_by_name(name: str, value: float) -> None:
    clock = FakeClock(1 * MS)
    with pytest.raises(ValueError, match=f"^{name} must be"):
        time_call(clock.work(1 * MS), clock=clock, **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value"),
    [("rounds", 0), ("steps", 0), ("max_reads", 0), ("seconds", 0.0), ("seconds", math.inf)],
)
def test_clock_tick_refuses_a_bad_setting_by_name(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be"):
        clock_tick(FakeClock(1 * MS), **{name: value})  # type: ignore[arg-type]


def test_rate_is_work_per_second() -> None:
    timing = Timing(seconds=0.5, spread=0.0, calls=1, tick=1e-3, runs=1)
    assert timing.rate(3e9) == 6e9
    for bad in (-1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match=r"^work must be"):
            timing.rate(bad)


def test_the_real_clock_moves() -> None:
    assert 0 < clock_tick() < 0.1

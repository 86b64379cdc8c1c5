"""Timing that is right on coarse clocks: find the clock's step, then repeat the work.

A browser shows Python a clock that moves in steps of 5 µs to 100 ms, so one short call can read
as exactly zero seconds. `time_call` repeats the call until the clock has moved by many steps.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import repeat

__all__ = ["Timing", "clock_tick", "time_call"]

Clock = Callable[[], float]

# A run of this many calls takes a good part of a second even when the call does nothing. If the
# clock has not moved by one step in it, more calls will not help.
_HOPELESS_CALLS = 2**24
_MAX_CALLS = 2**32
_RESOLVED_TICKS = 8  # from here on one reading is good to 1 part in 8: enough to scale by


@dataclass(frozen=True)
class Timing:
    """One timed call. Each of the runs behind it lasted many steps of the clock.

    seconds: time per call, the median over the runs, in s; always more than zero.
    spread: half the range of the runs divided by the median; 0.03 reads "give or take 3 %".
        Runs can agree better than the clock allows: no run is known to better than
        tick / (calls * seconds).
    calls: calls in each run.
    tick: step of the clock in s.
    runs: number of runs.
    """

    seconds: float
    spread: float
    calls: int
    tick: float
    runs: int

    def rate(self, work: float) -> float:
        """Work per second: in FLOP/s when `work` is the FLOP of one call.

        Raises ValueError when `work` is negative or not finite.

        >>> Timing(seconds=0.002, spread=0.01, calls=50, tick=1e-3, runs=5).rate(4_000_000)
        2000000000.0
        """
        if not (math.isfinite(work) and work >= 0):
            raise ValueError(f"work must be a finite number of at least 0, got {work!r}")
        return work / self.seconds


def clock_tick(
    clock: Clock = time.perf_counter,
    *,
    rounds: int = 5,
    steps: int = 21,
    seconds: float = 0.5,
    max_reads: int = 10_000_000,
) -> float:
    """Step of `clock` in seconds, found by reading it until it moves.

    What a clock says about itself cannot be trusted: in a browser `time.get_clock_info` names
    1 µs for a clock that moves by 1 ms. On a fine clock the step is the time between two reads.

    Each round collects up to `steps` steps, sorted by size, and takes the one at which a tenth of
    the round's time has passed: smaller ones are jitter, larger ones may be pauses in which some
    other program had the processor. The answer is the median of `rounds` rounds. All rounds
    together end soon after `seconds`, with at least one step in each.

    Raises RuntimeError when `max_reads` reads in a row find no step: the clock stands still.

    >>> readings = (read // 10 / 1000 for read in range(10_000))  # 1 ms after every tenth read
    >>> round(clock_tick(lambda: next(readings)), 9)
    0.001
    """
    for name, count in (("rounds", rounds), ("steps", steps), ("max_reads", max_reads)):
        if count < 1:
            raise ValueError(f"{name} must be at least 1, got {count!r}")
    if not (math.isfinite(seconds) and seconds > 0):
        raise ValueError(f"seconds must be a finite number above 0, got {seconds!r}")
    share = seconds / rounds
    return _median([_typical_step(clock, steps, share, max_reads) for _ in range(rounds)])


def time_call(
    func: Callable[[], object],
    *,
    tick: float | None = None,
    clock: Clock = time.perf_counter,
    ticks: int = 100,
    seconds: float = 0.05,
    runs: int = 5,
) -> Timing:
    """Seconds that one `func()` takes, measured in runs the clock can resolve.

    After one warm-up call, the calls per run grow until a run lasts at least `ticks` steps of the
    clock and at least `seconds`; then `runs` runs are measured, each of which must last as long.
    Because a run starts and ends up to one step late, its error is at most 1/`ticks` (1 % with
    the default), plus the loop's own cost of some tens of nanoseconds per call. The median
    shrugs off one disturbed run, such as one in which the clock was set back.

    `tick` is the step of `clock` in s; leave it out to have it found with `clock_tick`.

    Raises ValueError for a `tick`, `ticks`, `seconds` or `runs` out of range, RuntimeError when
    the clock stands still or the call is too short for it: a speed is never made up.

    >>> now = 0.0
    >>> def work():
    ...     global now
    ...     now += 0.004
    >>> timing = time_call(work, tick=1e-3, clock=lambda: now // 1e-3 * 1e-3)
    >>> abs(timing.seconds / 0.004 - 1) <= 0.01, timing.calls * timing.seconds >= 0.1
    (True, True)
    """
    if tick is not None and not (math.isfinite(tick) and tick > 0):
        raise ValueError(
            f"tick must be a finite number of seconds above 0, got {tick!r}; "
            f"leave it out to have it measured"
        )
    if ticks < 1:
        raise ValueError(f"ticks must be at least 1, got {ticks!r}; 100 keeps the error under 1 %")
    if not (math.isfinite(seconds) and seconds >= 0):
        raise ValueError(f"seconds must be a finite number of at least 0, got {seconds!r}")
    if runs < 1:
        raise ValueError(f"runs must be at least 1, got {runs!r}")
    if tick is None:
        tick = clock_tick(clock)
    needed = max(ticks * tick, seconds)

    func()  # warm up: the first call pays for imports, caches and compilation
    calls = 1
    per_call: list[float] = []
    while len(per_call) < runs:
        elapsed = _run_seconds(func, calls, clock)
        if elapsed >= needed:
            per_call.append(elapsed / calls)
        else:  # too short to be trusted, and with it the runs of the same size
            per_call.clear()
            calls = _more_calls(calls, elapsed, needed, tick)

    middle = _median(per_call)
    spread = (max(per_call) - min(per_call)) / 2 / middle
    return Timing(seconds=middle, spread=spread, calls=calls, tick=tick, runs=runs)


def _typical_step(clock: Clock, steps: int, seconds: float, max_reads: int) -> float:
    """Step at the first tenth of the time seen, in at most `steps` steps or `seconds`."""
    sizes: list[float] = []
    covered = 0.0
    reads = 0  # since the last step
    start = top = clock()
    while len(sizes) < steps and (not sizes or covered < seconds):
        now = clock()
        reads += 1
        if now > top:  # a step is a new latest time: trembling around the old one is none
            sizes.append(now - top)
            covered += now - top
            top = now
            reads = 0
        elif reads >= max_reads:
            raise RuntimeError(
                f"the clock did not move in {max_reads:,} reads, so nothing can be timed with it; "
                f"pass another clock, such as time.perf_counter"
            )
        elif now < start:  # the clock was set back: begin again from there
            start = top = now
            sizes.clear()
            covered = 0.0
    passed = 0.0
    for size in sorted(sizes):
        passed += size
        if passed >= covered / 10:
            break
    return size


def _run_seconds(func: Callable[[], object], calls: int, clock: Clock) -> float:
    start = clock()
    for _ in repeat(None, calls):
        func()
    return clock() - start


def _more_calls(calls: int, elapsed: float, needed: float, tick: float) -> int:
    """Calls for the next run after one of `calls` was too short; RuntimeError if hopeless."""
    if calls >= _MAX_CALLS or (calls >= _HOPELESS_CALLS and elapsed < tick):
        raise RuntimeError(
            f"the clock moved by {elapsed:g} s in {calls:,} calls, less than the {needed:g} s "
            f"that a fair reading needs: either it stands still or the call is too short for a "
            f"clock that steps by {tick:g} s; time more work per call or pass a finer clock"
        )
    if elapsed < _RESOLVED_TICKS * tick:
        return calls * 2
    # A quarter more than needed, so that the next run is not too short again by a hair.
    return max(calls + 1, math.ceil(calls * min(1.25 * needed / elapsed, 10.0)))


def _median(values: list[float]) -> float:
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2

"""Ratios on a machine with noisy neighbours: the works take turns, and medians are compared."""

from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter_ns


@dataclass(frozen=True)
class Times:
    """How long one call of a work took, in nanoseconds, round by round."""

    rounds: tuple[float, ...]

    @property
    def median(self):
        return median(self.rounds)

    def __str__(self):
        low, _, high = quantiles(self.rounds, n=4)
        return f"{self.median / 1000:8.1f} us ({low / 1000:.1f} to {high / 1000:.1f})"


def interleaved(works, *, rounds, calls=1):
    """Time each of some works, given by name, in every round, starting with another one each time."""
    names = list(works)
    taken = {name: [] for name in names}
    for work in works.values():
        work()
    for k in range(rounds):
        for name in names[k % len(names) :] + names[: k % len(names)]:
            work = works[name]
            start = perf_counter_ns()
            for _ in range(calls):
                work()
            taken[name].append((perf_counter_ns() - start) / calls)
    return {name: Times(tuple(times)) for name, times in taken.items()}


def line(what, ours, reference, goal):
    """One line of a table: what, ours, the reference, how many times faster, and the goal."""
    return f"  {what:<44}{ours!s:<36}{reference!s:<36}{reference.median / ours.median:5.2f}x   {goal}"


def heading(title, reference):
    return f"\n\n{title}\n  {'median of one call (quartiles)':<44}{'tensorlab':<36}{reference:<36}ratio    goal (floor)"

"""What it costs to remember the user's line on a node: always on, so it must be nearly free."""

from harness import Row, report

ROUNDS, COUNT = 40, 100_000


def rows():
    from chainrule import _core

    times = [_core.time_source_line(COUNT) / COUNT for _ in range(ROUNDS)]
    return [Row("a source line on a node", min(times), None, bar=15e-9, rounds={"chainrule": times})]


if __name__ == "__main__":
    report("source_lines", rows())

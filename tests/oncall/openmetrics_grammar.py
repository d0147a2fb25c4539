"""OpenMetrics 1.0 text, read by its grammar and its rules of order, independently of what writes it."""

import re

_LABEL = r'([a-z_]+)="((?:[^"\\\n]|\\["\\n])*)"'
_SAMPLE = re.compile(rf"([a-z_]+)\{{({_LABEL}(?:,{_LABEL})*)\}} (-?\d+(?:\.\d+)?)")
_HEAD = re.compile(r"# TYPE (\w+) gauge\n(?:# UNIT \1 (\w+)\n)?# HELP \1 [^\\\n]+\n")

Sample = tuple[str, tuple[tuple[str, str], ...]]


def parsed(text: str) -> dict[Sample, float]:
    """The samples, by name and labels.

    Raises:
        AssertionError: it is not OpenMetrics.
    """
    assert text.endswith("# EOF\n"), "the end is missing"
    found: dict[Sample, float] = {}
    families: set[str] = set()
    for family in re.split(r"(?=^# TYPE )", text.removesuffix("# EOF\n"), flags=re.MULTILINE)[1:]:
        head = _HEAD.match(family)
        assert head, family
        assert head[1] not in families, f"{head[1]} is interleaved"
        assert head[2] is None or head[1].endswith(f"_{head[2]}"), head[0]
        families.add(head[1])
        for line in family[head.end() :].splitlines():
            sample = _SAMPLE.fullmatch(line)
            assert sample, line
            assert sample[1] == head[1], f"{line} is of no family"
            key = sample[1], tuple(sorted(re.findall(_LABEL, sample[2])))
            assert key not in found, f"{line} comes twice"
            found[key] = float(sample[sample.lastindex or 0])
    return found

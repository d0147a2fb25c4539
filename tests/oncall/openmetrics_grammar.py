"""OpenMetrics 1.0 text, read by its grammar and its rules of order, independently of what writes it."""

from __future__ import annotations

import re

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"'
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?inf(?:inity)?|nan"
_SAMPLE = re.compile(rf"({_NAME})(?:\{{((?:{_LABEL})(?:,{_LABEL})*)?\}})? ({_NUMBER})(?: [\d.]+)?", re.IGNORECASE)
_META = re.compile(rf"# (TYPE|UNIT|HELP) ({_NAME})(?: (.*))?")
_TYPES = {"counter", "gauge", "histogram", "gaugehistogram", "stateset", "info", "summary", "unknown"}

Sample = tuple[str, tuple[tuple[str, str], ...]]


def parsed(text: str) -> dict[Sample, float]:
    """The samples, by name and labels.

    Raises:
        AssertionError: it is not OpenMetrics.
    """
    assert text.endswith("# EOF\n"), "the end is missing"
    assert "\r" not in text
    found: dict[Sample, float] = {}
    family, seen, meta = "", set[str](), set[str]()
    for line in text.removesuffix("# EOF\n").splitlines():
        if line.startswith("#"):
            told = _META.fullmatch(line)
            assert told, line
            kind, name, value = told.groups()
            if name != family:
                assert name not in seen, f"{name} is interleaved"
                family, meta = name, set()
                seen.add(name)
            assert kind not in meta, line
            assert not any(key[0] == name for key in found), f"{line} comes behind its samples"
            meta.add(kind)
            if kind == "TYPE":
                assert value in _TYPES, line
            if kind == "UNIT":
                assert value, line
                assert name.endswith(f"_{value}"), line
            if kind == "HELP":
                assert not re.search(r'\\(?!["\\n])', value), line
            continue
        sample = _SAMPLE.fullmatch(line)
        assert sample, line
        assert sample[1] == family, f"{line} is of no family"
        labels = tuple(re.findall(_LABEL, sample[2] or ""))
        assert len({name for name, _ in labels}) == len(labels), line
        key = sample[1], tuple(sorted(labels))
        assert key not in found, f"{line} comes twice"
        found[key] = float(sample[len(sample.groups())])
    return found

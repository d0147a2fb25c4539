"""How the lines of a table look."""

TONES = ("good", "warn", "bad", "waits", "over", "plain")

CLASSES = {
    "table--head",
    "table--sorted",
    "table--cell",
    "table--mark",
    "table--text",
    "table--quiet",
    "table--word",
    *(f"table--{tone}" for tone in TONES),
}

CSS = """
TableView {
    background: $background;
    &> .table--head { color: $text-muted; }
    &> .table--sorted { color: $text; text-style: bold; }
    &> .table--cell { background: $block-cursor-blurred-background; }
    &:focus > .table--cell { background: $block-cursor-background; text-style: bold; }
    &:focus > .lines--cursor { background: $block-cursor-blurred-background; }
    &> .table--mark { color: $text-accent; text-style: bold; }
    &> .table--text, &> .table--plain { color: $text; }
    &> .table--quiet, &> .table--waits, &> .table--over { color: $text-muted; }
    &> .table--word { color: $text; }
    &> .table--good { color: $text-success; }
    &> .table--warn { color: $text-warning; }
    &> .table--bad { color: $text-error; }
}
"""

"""The letters of the world in PDF documents that hold no fonts.

Every reader has the Latin alphabet of the standard fonts, and fonts for Chinese, Japanese and Korean that are named by the
character collection that they have (ISO 32000-1, 9.7.5.2); their text is written as UTF-16. Greek and Cyrillic are spelt in
Latin letters. That is not possible for Arabic, Hebrew, Thai, Indian scripts and emoji: without a font file these
become question marks.
"""

from __future__ import annotations

import unicodedata
from typing import NamedTuple


class Script(NamedTuple):
    """A font that readers have, the encoding of its text and its character collection."""

    font: str
    encoding: str
    collection: str
    supplement: int

    def objects(self, number: int) -> list[bytes]:
        """The three objects that name the font; the first one is the font, and has this number."""
        return [
            f"<< /Type /Font /Subtype /Type0 /BaseFont /{self.font}-{self.encoding} /Encoding /{self.encoding} "
            f"/DescendantFonts [{number + 1} 0 R] >>".encode(),
            f"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /{self.font} /DW 1000 /FontDescriptor {number + 2} 0 R "
            f"/CIDSystemInfo << /Registry (Adobe) /Ordering ({self.collection}) /Supplement {self.supplement} >> "
            ">>".encode(),
            f"<< /Type /FontDescriptor /FontName /{self.font} /Flags 4 /FontBBox [0 -120 1000 880] /ItalicAngle 0 "
            "/Ascent 880 /Descent -120 /CapHeight 880 /StemV 80 >>".encode(),
        ]


SCRIPTS = {
    "C": Script("STSong-Light", "UniGB-UTF16-H", "GB1", 5),
    "J": Script("HeiseiKakuGo-W5", "UniJIS-UTF16-H", "Japan1", 6),
    "K": Script("HYGoThic-Medium", "UniKS-UTF16-H", "Korea1", 2),
}
"""Chinese, Japanese and Korean, by the name of their font in a page."""

_HAN = (("\u3000", "\u303f"), ("\u3400", "\u4dbf"), ("\u4e00", "\u9fff"), ("\uff00", "\uffef"))
_KANA = (("\u3040", "\u30ff"), ("\u31f0", "\u31ff"))
_HANGUL = (("\u1100", "\u11ff"), ("\u3130", "\u318f"), ("\uac00", "\ud7a3"))

# Letters that Unicode does not take apart into a plain one and a mark, and those of the scripts that are spelt.
_CYRILLIC = (
    "а a б b в v г g ґ g д d е e ё yo є ye ж zh з z и i і i ї yi й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts "
    "ч ch ш sh щ shch ъ a ы y ь ' э e ю yu я ya ђ dj ј j љ lj њ nj ћ c џ dz"
)
_GREEK = "α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o"
_PAIRS = f"ł l đ d ħ h ı i {_CYRILLIC} {_GREEK}".split()
_SPELT = dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True))
_SPELT |= {letter.upper(): spelt.capitalize() for letter, spelt in _SPELT.items() if len(letter.upper()) == 1 and letter != "ı"}


def runs(text: str) -> list[tuple[str, str]]:
    """A text in parts of one script each, from left to right; the script is empty for Latin letters."""
    han = "J" if _any(text, _KANA) else "K" if _any(text, _HANGUL) else "C"
    found: list[tuple[str, str]] = []
    for letter in text:
        script = "J" if _any(letter, _KANA) else "K" if _any(letter, _HANGUL) else han if _any(letter, _HAN) else ""
        if found and found[-1][0] == script:
            found[-1] = (script, found[-1][1] + letter)
        else:
            found.append((script, letter))
    return found


def latin(text: str) -> bytes:
    """A text in the alphabet of the standard fonts."""
    return b"".join(_letter(letter) for letter in text)


def _any(text: str, ranges: tuple[tuple[str, str], ...]) -> bool:
    return any(first <= letter <= last for letter in text for first, last in ranges)


def _letter(letter: str) -> bytes:
    if unicodedata.category(letter).startswith("C"):
        return b" "
    spelt = _SPELT.get(letter)
    if spelt is not None:
        return spelt.encode("ascii")
    try:
        return letter.encode("cp1252")
    except UnicodeEncodeError:
        parts = unicodedata.normalize("NFKD", letter)
        return "".join(_SPELT.get(part, part) for part in parts).encode("ascii", "ignore") or b"?"

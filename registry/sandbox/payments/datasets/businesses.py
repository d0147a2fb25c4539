"""What customers are called who are made up, and after which named customer they are modelled."""

from __future__ import annotations

from functools import cache
from random import Random

MODELS = (
    "ada.romero brightwater kofi.mensah lindenhof sato chen hangang mansour ben.david olsen perrin harbour.finch rao aurora "
    "quetzal northpine wattle nowak horakova petrova dimitriou ivanenko nguyen somchai tan.logistics mueller virtanen "
    "bergstroem de.vries rossi silva murphy popescu yilmaz mwangi van.wyk el.amrani quispe fernandez rojas granite.peak "
    "sunny.side blue.heron copper.kettle maple.main cedar lantern kiwi.orchards harbor.books"
)
"""The named customers whose country, currency, tax and ways to pay others can have too."""

_WORDS = (
    "alder amber anchor apple arbor aspen beacon birch bramble bridge briar canyon cedar chestnut clover cobalt coral cove "
    "crane delta dune ember falcon fern finch flint forge garnet glen grove hazel heather heron hollow indigo iris ivy "
    "jasper juniper kelp lark laurel linden lotus lupin marble meadow merlin mesa mint moss myrtle nettle oak ochre onyx "
    "opal orchid osprey otter pearl pebble pine plover poppy prairie quartz quill raven reed ridge robin rowan sable "
    "saffron sage sorrel sparrow spruce starling stone summit swift tansy teal thistle thorn tidal topaz valley violet "
    "walnut willow wren yarrow"
)

# By language: how a name is put together of a family's or place's name {0} and a trade {1}, and both to choose from.
_NAMES: dict[str, tuple[str, str, str]] = {
    "en": (
        "{0} {1}",
        _WORDS.title().replace(" ", ","),
        "Bakery,Bicycles,Books,Brewing,Ceramics,Dental,Florist,Garden Centre,Guest House,Joinery,Optics,Pharmacy,Physio,"
        "Printing,Roasters,Veterinary Clinic",
    ),
    "de": (
        "{1} {0} GmbH",
        "Ahrens,Brandt,Dörfler,Engel,Fährmann,Grünwald,Hübner,Jäger,Köster,Lindner,Möller,Schäfer,Völker,Weiß",
        "Bäckerei,Buchhandlung,Druckerei,Gärtnerei,Konditorei,Optik,Praxis,Tischlerei,Zahnlabor",
    ),
    "es": (
        "{1} {0}",
        "Aguilar,Benítez,Cáceres,Domínguez,Echeverría,Ibáñez,Márquez,Núñez,Ordóñez,Peña,Quiñones,Zúñiga",
        "Panadería,Librería,Clínica,Talleres,Floristería,Bodegas,Óptica,Carpintería",
    ),
    "fr": (
        "{1} {0}",
        "Aubert,Béranger,Chevalier,Dupré,Étienne,Fournel,Gérard,Lefèvre,Mercier,Noël,Rivière,Théron",
        "Boulangerie,Librairie,Atelier,Pharmacie,Menuiserie,Cave,Imprimerie,Fleuriste",
    ),
    "ja": ("{0}{1}", "青木,石川,上田,大野,加藤,木村,小林,斎藤,高橋,中村,橋本,吉田", "商店,製作所,書店,歯科,酒造,工務店,写真館"),
    "zh": ("{0}{1}有限公司", "长江,东海,华山,金桥,明珠,青云,泰山,西湖", "贸易,科技,印刷,食品,家具"),
    "ko": ("{0} {1}", "가람,나래,다온,라온,마루,바다,아라,하늘", "스튜디오,서점,치과,공방,베이커리"),
    "ar": ("{1} {0}", "النخيل,الياسمين,الواحة,الفجر,اللؤلؤة,الصقر", "مخبز,مكتبة,عيادة,مطبعة,متجر"),
    "he": ("{1} {0}", "אלון,ברוש,גפן,דקל,הדס,זית", "מאפיית,ספרי,דפוס,מרפאת,נגריית"),
}


def word(dice: Random) -> str:
    """An English word in lower case, for addresses and keys."""
    return dice.choice(_words())


def business(dice: Random, locale: str) -> str:
    """The name of a small business in the locale's language; in English if the language is not known here."""
    pattern, names, trades = _names(locale[:2] if locale[:2] in _NAMES else "en")
    return pattern.format(dice.choice(names), dice.choice(trades))


@cache
def _words() -> list[str]:
    return _WORDS.split()


@cache
def _names(language: str) -> tuple[str, list[str], list[str]]:
    pattern, names, trades = _NAMES[language]
    return pattern, names.split(","), trades.split(",")

"""Street addresses and postal codes of the US, the UK and the countries of Western Europe, and of Brazil."""

import re
from collections.abc import Iterator

from spark_deid.text.patterns.lists import is_introduced, read_words
from spark_deid.text.patterns.scan import Interval, TextScan
from spark_deid.text.patterns.whole_addresses import before_postcodes, whole_addresses

_CAPITAL = "A-ZÀ-ÖØ-ÞŠŽĐŁ"
_NAME = rf"[{_CAPITAL}][\w'.-]{{0,24}}"
_STREETS = (
    "Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Place|Pl|Terrace|Crescent|Close|Square|Sq"
    "|Way|Parkway|Pkwy|Highway|Hwy|Circle|Cir|Gardens|Grove|Mews|Row|Walk|Hill|Trail|Trl|Turnpike|Plaza|Alley|Loop"
    "|(?:Bank|Rise|View|Croft|Fold|Wynd|Yard|Quay|Wharf|Park|Vale|Gate|Cross)(?=,)"
)
_CAPITAL_STREETS = (
    "STREET|AVENUE|AVE|ROAD|RD|LANE|DRIVE|BOULEVARD|BLVD|COURT|PLACE|TERRACE|CRESCENT|SQUARE|PARKWAY|PKWY|HIGHWAY|HWY"
    r"|CIRCLE|GARDENS|GROVE|PLAZA|ALLEY|(?:ST|DR|CT|LN|PL)(?=\.?(?:,|\n|$))|SQ(?=\.?(?:,|\n|$|  | #[0-9]))"
)
"""In uppercase letters short ones may be anything else ("1 MM ST", "CHEST CT"), but for at the end of a line."""
_SIDE = r"(?:N|S|E|W|NE|NW|SE|SW|North|South|East|West)"
_ENGLISH = re.compile(
    rf"[0-9]{{1,5}}[A-Za-z]?(?:[-/][0-9]{{1,5}}[A-Za-z]?)?,? "
    rf"(?:{_SIDE}\.? )?(?:(?:{_NAME}|[0-9]{{1,3}}(?:st|nd|rd|th)) ){{1,4}}"
    rf"(?P<street>{_STREETS}|{_CAPITAL_STREETS})(?![\w'])"
    rf"(?:\.(?=,| [a-z]| (?:{_SIDE}|Apt|Apartment|Suite|Ste|Unit|Floor|Flat|Room|Rm|#)(?!\w)))?(?: {_SIDE}(?!\w))?"
    r"(?:,? (?:(?:Apt|Apartment|Suite|Ste|Unit|Floor|Flat|Room|Rm)\.? ?#?[0-9A-Za-z-]{1,6}|#[0-9]{1,5}[A-Za-z]?)"
    r"(?!\w))?"
)
_FRENCH = re.compile(
    r"[0-9]{1,4}(?: ?(?:bis|ter|quater))?,? "
    r"(?:rue|avenue|av\.|boulevard|bd|place|chemin|allée|impasse|quai|cours|route)"
    rf"(?: (?:de|du|des|la|le|les|à)){{0,2}} (?:[ld]')?{_NAME}(?:[ -](?:(?:de|du|des|la|le|les) )?{_NAME}){{0,3}}",
)
_GERMAN_ENDS = (
    *("straße ", "strasse ", "str. ", "Straße ", "Strasse ", "Str. ", "weg ", "platz ", "Platz "),
    *("allee ", "Allee ", "gasse ", "ufer ", "damm ", "ring "),
)
_GERMAN = re.compile(
    r"(?<!\w)(?:(?:Am|An der|Im|In der|Zum|Zur|Auf dem) )?"
    rf"(?:[{_CAPITAL}][\w.-]{{0,24}}[ -]){{0,2}}(?![Ss]pring )[{_CAPITAL}]?\w{{0,24}}"
    rf"(?:{'|'.join(map(re.escape, _GERMAN_ENDS))})$"
)
_NORTHERN_ENDS = (
    *(
        "straat ",
        "laan ",
        "gracht ",
        "plein ",
        "kade ",
        "singel ",
        "dijk ",
        "gade ",
        "vej ",
        "gata ",
        "gatan ",
        "gaten ",
    ),
    *(
        "vägen ",
        "veien ",
        "vegen ",
        "gränd ",
        "stræde ",
        "allé ",
        "torget ",
        "plads ",
        "plass ",
        "Vägen ",
        "Gatan ",
        "Allé ",
        "Plads ",
        "Plass ",
        "s gate ",
        "s vei ",
    ),
    *("s väg ", "s vej "),
)
_STREET_ENDINGS = frozenset(end[-4:-1] for end in (*_GERMAN_ENDS, *_NORTHERN_ENDS))
_NORTHERN = re.compile(
    rf"(?<!\w)(?:[{_CAPITAL}][\w.-]{{0,24}}[ -]){{0,3}}(?:(?!Brigade|Renegade)[{_CAPITAL}]\w{{1,24}}"
    r"(?:straat|laan|gracht|plein|kade|singel|dijk|gade|vej|gata|gatan|gaten|vägen|veien|vegen|gränd|stræde|allé|torget"
    rf"|plads|plass)|[{_CAPITAL}]\w{{1,24}} (?:Vägen|Gatan|Allé|Plads|Plass)"
    rf"|[{_CAPITAL}]\w{{1,24}}s (?:gate|vei|väg|vej|gata|plass|plads|allé)) $"
)
"""Dutch, Danish, Norwegian and Swedish streets."""
_SPANISH_CUES = (
    *("calle", "cl/", "c/", "avda", "avenida", "av.", "plaza", "pl.", "pza", "paseo", "p.º", "camino", "carretera"),
    *("ctra", "ronda", "travesía", "rua ", "travessa", "praça", "via ", "viale ", "piazza", "corso "),
)
"""One of them, in lowercase, is part of each word that the next expression begins with."""
_SPANISH = re.compile(
    r"(?<!\w)(?:Calle|Cl?/|Avda\.?|Avenida|Av\.|Plaza|Pl\.|Pza\.?|Paseo|P\.º|Camino|Carretera|Ctra\.?|Ronda|Travesía) ?"
    rf"(?:(?:de|del|la|las|los|el|y) ){{0,3}}(?:{_NAME},? (?:(?:de|del|la|las|los|el|y) ){{0,3}}){{1,4}}"
    r"(?:n[ºo°.]{0,2} ?|núm\. ?)?$"
)
_ROMANCE = re.compile(
    r"(?<!\w)(?:Rua|Travessa|Praça|Avenida|Via|Viale|Piazza|Corso) "
    rf"(?:(?:d[eaoi]s?|del|della|delle|dei|degli) ){{0,2}}(?:(?:d[ao]?|dell)')?"
    rf"(?:{_NAME},? (?:(?:d[eaoi]s?|del|della|e) )?){{1,5}}(?:n[ºo°.]{{0,2}} ?)?$"
)
"""Portuguese and Italian streets."""
_SENTENCE_ENDS = re.compile(r"\w{4,}\. (?:\w+ )?$")
"""A sentence that ends right before "Dr", or a word before, shows it to be a title: "3 drains. Dr. Lee"."""
_AFTER_HOUSE = re.compile(rf"[A-Za-z,/-]| (?:[{_CAPITAL}0-9]|[abcipqrt])")
"""How everything begins that may be after the number of a house with the street behind it."""
_HOUSE = re.compile(r"[0-9]{1,5}+(?: ?[a-zA-Z](?!\w))?(?![\w.][0-9]|,[0-9](?! ?[A-Zºª](?!\w)))")
"""Also a town's code, where a street has no number. A number before a fraction or thousands is not a postcode."""
_FLOOR = re.compile(r",? [0-9]{1,2}[ºª°](?: ?[A-Za-z]{1,4}\.?(?!\w))?")
_LOOK_BACK = 64
_YEAR = re.compile(r"(?:1[89]|20)[0-9]{2}(?![0-9A-Za-z-])")
_WHEN = re.compile(r"(?<!\w)(?:in|since|by|until|of|from|before|after|during) $", re.IGNORECASE)

_AREAS = frozenset(read_words("words_of_addresses.txt")["areas"])
_STATES = (
    "AL|AK|AZ|AR|CA|CO|CT|DE|DC|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ|NM|NY|NC|ND|OH|OK|OR"
    "|PA|PR|RI|SC|SD|TN|TX|UT|VT|VA|WA|WV|WI|WY"
)
_BRITISH = re.compile(r"([A-Z]{1,2})[0-9][0-9A-Z]? ?[0-9][ABD-HJLNP-UW-Z]{2}(?!\w)")
_STATE_BEFORE = re.compile(rf"(?<!\w)(?:{_STATES}),? {{1,2}}$")
_ZIP = re.compile(r"[0-9]{5}(?:-[0-9]{3,4})?(?![\w-])")
_LABEL_BEFORE = re.compile(r"(?<![\w-])CP[.-]?$")
"""The label of a Spanish or French postcode, without a space after it."""
_PREFIX_BEFORE = re.compile(r"(?<![\w-])(?:D|DE|F|FR|E|ES|I|IT|S|SE|FI)-$")
_SHORT_PREFIX_BEFORE = re.compile(r"(?<![\w-])(?:A|AT|B|BE|CH|DK|L|LU|N|NO|NL)-$")
_DUTCH = re.compile(r"[1-9][0-9]{3} ?(?!SA|SD|SS|AD|BC|AM|PM|MG|ML|MM|KG|KM|CM|IU|UI|BP|HZ)[A-Z]{2}(?!\w)")
_PORTUGUESE = re.compile(r"[1-9][0-9]{3}-[0-9]{3}(?![\w-])")
_SWEDISH = re.compile(r"[1-9][0-9]{2} [0-9]{2}(?![\w.,-])")
_NORDIC = re.compile(r"(?!1[89]|20)[0-9]{4}(?![\w.,-])")
"""A year in that place is one: "March 12, 2015 Congress"."""
_HOUSE_BEFORE = re.compile(r"[0-9] ?[A-Za-z]?(?:, ?|,?[ \t]{0,2}\n[ \t]{0,4})$")
_BEFORE_SHORTER = ("-", ",", ", ", "\n", "\n ", "\n\t", "  ")
_DAY_BEFORE = re.compile(r"(?<!\w)(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.? [0-9]{1,2}, ?$")
_TOWN_BEFORE = re.compile(r"(?:^|\n|[0-9][ºª°]?(?: ?[A-Za-z]{1,4})?[,.] ?)[ \t]{0,4}$")
"""Before a town's code stands nothing in its line, or the number of a house."""
_TOWN_AFTER = re.compile(rf" [{_CAPITAL}][a-zà-öø-ÿß]{{2,24}}(?![\w'])")
_WORDS = frozenset(
    (
        *(
            "zip",
            "zip code",
            "zipcode",
            "postcode",
            "postal code",
            "cp",
            "c p",
            "plz",
            "código postal",
            "codigo postal",
            "code postal",
            "cap",
        ),
        *("cep", "postleitzahl", "postnummer", "codice postale", "npa"),
    )
)


def find_addresses(scan: TextScan) -> Iterator[Interval]:
    """Find a house number with its street, "12 Main St, Apt 4", "Calle Mayor, 5, 2º A", and post office boxes."""
    yield from whole_addresses(scan, _streets(scan))
    british = (_british(scan.text, start) for start, _ in scan.runs if scan.text[start - 1 : start].isupper())
    yield from before_postcodes(scan, filter(None, british))
    yield from find_boxes(scan)


def _streets(scan: TextScan) -> Iterator[Interval]:
    text, covered = scan.text, 0
    after_spanish = set(scan.runs_after(_SPANISH_CUES, _LOOK_BACK))
    for run in scan.runs:
        start, end = run
        if start < covered or end - start > 5 or (start and (text[start - 1].isalnum() or text[start - 1] in ".,/-")):
            continue
        found = _house_first(text, start) if _AFTER_HOUSE.match(text, end) else None
        if found is None and (run in after_spanish or _may_end_street(text, start)):
            found = _street_first(text, start, has_cue=run in after_spanish)
        if found:
            covered = found[1]
            yield found


def _may_end_street(text: str, start: int) -> bool:
    """Tell from the three letters before a space whether the name of a street may end before a number."""
    return text[start - 4 : start - 1] in _STREET_ENDINGS


def _house_first(text: str, start: int) -> Interval | None:
    english = _ENGLISH.match(text, start)
    if english and english["street"] == "Dr" and _SENTENCE_ENDS.search(text[start : english.start("street")]):
        english = None
    match = english or _FRENCH.match(text, start)
    if match is None or (_YEAR.match(text, start) and _WHEN.search(text[max(0, start - 8) : start])):
        return None
    return match.span()


def _street_first(text: str, start: int, *, has_cue: bool) -> Interval | None:
    """Return a street with its house; ``has_cue`` states whether a word for a street is before."""
    house = _HOUSE.match(text, start)
    line = text.rfind("\n", 0, start) + 1
    before = text[max(line, start - _LOOK_BACK) : start]
    forms = [_GERMAN] if before.endswith(_GERMAN_ENDS) else []
    forms += [_NORTHERN] if before.endswith(_NORTHERN_ENDS) else []
    forms += [_SPANISH, _ROMANCE] if has_cue else []
    street = next(filter(None, (form.search(before) for form in forms)), None) if house else None
    if house is None or street is None:
        return None
    floor = _FLOOR.match(text, house.end())
    return start - len(before) + street.start(), floor.end() if floor else house.end()


def find_postcodes(scan: TextScan) -> Iterator[Interval]:
    """Find postal codes where a state, a town or a word tells that they are: "NY 10027", "SW1A 1AA", "28013 Madrid"."""
    text, covered = scan.text, 0
    for start, end in scan.runs:
        if start < covered:
            continue
        found = _british(text, start) or (_of_five(text, start, end) if end - start == 5 else None)
        if found is None and 2 < end - start < 5 and text.endswith(_BEFORE_SHORTER, 0, start):
            found = _shorter(text, start, end)
        if found:
            covered = found[1]
            yield found


def _british(text: str, digits: int) -> Interval | None:
    start = digits
    while start > max(0, digits - 3) and "A" <= text[start - 1] <= "Z":
        start -= 1
    match = _BRITISH.match(text, start) if 0 < digits - start < 3 and not _follows_word(text, start) else None
    return match.span() if match and match[1] in _AREAS else None


def _follows_word(text: str, start: int) -> bool:
    return start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_-")


def _of_five(text: str, start: int, end: int) -> Interval | None:
    if end - start != 5:
        return None
    before = text[max(0, start - 8) : start]
    if (label := _LABEL_BEFORE.search(before)) and not text[end : end + 1].isalnum():
        return start - (label.end() - label.start()), end
    if before[-1:].isalnum():
        return None
    match = _ZIP.match(text, start)
    if match and (_STATE_BEFORE.search(before) or is_introduced(text, start, _WORDS)):
        return match.span()
    if prefix := _PREFIX_BEFORE.search(before):
        return start - (prefix.end() - prefix.start()), end
    has_town = _TOWN_AFTER.match(text, end) is not None and _TOWN_BEFORE.search(_line_before(text, start)) is not None
    return (start, end) if has_town else None


def _shorter(text: str, start: int, end: int) -> Interval | None:
    """Return a code that begins with three or four digits, behind the house in the line or in the one before."""
    before = text[max(0, start - 8) : start]
    if end - start == 4 and (prefix := _SHORT_PREFIX_BEFORE.search(before)):
        return start - (prefix.end() - prefix.start()), end
    forms = (_DUTCH, _PORTUGUESE, _NORDIC) if end - start == 4 else (_SWEDISH,)
    found = next(filter(None, (form.match(text, start) for form in forms)), None)
    if found is None or not _HOUSE_BEFORE.search(before) or not _TOWN_AFTER.match(text, found.end()):
        return None
    return None if _DAY_BEFORE.search(text[max(0, start - 18) : start]) else found.span()


def _line_before(text: str, start: int) -> str:
    """Return the end of the line before an offset; a line that is longer than that does not begin there."""
    before = text[max(0, start - 16) : start]
    return before if start <= 16 or "\n" in before else f".{before}"


# Post office boxes of the US, the UK, Spain, Latin America, Germany and France.


_CUES = ("box", "pob", "p.o.b", "apartado", "apdo", "casilla", "postfach", "postale")
"""One of them, in lowercase, is part of each word that the next expressions end with."""
_BOX_LOOK_BACK = 32
_NUMBERED = r"(?:,? ?(?:n\.?[ºo°.]|no\.?|nr\.?|num\.?|núm\.?|#))?[ :]{0,2}$"
_BOX = re.compile(
    r"(?<!\w)(?:(?:P\.? ?O\.?|G\.?P\.?O\.?|Post(?:al)? Office) ?Box|P\.?O\.?B\.?"
    r"|Ap(?:ar)?t?a?do\.?(?: de)? ?(?:correos|postal)|Casilla(?: de)? (?:correos?|postal)|Bo[iî]te postale"
    rf"){_NUMBERED}",
    re.IGNORECASE,
)
_GERMAN_BOX = re.compile(rf"(?<!\w)Postfach{_NUMBERED}", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,7}(?:-[0-9]{1,4}|[A-Z])?(?!\w)(?![.,/-][0-9])")
_NUMBER_IN_PAIRS = re.compile(r"[0-9]{1,7}(?: [0-9]{2}(?![0-9])){0,3}(?!\w)(?![.,/-][0-9])")
_FRENCH_BOX = re.compile(
    r"(?:BP|B\.P\.|CS) ?(?:n[°º] ?)?[0-9]{1,6}(?=[ ,]{0,2}(?:-|\n)? ?(?:F-)?[0-9]{5} [A-ZÀ-ÖØ-Þ][\w'-]{1,24})"
)
"""A blood pressure is written with the same letters: what shows is the town's code after it."""
_FRENCH_MARKS = ("BP", "B.P.", "CS")


def find_boxes(scan: TextScan) -> Iterator[Interval]:
    """Find post office boxes: "P.O. Box 123", "Apartado de Correos 123", "Postfach 12 34", "BP 123, 75001 Paris"."""
    text = scan.text
    for start, _ in scan.runs_after(_CUES, _BOX_LOOK_BACK):
        begin = max(0, start - _BOX_LOOK_BACK)
        before = text[begin:start]
        german = _GERMAN_BOX.search(before)
        box = german or _BOX.search(before)
        if box and (number := (_NUMBER_IN_PAIRS if german else _NUMBER).match(text, start)):
            yield begin + box.start(), number.end()
    for mark in _FRENCH_MARKS:
        place = text.find(mark)
        while place >= 0:
            match = _FRENCH_BOX.match(text, place)
            if match and not (place and text[place - 1].isalnum()):
                yield match.span()
            place = text.find(mark, place + 1)

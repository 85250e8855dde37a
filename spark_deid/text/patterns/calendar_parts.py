"""Parts of a calendar: seasons, quarters, weeks and days of a year, years in words, days in short.

Words with other meanings ("fall", "sat", "spring") count only next to a year or a word that leads to a time.
"""

import re
from collections.abc import Iterator

from spark_deid.text.patterns.scan import Interval, TextScan

_YEAR = r"(?:1[89]|20)[0-9]{2}"
_SHORT_YEAR = rf"(?:{_YEAR}|'[0-9]{{2}})(?!\w)"
_OF_YEAR = rf"(?:,? ?(?:of |in |de |del |von |van |do |da )?(?:the year )?{_SHORT_YEAR})"

_SURE_SEASONS = (
    "spring|summer|autumn|winter|fall|primavera|verano|oto[ñn]o|invierno|printemps|automne|hiver|fr[üu]hling"
    "|fr[üu]hjahr|sommer|herbst|estate|autunno|inverno|ver[ãa]o|outono|lente|voorjaar|zomer|herfst|[ée]t[ée]"
)
_SEASONS = rf"(?:{_SURE_SEASONS})(?: ?[/-] ?(?:{_SURE_SEASONS})| (?:and|or|to) (?:{_SURE_SEASONS}))?"
_WHEN = (
    "in|during|since|by|until|till?|before|after|last|this|next|early|mid|late|past|previous|following|every|each|over"
    "|throughout|through|(?:end|beginning|middle|start|rest|most) of"
)
_SEASON_OF_YEAR = re.compile(rf"(?<!\w)(?:{_SEASONS})(?: (?:semester|term|quarter))?{_OF_YEAR}", re.IGNORECASE)
_SEASON = re.compile(
    rf"(?<!\w)(?:(?:{_WHEN})[ -](?:the )?(?P<en>spring|summer|autumn|winter)s?(?!\w)(?! (?:squash|onions?|rolls?|water"
    r"|coats?|jackets?|mattress|chickens?|loaded|mechanism|constant))"
    r"|(?:(?:in|early in|late in|until|by|through) the |(?:early|mid|late|every|each|next) )(?P<fall>fall)(?!\w)"
    r"|(?<!his )(?<!her )(?<!the )(?<!my )(?<!your )(?<!their )(?<!'s )(?:last|this|previous|past) (?P<last>fall)(?!\w)"
    r"|(?:en|durante|desde|hasta|este|esta|pasad[oa]|pr[óo]xim[oa])(?: el| la)? (?P<es>primavera|verano|oto[ñn]o"
    r"|invierno)(?!\w)"
    r"|(?:au|cet|cette|en|depuis|pendant|durant)(?: l'| le)? ?(?P<fr>printemps|automne|hiver)(?!\w)"
    r"|(?:cet|l'|en|d') ?(?P<ete>été)(?!\w)"
    r"|(?:im|seit|letzte[nrs]?|diese[nrsm]?|n[äa]chste[nrs]?|kommende[nrs]?|vergangene[nrs]?)(?: dem)? "
    r"(?P<de>fr[üu]hling|fr[üu]hjahr|sommer|herbst|winter)(?!\w)"
    r"|(?:in|nella|nell'|dell'|della|quest[ao]|quest'|scors[ao]|prossim[ao]) ?(?P<it>autunno|inverno)(?!\w)"
    r"|(?:no|na|neste|nesta|[úu]ltim[oa]|desde [oa]|pr[óo]xim[oa]) (?P<pt>ver[ãa]o|outono|inverno)(?!\w)"
    r"|(?:in de|deze|afgelopen|vorige|volgende|sinds de) (?P<nl>lente|voorjaar|zomer|herfst|winter)(?!\w))",
    re.IGNORECASE,
)
_OF_ACCIDENTS = re.compile(
    r" (?:was|is|were|had|has|caused|resulted|occurred|happen(?:ed)?|from|onto|off|out|down|risk|when|where|which|that"
    r"|she|he|injur\w*|precautions|on|at|with|without)(?!\w)",
    re.IGNORECASE,
)
_ACCIDENT = re.compile(
    r"(?:injur|hurt|bro[kc]|fractur|hit|struck|sustain|twist|sprain|involv|suffer|land|tore|disloc|damag|bruis)",
    re.IGNORECASE,
)
"""Words next to "fall" if it is an accident."""
_SEASON_CUES = (
    *("spring", "summer", "autumn", "winter", "fall", "primavera", "verano", "oto", "invierno", "printemps", "automne"),
    *("hiver", "hling", "hjahr", "sommer", "herbst", "estate", "autunno", "inverno", "verão", "verao", "outono"),
    *("lente", "voorjaar", "zomer", "herfst", "été"),
)

_NO_DOSE = r"(?!\w|[ -]?(?:h|hr|hrs|hour|hours|min|minutes|days?|weeks?|months?|prn|x)(?!\w)|[.:][0-9])"
_QUARTER = re.compile(
    rf"(?<![\w'/.-])(?:(?:[QH][1-4]|[1-4]Q)(?: ?[-–/&] ?(?:[QH][1-4]|[1-4]Q))?[ ,/-]{{0,2}}(?:of )?(?:FY ?)?"
    rf"(?:{_YEAR}|'?[0-9]{{2}})(?![\w.%])|{_YEAR}[ /-]?[QH][1-4](?!\w)"
    rf"|(?<=in )Q[1-4]{_NO_DOSE}|(?<=by )Q[1-4]{_NO_DOSE}|(?<=since )Q[1-4]{_NO_DOSE}|(?<=during )Q[1-4]{_NO_DOSE}"
    rf"|(?<=until )Q[1-4]{_NO_DOSE}|(?<=of )Q[1-4]{_NO_DOSE}|(?<=early )Q[1-4]{_NO_DOSE}|(?<=late )Q[1-4]{_NO_DOSE}"
    rf"|(?<=last )Q[1-4]{_NO_DOSE}|(?<=this )Q[1-4]{_NO_DOSE}|(?<=next )Q[1-4]{_NO_DOSE})"
)
_QUARTER_IN_WORDS = re.compile(
    r"(?<!\w)(?:(?:first|second|third|fourth|last|1st|2nd|3rd|4th) (?:(?:fiscal|calendar) )?(?:quarter|half)"
    r"|(?:[1-4](?:\.|er|e|º|°)?|premier|deuxi[èe]me|troisi[èe]me|quatri[èe]me|primer|segundo|tercer|cuarto|primo|secondo|terzo"
    r"|quarto|primeiro|terceiro|erstes|zweites|drittes|viertes|ersten|zweiten|dritten|vierten|eerste|tweede|derde|vierde)"
    rf" ?(?:quartals?|trimestre|semestre|kwartaal|halbjahr)){_OF_YEAR}",
    re.IGNORECASE,
)

_WEEK_NAME = r"(?:week|wk|semaine|semana|settimana|woche|kalenderwoche|CW|KW)"
_WEEK = re.compile(
    rf"(?<![\w.,-])(?:{_YEAR}-?W[0-5]?[0-9](?:-?[1-7])?|W[0-5][0-9](?:-[1-7])?[ /-]{_YEAR}"
    rf"|{_WEEK_NAME}\.? ?(?:no\.? ?|nr\.? ?|#)?[0-5]?[0-9](?:\.|th|nd|rd|st)?"
    rf"(?:,? ?(?:of|de|del|in|/) ?{_YEAR}|[ /]{_YEAR})"
    r"|(?:(?:calendar|ISO|MMWR|epi|epidemiological) (?:week|wk)\.?|kalenderwoche) ?(?:no\.? ?|#)?[0-5]?[0-9]"
    rf"|(?:day|dia|d[íi]a|jour|tag|dag) [0-9]{{1,3}} (?:of|de|von|van|/) ?{_YEAR}"
    r")(?![\w/-]|[.,][0-9])",
    re.IGNORECASE,
)
_SHORT_WEEK = re.compile(
    r"(?<![\w.,-])(?:(?:CW|KW) ?(?:no\.? ?|#)?[0-5]?[0-9]"
    rf"|{_YEAR}-(?:[0-2][0-9]{{2}}|3[0-6][0-9]))(?![\w/-]|[.,][0-9])",
    re.IGNORECASE,
)
"""A week or a day of a year that may be another number."""
_ODD_YEAR = re.compile(
    rf"(?<![\w/.,-])[1-9]/{_YEAR}(?![\w/-]|[.,][0-9])|(?<![\w/.,$#-]){_YEAR}(?:/{_YEAR}|[/-][0-9]{{2}})(?![\w/-]|[.,][0-9])"
    rf"|(?<!\w)(?:FY|SY|AY) ?'?(?:{_YEAR}|[0-9]{{2}})(?![\w-])|(?<!\w)class of [0-9]{{2}}(?![\w.%])"
    rf"|(?<!\w)(?:b|c|ca|d|geb|nac|nasc|nat|n[ée]e?|est|fl|\*)\. ?{_YEAR}(?![\w-])"
)
_SMALL, _TEENS = (
    "one|two|three|four|five|six|seven|eight|nine",
    "ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen",
)
_BELOW_100 = rf"(?:(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:[ -](?:{_SMALL}))?|{_TEENS}|(?:oh|o)[ -](?:{_SMALL}))"
_YEAR_IN_WORDS = re.compile(
    rf"(?<![\w-])(?:nineteen[ -](?:hundred(?: and)? )?{_BELOW_100}"
    rf"|(?:(?<=in )|(?<=since )|(?<=of )|(?<=by )|(?<=until )|(?<=from )|(?<=during ))(?:two thousand(?: and)?"
    rf"(?:[ -](?:{_BELOW_100}|{_SMALL}))?"
    rf"|twenty[ -](?:(?:twen|thir)ty(?:[ -](?:{_SMALL}))?|{_TEENS}|(?:oh|o)[ -](?:{_SMALL}))))"
    r"(?![\w-])",
    re.IGNORECASE,
)

_SHORT_DAYS = "Mon|Tues?|Weds?|Thurs?|Thu|Fri|Sat|Sun"
_SHORT_DAY = re.compile(
    rf"(?<![\w'-])(?:Weds?(?![\w'-])"
    rf"|(?:{_SHORT_DAYS})\.?(?: ?[-/&,] ?| (?:and|or|to|thru|through) )(?:{_SHORT_DAYS})"
    rf"(?:(?: ?[-/&,] ?)(?:{_SHORT_DAYS}))*(?!\w)"
    r"|MWF(?!\w)|M/W/F(?!\w)|T/Th/Sa?(?!\w)|TThSa?(?!\w)"
    r"|(?:Sat|Sun)(?=\.? ?(?:at |@ ?)?(?:[01]?[0-9](?::[0-5][0-9])? ?[AaPp]\.?[Mm]\b"
    r"|morning|afternoon|evening|night|AM\b|PM\b))"
    r"|(?:(?<=[Oo]n )|(?<=[Ll]ast )|(?<=[Nn]ext )|(?<=[Ee]very )|(?<=[Ee]ach )|(?<=[Uu]ntil )|(?<=[Bb]y ))(?:Sat|Sun)s?"
    r"(?![\w%]| ?[0-9=<>%]| (?:monitor|probe|room)))"
)
_SMALL_DAY = re.compile(
    r"(?:(?<=\bon )|(?<=last )|(?<=next )|(?<=every )|(?<=since )|(?<=until )|(?<=this ))"
    r"(?:mon|tues?|weds?|thurs?|thu|fri)(?![\w'-])"
)
_MONTH = re.compile(r"(?<![\w'-])(?:January|February|July|September|October|November|December)(?![\w'-])")
_CAPITAL_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "MWF", "M/W/F", "T/Th", "TTh")
_SMALL_DAY_CUES = (" mon", " tue", " wed", " thu", " fri")
_CAPITAL_MONTHS = ("Janu", "Febr", "July", "Sept", "Octo", "Nove", "Dece")
_QUARTERS = ("Q1", "Q2", "Q3", "Q4", "H1", "H2", "H3", "H4", "1Q", "2Q", "3Q", "4Q")
_WORD_CUES = ("quart", "trimestre", "semestre", "kwartaal", "halbjahr", " half of", " half ")
_WEEK_CUES = ("calendar w", "iso w", "mmwr w", "epi w", "epidemiological w", "kalenderwoche")
_SHORT_WEEK_CUES = ("cw", "kw")
_ODD_CUES = ("FY", "SY", "AY", "class of ")
_YEAR_CUES = ("nineteen", "two thousand", "twenty")
_LOOK_BACK = 40
_WEEK_BACK, _WEEK_NUMBER = 32, 7
_WEEK_WORDS = ("week", "wk", "sem", "settimana", "woche", "cw", "kw", "day", "dia", "día", "jour", "tag", "dag")
_WEEKDAY_WORD = re.compile(
    rf"(?:{_SHORT_DAYS}|MWF|M/W/F|T/Th/Sa?|TThSa?)(?:s|\.)?"
    rf"(?:[-/&, ]+(?:and|or|to|thru|through)?[-/&, ]*(?:{_SHORT_DAYS})\.?)*",
    re.IGNORECASE,
)


def find_weeks(scan: TextScan) -> Iterator[Interval]:
    """Find weeks and days of a year: "2014-W32-4", "week 32 of 2014", "ISO week 32", "day 202 of 2014"."""
    text = scan.text
    years = [
        start for start, end in scan.runs if end - start == 4 and text[start] in "12" and _may_be_week(text, start)
    ]
    found = (*scan.matches_at(years, _WEEK, _WEEK_BACK, 12), *scan.matches_near(_WEEK_CUES, _WEEK, 0, 40))
    return (match.span() for match in found)


def _may_be_week(text: str, year: int) -> bool:
    """Return whether a year may be that of a week or a day: "2014-W32", "week 32 of 2014"."""
    if text[year + 4 : year + 6].removeprefix("-")[:1] in ("W", "w"):
        return True
    before = text[max(0, year - _WEEK_BACK) : year].lower()
    return "w" in before[-_WEEK_NUMBER:] or any(word in before for word in _WEEK_WORDS)


def find_calendar_parts(scan: TextScan) -> Iterator[Interval]:
    """Find seasons, quarters, weeks and days of a year, years of a school or a treasury, and short names of days.

    Durations ("3 weeks", "week 12") and "fall", "spring", "sat", "sun", "q4h" as other words remain.
    """
    text = scan.text
    years = [start for start, end in scan.runs if end - start == 4 and text[start] in "12"]
    found = [
        *scan.matches_near(_SEASON_CUES, _SEASON_OF_YEAR, 24, 60),
        *_seasons(scan),
        *scan.matches_at(scan.places_as_written(_QUARTERS), _QUARTER, 6, 24),
        *scan.matches_near(_WORD_CUES, _QUARTER_IN_WORDS, 24, 48),
        *scan.matches_at([year for year in years if text[year + 4 : year + 5] == "-"], _SHORT_WEEK, 0, 12),
        *scan.matches_near(_SHORT_WEEK_CUES, _SHORT_WEEK, 0, 40),
        *scan.matches_at([year for year in years if _may_be_odd(text, year)], _ODD_YEAR, 8, 12),
        *scan.matches_at(scan.places_as_written(_ODD_CUES), _ODD_YEAR, 0, 16),
        *scan.matches_near(_YEAR_CUES, _YEAR_IN_WORDS, 0, 48),
        *scan.matches_at(scan.places_as_written(_CAPITAL_MONTHS), _MONTH, 0, 12),
        *scan.matches_at(scan.places_as_written(_CAPITAL_DAYS), _SHORT_DAY, 8, 40),
        *scan.matches_near(_SMALL_DAY_CUES, _SMALL_DAY, 0, 10),
    ]
    return (match.span(match.lastgroup or 0) for match in found)


def is_short_day(text: str) -> bool:
    """Return whether a text has short names of days only.

    >>> is_short_day("Mon-Fri"), is_short_day("Wed"), is_short_day("2014")
    (True, True, False)
    """
    return _WEEKDAY_WORD.fullmatch(text) is not None


def _may_be_odd(text: str, year: int) -> bool:
    """Return whether signs next to a year may make it a school year, a range or a year of birth."""
    before = text[max(0, year - 2) : year]
    return text[year + 4 : year + 5] in ("/", "-") or before[-1:] in ("/", ".") or before == ". "


def _seasons(scan: TextScan) -> Iterator[re.Match[str]]:
    for match in scan.matches_near(_SEASON_CUES, _SEASON, 24, 48):
        name = match.lastgroup
        if name in ("fall", "last") and _OF_ACCIDENTS.match(scan.text, match.end()):
            continue
        if name == "fall" and _ACCIDENT.search(scan.text, max(0, match.start() - _LOOK_BACK), match.start()):
            continue
        yield match

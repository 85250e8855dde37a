"""Phrases that a reader understands without the manual, for numbers, reasons and assumptions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from markupsafe import Markup, escape

REASONS: Mapping[str, str] = MappingProxyType(
    {
        "invalid-utf8": "not valid UTF-8",
        "nul": "holds a NUL byte",
        "empty": "has no text",
        "duplicate-id": "another document has the same id",
        "bad-annotation": "an annotation does not fit its text",
        "malformed": "not written as its format asks",
        "no-text": "annotations without their text",
        "not-text": "RTF, PDF, DOCX or an HTML page",
        "no-id": "has no id",
        "unreadable": "could not be read or unpacked",
        "outside": "a link that leads out of the input",
        "unsafe-id": "its id can't be a file name",
    }
)

_UNITS = MappingProxyType({"subject": "person", "document": "document", "occurrence": "place"})


def number(value: float) -> str:
    """Write an integer.

    >>> number(1234567)
    '1,234,567'
    """
    return f"{value:,.0f}"


def percent(ratio: float) -> str:
    """Write a share with one digit, but never round it up to all or down to nothing.

    >>> [percent(ratio) for ratio in (1, 0.9999, 0.886, 0.00001, 0)]
    ['100%', '>99.9%', '88.6%', '<0.1%', '0%']
    """
    if ratio in (0, 1):
        return f"{ratio:.0%}"
    if ratio >= 0.9995:
        return ">99.9%"
    return "<0.1%" if ratio < 0.0005 else f"{ratio:.1%}"


def break_label(label: str) -> Markup:
    """Let a long label break after its underscores, in HTML.

    >>> break_label("NAME_OF_<X>")
    Markup('NAME_<wbr>OF_<wbr>&lt;X&gt;')
    """
    return escape(label).replace("_", Markup("_<wbr>"))


def score(ratio: float) -> str:
    """Write a score of evaluation; only a perfect one reads 1.

    >>> [score(ratio) for ratio in (1, 0.99999, 0.97251)]
    ['1.0000', '0.9999', '0.9725']
    """
    return f"{min(ratio, 0.9999) if ratio < 1 else ratio:.4f}"


def list_words(words: Sequence[str]) -> str:
    """Write words as a list in a sentence.

    >>> list_words(["ages"]), list_words(["names", "places", "ages"])
    ('ages', 'names, places and ages')
    """
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def duration(seconds: float) -> str:
    """Write a time.

    >>> [duration(seconds) for seconds in (0.034, 12.34, 754, 7384)]
    ['0.03 s', '12.3 s', '12 min 34 s', '2 h 3 min']
    """
    if seconds < 10:
        return f"{seconds:.2f} s"
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, remainder = divmod(round(seconds), 60)
    return f"{minutes} min {remainder} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def assumptions(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """State what the counts of a release rest on."""
    return (
        *_units(manifest),
        "The publish ratio is the fraction of the original word tokens that no edit changes. A perfect "
        "detector does not reach 100%, because identifiers are words as well.",
        *_edited(manifest),
        *_table(manifest),
        "No detector finds everything. An evaluation measures the annotated text. Other text may differ.",
    )


def _units(manifest: Mapping[str, Any]) -> Iterator[str]:
    """State what claims count, and of how many documents the person is known."""
    claims = {each["guarantee"]: each["counts_by"] for each in manifest["assessments"] if "counts_by" in each}
    for guarantee, unit in claims.items():
        yield f"{guarantee.replace('-', ' ').capitalize()}: counted by {_UNITS[unit]}."
    documents, named, people = (manifest.get(name, 0) for name in ("documents", "documents_with_subject", "persons"))
    if not named:
        yield (
            "The input does not name the person of a document, so several documents about one person count "
            "as several people."
        )
    elif named < documents or people < named:
        others = ". In counts of people, the other documents count as one person together" if named < documents else ""
        known = f"{number(people)} person{'s' if people != 1 else ''}"
        yield f"{number(named)} of {number(documents)} documents name {known}{others}."
    if named and not claims:
        yield "All counts are of documents. No count is of people."


def _table(manifest: Mapping[str, Any]) -> Iterator[str]:
    """State what is next to the texts."""
    if table := manifest.get("table"):
        sensitive = f", with {', '.join(table['sensitive'])} unchanged" if table["sensitive"] else ""
        yield (
            f"The release also has a table of {number(table['rows'])} people. It shows the same "
            f"{', '.join(table['quasi'])} as the texts{sensitive}. It does not identify the person of a row."
        )


def _edited(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Name the detectors whose spans were edited, and those whose spans were not."""
    plan = manifest["plan"]
    edited, unedited = (", ".join(plan.get(name, ())) for name in ("sources", "unedited"))
    staying = ", ".join(label for label, technique in plan.get("rules", {}).items() if technique == "keep")
    but = f", except {staying}, which the plan keeps unless another span overlaps" if staying else ""
    yield (
        f"Every character of the spans of {edited} was replaced{but}. A separate count confirmed it. All "
        "other text is published unchanged."
    )
    if unedited:
        yield f"Spans of {unedited} were not edited. Text with only such spans is published unchanged."


# What labels mean in plain words, as far as they are usual ones.


_LABELS: Final = {
    "names of persons": (
        "NAME PER PERSON PATIENT DOCTOR RELATIVE NOMBRE_SUJETO_ASISTENCIA NOMBRE_PERSONAL_SANITARIO "
        "FAMILIARES_SUJETO_ASISTENCIA"
    ),
    "places": "LOCATION LOC GPE PLACE CITY STATE COUNTRY TERRITORIO PAIS",
    "organizations": "ORGANIZATION ORG COMPANY HOSPITAL INSTITUCION CENTRO_SALUD",
    "street addresses": "ADDRESS STREET CALLE",
    "postal codes": "POSTCODE ZIP",
    "dates": "DATE BIRTHDATE FECHAS",
    "ages": "AGE EDAD_SUJETO_ASISTENCIA",
    "telephone numbers": "PHONE FAX NUMERO_TELEFONO NUMERO_FAX",
    "e-mail addresses": "EMAIL CORREO_ELECTRONICO",
    "web addresses": "URL URL_WEB",
    "IP addresses": "IP IPADDR DIREC_PROT_INTERNET",
    "MAC addresses": "MAC",
    "social security numbers": "SSN",
    "payment card numbers": "CARD",
    "account numbers": "IBAN ACCOUNT",
    "vehicle plates": "PLATE IDENTIF_VEHICULOS_NRSERIE_PLACAS",
    "record numbers and other codes": (
        "CODE ID MRN MEDICALRECORD IDNUM ID_SUJETO_ASISTENCIA ID_CONTACTO_ASISTENCIAL ID_ASEGURAMIENTO "
        "ID_TITULACION_PERSONAL_SANITARIO ID_EMPLEO_PERSONAL_SANITARIO"
    ),
    "names of accounts": "HANDLE",
    "occupations": "OCCUPATION PROFESSION PROFESION",
    "genders": "GENDER SEXO_SUJETO_ASISTENCIA",
    "terms of an ontology": "TERM",
    "text that few share": "RARE",
}
FAMILIES = MappingProxyType({label: words for words, labels in _LABELS.items() for label in labels.split()})
"""The plain words of each label: those of patterns, of shipped models and of well-known corpora."""


def in_words(labels: Iterable[str]) -> tuple[str, ...]:
    """State what labels mean, each meaning once, in a fixed order; labels of no known meaning are omitted.

    >>> in_words(["EMAIL", "PATIENT", "DOCTOR", "WARD"])
    ('names of persons', 'e-mail addresses')
    """
    families = {FAMILIES[label] for label in labels if label in FAMILIES}
    return tuple(words for words in _LABELS if words in families)


def without_words(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the labels of no known meaning, sorted.

    >>> without_words(["WARD", "EMAIL", "BED"])
    ('BED', 'WARD')
    """
    return tuple(sorted({label for label in labels if label not in FAMILIES}))

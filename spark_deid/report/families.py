"""What labels mean in plain words, as far as they are usual ones."""

from collections.abc import Iterable
from types import MappingProxyType
from typing import Final

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
    """Say what labels mean, each meaning once, in a fixed order; labels of no known meaning are left out.

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

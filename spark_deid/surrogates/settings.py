"""Options of the rules ``surrogate``, ``shift`` and ``pseudonym``, and what a plan says of labels for them."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from pydantic import Field, field_validator

from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import PlanSection, PlanView
from spark_deid.core.labels import NAME_LABELS
from spark_deid.surrogates.lists import highest_ratio
from spark_deid.surrogates.offsets import MOST, check_offsets
from spark_deid.values.date_words import locale_named
from spark_deid.values.locale import ValueLocale

SURROGATE, SHIFT, PSEUDONYM = "surrogate", "shift", "pseudonym"
Scope = Literal["subject", "document"]
DAYS = 365
"""The most days by which dates move where a plan is silent."""
_GENDER, _PLACES = "gender", frozenset(("place", "postcode", "address", "street"))


class SurrogateSettings(PlanSection):
    """Names, places, numbers and similar values become others of their kind, in the form in which they were written.

    ``scope`` is where equal values have equal surrogates: all documents of a person, or each document. ``as`` says what
    the label tells, where its name does not. ``lists`` is a folder of lists of one's own, ``ranges: reserved`` takes
    numbers and addresses that are nobody's, and ``continue`` a workspace whose surrogates stay. ``places: state`` draws
    cities of the same state or province, where the package's lists tell it.
    """

    scope: Scope = "subject"
    as_: str | None = Field(default=None, alias="as")
    lists: str | None = None
    ranges: Literal["shape", "reserved"] = "shape"
    places: Literal["country", "state"] = "country"
    locale: str | None = None
    continue_: str | None = Field(default=None, alias="continue")

    @field_validator("as_")
    @classmethod
    def _known(cls, name: str | None) -> str | None:
        if name is not None and kind_of_attribute(name) is None:
            raise ValueError(f"expected one of {', '.join(KINDS)}, got {name!r}")
        return name

    @field_validator("lists")
    @classmethod
    def _readable(cls, folder: str | None) -> str | None:
        if folder is not None:
            _checked(lambda: highest_ratio(folder))
        return folder

    @field_validator("continue_")
    @classmethod
    def _kept(cls, workspace: str | None) -> str | None:
        place = Path(workspace or ".")
        if workspace is not None and not ((place / "surrogates").is_dir() and (place / "manifest.json").is_file()):
            raise ValueError(f"expected the workspace of a run with surrogates that released, got {workspace!r}")
        return workspace

    @field_validator("locale")
    @classmethod
    def _written(cls, name: str | None) -> str | None:
        return _checked_locale(name)


class ShiftSettings(PlanSection):
    """Dates move by one number of days a person, or a document where no person is known, up to ``days`` either way.

    ``keep: weekday`` takes whole weeks. ``offsets`` is a table of one's own (CSV with the head subject_id,days), which
    then alone says by how many days each person's dates move; those of persons that it lacks are suppressed.
    With ``scope: document``, the dates of each document move by a separate number of days.
    """

    scope: Literal["subject", "document"] = "subject"
    days: int = Field(default=DAYS, ge=1, le=MOST)
    keep: Literal["weekday"] | None = None
    locale: str | None = None
    offsets: str | None = None

    @field_validator("keep")
    @classmethod
    def _whole_weeks(cls, keep: Literal["weekday"] | None, info: Any) -> Literal["weekday"] | None:
        if keep is not None and info.data.get("days", 7) < 7:
            raise ValueError("expected days of at least 7 to keep days of the week")
        return keep

    @field_validator("locale")
    @classmethod
    def _written(cls, name: str | None) -> str | None:
        return _checked_locale(name)

    @field_validator("offsets")
    @classmethod
    def _readable(cls, path: str | None, info: Any) -> str | None:
        if path is not None:
            if info.data.get("days", DAYS) != DAYS:
                raise ValueError("offsets: the table has the number of days. Remove days")
            if info.data.get("scope") == "document":
                raise ValueError("a table has the days of people: expected scope: subject, got document")
            _checked(lambda: check_offsets(path, whole_weeks=info.data.get("keep") is not None))
        return path

    @property
    def furthest(self) -> int:
        """Return the most days by which a date may move."""
        return self.days if self.offsets is None else check_offsets(self.offsets, whole_weeks=False)


class PseudonymSettings(PlanSection):
    """Each value becomes a numbered placeholder, such as [NAME 1], within a person's documents or each document."""

    scope: Scope = "document"


def locale_of_rule(given: str | None, plan: PlanView) -> ValueLocale:
    """Return the locale of a rule: its own, else that of the plan's persons, else American English."""
    keys = plan.sections.get("identity")
    if given is not None:
        return locale_named(given)
    place: ValueLocale = ValueLocale() if keys is None else keys.identity.place
    return place


def kind_of_label(label: str, settings: SurrogateSettings, plan: PlanView) -> str | None:
    """Return what a label tells: what the rule says, else the plan's attribute of it, else by the label's name."""
    if settings.as_ is not None:
        return kind_of_attribute(settings.as_)
    keys = plan.sections.get("identity")
    attributes: Mapping[str, str] = {} if keys is None else keys.identity.attributes
    if label in attributes:
        return kind_of_attribute(attributes[label])
    return BY_LABEL.get(label.upper())


def labels_of_kind(kind: str, surrogates: Mapping[str, SurrogateSettings], plan: PlanView) -> frozenset[str]:
    """Return the labels with surrogates that tell values of a kind, those under ``*`` by their names."""
    own = {label for label, each in surrogates.items() if kind_of_label(label, each, plan) == kind}
    others = {label for label, known in BY_LABEL.items() if known == kind and label not in plan.rules_by_label}
    return frozenset(own | others) if "*" in surrogates else frozenset(own)


def keeps_gender(plan: PlanView) -> bool:
    """Tell whether given names may keep their gender: not where it is a quasi-identifier, or hidden, in the view."""
    return _GENDER not in _kinds_in_view(plan).values()


def keeps_regions(plan: PlanView) -> bool:
    """Tell whether cities may stay in their state: not where a place is a quasi-identifier, or hidden, in the view."""
    return not any(kind_of_attribute(each) in _PLACES for pair in _kinds_in_view(plan).items() for each in pair)


def _kinds_in_view(plan: PlanView) -> dict[str, str]:
    """Return the kinds of the quasi-identifiers and sensitive attributes of the plan's view, by name."""
    keys = plan.sections.get("identity")
    if keys is None:
        return {}
    return {name: keys.identity.kind(name) for name in (*keys.identity.roles.quasi, *keys.identity.roles.sensitive)}


def _checked_locale(name: str | None) -> str | None:
    if name is not None:
        _checked(lambda: locale_named(name))
    return name


def _checked(check: Any) -> None:
    try:
        check()
    except UsageError as error:
        raise ValueError(str(error)) from None


# Kinds of values of a label's mentions, by the names of labels and attributes.


KINDS = (
    *("name", "username", "place", "organization", "hospital", "street", "address", "phone", "email", "url", "ip"),
    *("mac", "postcode", "age", "code", "ssn", "card", "iban", "date"),
)
"""The kinds of values that have surrogates; dates are shifted."""
_LABELS = {
    "name": " ".join(sorted(NAME_LABELS)),
    "username": "USERNAME USER LOGIN HANDLE",
    "place": "CITY TOWN STATE PROVINCE COUNTY REGION LOC LOCATION PLACE GPE TERRITORIO",
    "organization": "ORG ORGANIZATION COMPANY EMPLOYER INSTITUCION",
    "hospital": "HOSPITAL CLINIC DEPARTMENT CENTRO_SALUD",
    "street": "STREET CALLE",
    "address": "ADDRESS",
    "phone": "PHONE FAX PAGER TELEPHONE MOBILE NUMERO_TELEFONO NUMERO_FAX",
    "email": "EMAIL MAIL CORREO_ELECTRONICO",
    "url": "URL URL_WEB WEB",
    "ip": "IP IPADDR IP_ADDRESS IPADDRESS",
    "mac": "MAC MACADDR MAC_ADDRESS",
    "postcode": "ZIP ZIPCODE ZIP_CODE POSTCODE POSTAL_CODE",
    "age": "AGE EDAD_SUJETO_ASISTENCIA",
    "code": "ID IDNUM MRN MEDICALRECORD RECORD_NO CODE ACCOUNT LICENSE LICENSE_PLATE PLATE VEHICLE DEVICE NHS DNI NIE"
    " BSN BIOID HEALTHPLAN SERIAL ID_SUJETO_ASISTENCIA ID_CONTACTO_ASISTENCIAL ID_ASEGURAMIENTO"
    " ID_TITULACION_PERSONAL_SANITARIO ID_EMPLEO_PERSONAL_SANITARIO IDENTIF_VEHICULOS_NRSERIE_PLACAS"
    " IDENTIF_DISPOSITIVOS_NRSERIE",
    "ssn": "SSN US_SSN",
    "card": "CARD CREDIT_CARD",
    "iban": "IBAN IBAN_CODE",
    "date": "DATE BIRTHDATE BIRTH_DATE DATE_OF_BIRTH DOB DEATH_DATE ADMISSION_DATE DISCHARGE_DATE FECHAS",
}
BY_LABEL = MappingProxyType({label: kind for kind, labels in _LABELS.items() for label in labels.split()})
"""Kinds by the names of labels; a plan names those of others by ``as``."""
_OF_ATTRIBUTES = MappingProxyType(
    {
        **dict.fromkeys(("city", "state", "town", "province", "county", "suburb", "municipality"), "place"),
        **dict.fromkeys(("zip", "zip_code"), "postcode"),
        **dict.fromkeys(("patient", "given_name", "surname"), "name"),
        **dict.fromkeys(("id", "mrn", "account", "license"), "code"),
        **dict.fromkeys(("soc_sec_id",), "ssn"),
        **dict.fromkeys(("fax",), "phone"),
        **dict.fromkeys(("birth_date", "death_date", "admission_date", "discharge_date"), "date"),
        **dict.fromkeys(("dob", "birthday", "date_of_birth"), "date"),
    }
)


def kind_of_attribute(name: str) -> str | None:
    """Return the kind of an attribute or of what a rule calls it; None where its values have no surrogates.

    >>> kind_of_attribute("birth_date"), kind_of_attribute("phone"), kind_of_attribute("diagnosis")
    ('date', 'phone', None)
    """
    return name if name in KINDS else _OF_ATTRIBUTES.get(name)

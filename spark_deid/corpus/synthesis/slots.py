"""The slots of the grammars: parts of a document that depend on its person, with their labels."""

from collections.abc import Callable
from datetime import timedelta
from types import MappingProxyType
from typing import NamedTuple

from spark_deid.corpus.synthesis.draws import draw_between, draw_item, pick_early, pick_several, random_digits
from spark_deid.corpus.synthesis.people import full_name
from spark_deid.corpus.synthesis.pools import phone_number, slug
from spark_deid.corpus.synthesis.scene import DocumentScene
from spark_deid.corpus.synthesis.strangers import (
    InventedName,
    NamedPerson,
    address_of,
    eastern_name,
    initials,
    last_first,
    with_initial,
    with_middle_initial,
)


class SceneSlot(NamedTuple):
    """A value of the scene; ``label`` is empty where it shows nothing about anyone."""

    label: str
    value: Callable[[DocumentScene], str]


_WITH_VOWEL = frozenset((8, 11, 18, *range(80, 90)))
"""Ages that are read with a vowel first, and so have "an" before them."""


def article_of_age(age: int) -> str:
    """Return the indefinite article before an age.

    >>> article_of_age(85), article_of_age(58)
    ('an', 'a')
    """
    return "an" if age in _WITH_VOWEL else "a"


def _last_first(scene: DocumentScene) -> str:
    name = f"{scene.person.surname}, {scene.person.given}"
    return name.upper() if scene.draws.random() < 0.5 else name


def _relative(scene: DocumentScene) -> str:
    return f"{scene.relative} {scene.person.surname}" if scene.draws.random() < 0.4 else scene.relative


def _accession(scene: DocumentScene) -> str:
    return f"{draw_item(scene.draws, 'SRCHXMP')}{scene.today.year % 100:02d}-{random_digits(scene.draws, 5)}"


def _national_id(scene: DocumentScene) -> str:
    number = int(scene.person.social_security_number.replace("-", "")) % 10**8
    return f"{number:08d}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"


def _url(scene: DocumentScene) -> str:
    host = draw_item(scene.draws, scene.pools.hosts)
    return draw_item(
        scene.draws,
        (
            f"https://www.{host}",
            f"http://{host}/portal",
            f"www.{host}",
            f"https://{host}/r/{random_digits(scene.draws, 4)}",
        ),
    )


def _user(scene: DocumentScene) -> str:
    return f"{slug(scene.doctor.given)[:1]}{slug(scene.doctor.surname)[:6]}{draw_between(scene.draws, 1, 99)}"


def _by_sex(female: str, male: str) -> SceneSlot:
    def value(scene: DocumentScene) -> str:
        return female if scene.person.sex == "female" else male

    return SceneSlot("", value)


def _initials_of(someone: NamedPerson, scene: DocumentScene) -> str:
    letters = initials(someone)
    return letters.lower() if scene.draws.random() < 0.3 else letters


def _street_name(scene: DocumentScene) -> str:
    return draw_item(scene.draws, scene.pools.streets)


def _acronym(scene: DocumentScene) -> str:
    return "".join(pick_several(scene.draws, "ABCDEFGHILMNOPRSTUW", draw_between(scene.draws, 3, 4)))


def _stranger(scene: DocumentScene) -> InventedName:
    return draw_item(scene.draws, scene.pools.strangers)


_STRANGERS = {
    "someone": lambda s: full_name(_stranger(s)),
    "someone_given": lambda s: _stranger(s).given,
    "someone_given_lower": lambda s: _stranger(s).given.lower(),
    "someone_surname": lambda s: _stranger(s).surname,
    "someone_surname_caps": lambda s: _stranger(s).surname.upper(),
    "someone_last_first": lambda s: last_first(_stranger(s)),
    "someone_initial": lambda s: with_initial(_stranger(s), s.draws),
    "someone_initials": lambda s: with_middle_initial(_stranger(s), s.draws),
    "someone_initials_only": lambda s: initials(_stranger(s)),
    "someone_initials_only_lower": lambda s: initials(_stranger(s)).lower(),
    "eastern": lambda s: full_name(eastern_name(s.draws)),
    "eastern_given": lambda s: eastern_name(s.draws).given,
    "eastern_surname": lambda s: eastern_name(s.draws).surname,
}

SLOTS = MappingProxyType(
    {
        **{name: SceneSlot("NAME", value) for name, value in _STRANGERS.items()},
        "someone_email": SceneSlot("EMAIL", lambda s: address_of(_stranger(s), slug, s.draws)),
        "doctor_initials": SceneSlot("NAME", lambda s: _initials_of(s.doctor, s)),
        "doctor_initial_only": SceneSlot("NAME", lambda s: s.doctor.given[0]),
        "doctor_last_first": SceneSlot("NAME", lambda s: last_first(s.doctor)),
        "colleague_initials": SceneSlot("NAME", lambda s: _initials_of(s.colleague, s)),
        "colleague_last_first": SceneSlot("NAME", lambda s: last_first(s.colleague)),
        "colleague_surname": SceneSlot("NAME", lambda s: s.colleague.surname),
        "consultant_given": SceneSlot("NAME", lambda s: s.consultant.given),
        "country": SceneSlot("LOCATION", lambda s: draw_item(s.draws, s.pools.countries)),
        "country_caps": SceneSlot("LOCATION", lambda s: draw_item(s.draws, s.pools.countries).upper()),
        "state_caps": SceneSlot("LOCATION", lambda s: s.person.state.upper()),
        "street_only": SceneSlot("LOCATION", _street_name),
        "acronym": SceneSlot("ORGANIZATION", _acronym),
        "organization_caps": SceneSlot("ORGANIZATION", lambda s: draw_item(s.draws, s.pools.employers).upper()),
        "patient": SceneSlot("NAME", lambda s: full_name(s.person)),
        "patient_last_first": SceneSlot("NAME", _last_first),
        "patient_surname": SceneSlot("NAME", lambda s: s.person.surname),
        "patient_given": SceneSlot("NAME", lambda s: s.person.given),
        "patient_initial": SceneSlot("NAME", lambda s: f"{s.person.given[0]}. {s.person.surname}"),
        "relative": SceneSlot("NAME", _relative),
        "doctor": SceneSlot("NAME", lambda s: full_name(s.doctor)),
        "doctor_given": SceneSlot("NAME", lambda s: s.doctor.given),
        "doctor_surname": SceneSlot("NAME", lambda s: s.doctor.surname),
        "consultant": SceneSlot("NAME", lambda s: full_name(s.consultant)),
        "consultant_surname": SceneSlot("NAME", lambda s: s.consultant.surname),
        "colleague": SceneSlot("NAME", lambda s: full_name(s.colleague)),
        "colleague_given": SceneSlot("NAME", lambda s: s.colleague.given),
        "nurse": SceneSlot("NAME", lambda s: s.nurse),
        "age": SceneSlot("AGE", lambda s: str(s.age())),
        "an": SceneSlot("", lambda s: article_of_age(s.age())),
        "birth_date": SceneSlot("DATE", lambda s: s.write_date(s.person.birth_date)),
        "admitted": SceneSlot("DATE", lambda s: s.write_date(s.admitted)),
        "today": SceneSlot("DATE", lambda s: s.write_date(s.today)),
        "short_date": SceneSlot(
            "DATE", lambda s: s.write_short_date(s.today - timedelta(days=draw_between(s.draws, 0, 9)))
        ),
        "past": SceneSlot("DATE", lambda s: s.write_date(s.admitted - timedelta(days=draw_between(s.draws, 5, 2500)))),
        "future": SceneSlot("DATE", lambda s: s.write_date(s.today + timedelta(days=draw_between(s.draws, 3, 120)))),
        "past_year": SceneSlot("DATE", lambda s: str(s.admitted.year - draw_between(s.draws, 1, 15))),
        "phone": SceneSlot("PHONE", lambda s: s.person.phone),
        "doctor_phone": SceneSlot("PHONE", lambda s: s.doctor.phone),
        "some_phone": SceneSlot("PHONE", lambda s: phone_number(s.draws, draw_item(s.draws, s.pools.language.phones))),
        "email": SceneSlot("EMAIL", lambda s: s.person.email),
        "doctor_email": SceneSlot("EMAIL", lambda s: s.doctor.email),
        "colleague_email": SceneSlot("EMAIL", lambda s: s.colleague.email),
        "billing_email": SceneSlot("EMAIL", lambda s: f"billing@{draw_item(s.draws, s.pools.hosts)}"),
        "url": SceneSlot("URL", _url),
        "ssn": SceneSlot("ID", lambda s: s.person.social_security_number),
        "mrn": SceneSlot("ID", lambda s: s.person.record_number),
        "insurance": SceneSlot("ID", lambda s: s.person.insurance_number),
        "licence": SceneSlot("ID", lambda s: s.doctor.licence),
        "accession": SceneSlot("ID", _accession),
        "account": SceneSlot("ID", lambda s: f"{random_digits(s.draws, 4)}-{random_digits(s.draws, 6)}"),
        "national_id": SceneSlot("ID", _national_id),
        "user": SceneSlot("ID", _user),
        "street": SceneSlot("LOCATION", lambda s: s.person.street),
        "city": SceneSlot("LOCATION", lambda s: s.person.city),
        "state": SceneSlot("LOCATION", lambda s: s.person.state),
        "postcode": SceneSlot("LOCATION", lambda s: s.person.postcode),
        "other_city": SceneSlot("LOCATION", lambda s: draw_item(s.draws, s.pools.towns).city),
        "hospital": SceneSlot("HOSPITAL", lambda s: s.hospital),
        "other_hospital": SceneSlot("HOSPITAL", lambda s: pick_early(s.draws, s.pools.hospitals)),
        "employer": SceneSlot("ORGANIZATION", lambda s: s.person.employer),
        "organization": SceneSlot("ORGANIZATION", lambda s: draw_item(s.draws, s.pools.employers)),
        "job": SceneSlot("PROFESSION", lambda s: s.person.job),
        "he": _by_sex("she", "he"),
        "He": _by_sex("She", "He"),
        "his": _by_sex("her", "his"),
        "His": _by_sex("Her", "His"),
        "him": _by_sex("her", "him"),
        "man": _by_sex("woman", "man"),
        "male": _by_sex("female", "male"),
        "mr": _by_sex("Ms.", "Mr."),
        "M": _by_sex("F", "M"),
        "sr": _by_sex("Sra.", "Sr."),
        "varon": _by_sex("mujer", "varón"),
        "o": _by_sex("a", "o"),
        "el": _by_sex("la", "el"),
        "El": _by_sex("La", "El"),
    }
)

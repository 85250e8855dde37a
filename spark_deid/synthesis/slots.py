"""The slots of the grammars: what stands in a document because of whom it is about, with the label it gets."""

from collections.abc import Callable
from datetime import timedelta
from types import MappingProxyType
from typing import NamedTuple

from spark_deid.synthesis.draws import between, digits, pick, pick_early, pick_several
from spark_deid.synthesis.people import full_name
from spark_deid.synthesis.pools import phone_number, slug
from spark_deid.synthesis.scene import Scene
from spark_deid.synthesis.strangers import (
    Name,
    Named,
    address_of,
    eastern_name,
    initials,
    last_first,
    with_initial,
    with_middle_initial,
)


class Slot(NamedTuple):
    """A value of the scene; ``label`` is empty where it tells nothing about anyone."""

    label: str
    value: Callable[[Scene], str]


def _last_first(scene: Scene) -> str:
    name = f"{scene.person.surname}, {scene.person.given}"
    return name.upper() if scene.draws.random() < 0.5 else name


def _relative(scene: Scene) -> str:
    return f"{scene.relative} {scene.person.surname}" if scene.draws.random() < 0.4 else scene.relative


def _accession(scene: Scene) -> str:
    return f"{pick(scene.draws, 'SRCHXMP')}{scene.today.year % 100:02d}-{digits(scene.draws, 5)}"


def _national_id(scene: Scene) -> str:
    number = int(scene.person.social_security_number.replace("-", "")) % 10**8
    return f"{number:08d}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"


def _url(scene: Scene) -> str:
    host = pick(scene.draws, scene.pools.hosts)
    return pick(
        scene.draws,
        (f"https://www.{host}", f"http://{host}/portal", f"www.{host}", f"https://{host}/r/{digits(scene.draws, 4)}"),
    )


def _user(scene: Scene) -> str:
    return f"{slug(scene.doctor.given)[:1]}{slug(scene.doctor.surname)[:6]}{between(scene.draws, 1, 99)}"


def _by_sex(female: str, male: str) -> Slot:
    def value(scene: Scene) -> str:
        return female if scene.person.sex == "female" else male

    return Slot("", value)


def _initials_of(someone: Named, scene: Scene) -> str:
    letters = initials(someone)
    return letters.lower() if scene.draws.random() < 0.3 else letters


def _street_name(scene: Scene) -> str:
    return pick(scene.draws, scene.pools.streets)


def _acronym(scene: Scene) -> str:
    return "".join(pick_several(scene.draws, "ABCDEFGHILMNOPRSTUW", between(scene.draws, 3, 4)))


def _stranger(scene: Scene) -> Name:
    return pick(scene.draws, scene.pools.strangers)


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
        **{name: Slot("NAME", value) for name, value in _STRANGERS.items()},
        "someone_email": Slot("EMAIL", lambda s: address_of(_stranger(s), slug, s.draws)),
        "doctor_initials": Slot("NAME", lambda s: _initials_of(s.doctor, s)),
        "doctor_initial_only": Slot("NAME", lambda s: s.doctor.given[0]),
        "doctor_last_first": Slot("NAME", lambda s: last_first(s.doctor)),
        "colleague_initials": Slot("NAME", lambda s: _initials_of(s.colleague, s)),
        "colleague_last_first": Slot("NAME", lambda s: last_first(s.colleague)),
        "colleague_surname": Slot("NAME", lambda s: s.colleague.surname),
        "consultant_given": Slot("NAME", lambda s: s.consultant.given),
        "country": Slot("LOCATION", lambda s: pick(s.draws, s.pools.countries)),
        "country_caps": Slot("LOCATION", lambda s: pick(s.draws, s.pools.countries).upper()),
        "state_caps": Slot("LOCATION", lambda s: s.person.state.upper()),
        "street_only": Slot("LOCATION", _street_name),
        "acronym": Slot("ORGANIZATION", _acronym),
        "organization_caps": Slot("ORGANIZATION", lambda s: pick(s.draws, s.pools.employers).upper()),
        "patient": Slot("NAME", lambda s: full_name(s.person)),
        "patient_last_first": Slot("NAME", _last_first),
        "patient_surname": Slot("NAME", lambda s: s.person.surname),
        "patient_given": Slot("NAME", lambda s: s.person.given),
        "patient_initial": Slot("NAME", lambda s: f"{s.person.given[0]}. {s.person.surname}"),
        "relative": Slot("NAME", _relative),
        "doctor": Slot("NAME", lambda s: full_name(s.doctor)),
        "doctor_given": Slot("NAME", lambda s: s.doctor.given),
        "doctor_surname": Slot("NAME", lambda s: s.doctor.surname),
        "consultant": Slot("NAME", lambda s: full_name(s.consultant)),
        "consultant_surname": Slot("NAME", lambda s: s.consultant.surname),
        "colleague": Slot("NAME", lambda s: full_name(s.colleague)),
        "colleague_given": Slot("NAME", lambda s: s.colleague.given),
        "nurse": Slot("NAME", lambda s: s.nurse),
        "age": Slot("AGE", lambda s: str(s.age())),
        "birth_date": Slot("DATE", lambda s: s.write_date(s.person.birth_date)),
        "admitted": Slot("DATE", lambda s: s.write_date(s.admitted)),
        "today": Slot("DATE", lambda s: s.write_date(s.today)),
        "short_date": Slot("DATE", lambda s: s.write_short_date(s.today - timedelta(days=between(s.draws, 0, 9)))),
        "past": Slot("DATE", lambda s: s.write_date(s.admitted - timedelta(days=between(s.draws, 5, 2500)))),
        "future": Slot("DATE", lambda s: s.write_date(s.today + timedelta(days=between(s.draws, 3, 120)))),
        "past_year": Slot("DATE", lambda s: str(s.admitted.year - between(s.draws, 1, 15))),
        "phone": Slot("PHONE", lambda s: s.person.phone),
        "doctor_phone": Slot("PHONE", lambda s: s.doctor.phone),
        "some_phone": Slot("PHONE", lambda s: phone_number(s.draws, pick(s.draws, s.pools.language.phones))),
        "email": Slot("EMAIL", lambda s: s.person.email),
        "doctor_email": Slot("EMAIL", lambda s: s.doctor.email),
        "colleague_email": Slot("EMAIL", lambda s: s.colleague.email),
        "billing_email": Slot("EMAIL", lambda s: f"billing@{pick(s.draws, s.pools.hosts)}"),
        "url": Slot("URL", _url),
        "ssn": Slot("ID", lambda s: s.person.social_security_number),
        "mrn": Slot("ID", lambda s: s.person.record_number),
        "insurance": Slot("ID", lambda s: s.person.insurance_number),
        "licence": Slot("ID", lambda s: s.doctor.licence),
        "accession": Slot("ID", _accession),
        "account": Slot("ID", lambda s: f"{digits(s.draws, 4)}-{digits(s.draws, 6)}"),
        "national_id": Slot("ID", _national_id),
        "user": Slot("ID", _user),
        "street": Slot("LOCATION", lambda s: s.person.street),
        "city": Slot("LOCATION", lambda s: s.person.city),
        "state": Slot("LOCATION", lambda s: s.person.state),
        "postcode": Slot("LOCATION", lambda s: s.person.postcode),
        "other_city": Slot("LOCATION", lambda s: pick(s.draws, s.pools.towns).city),
        "hospital": Slot("HOSPITAL", lambda s: s.hospital),
        "other_hospital": Slot("HOSPITAL", lambda s: pick_early(s.draws, s.pools.hospitals)),
        "employer": Slot("ORGANIZATION", lambda s: s.person.employer),
        "organization": Slot("ORGANIZATION", lambda s: pick(s.draws, s.pools.employers)),
        "job": Slot("PROFESSION", lambda s: s.person.job),
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

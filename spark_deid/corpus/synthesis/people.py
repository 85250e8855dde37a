"""People: who synthesized documents are about."""

from datetime import date, timedelta
from random import Random
from typing import NamedTuple

import pyarrow as pa

from spark_deid.corpus.synthesis.draws import draw_between, draw_item, draw_stream, pick_early, random_digits
from spark_deid.corpus.synthesis.pools import ValuePools, phone_number, slug
from spark_deid.corpus.synthesis.strangers import NamedPerson

_FIRST_BIRTH = date(1925, 1, 1)
_BIRTH_DAYS = 365 * 90
_MAIL_HOSTS = ("example.com", "example.org", "example.net", "mail.example.com", "post.example.org")


class InventedPerson(NamedTuple):
    """A person's attributes; ``doctor`` and ``hospital`` are places in the pools."""

    subject_id: str
    given: str
    surname: str
    sex: str
    birth_date: date
    street: str
    city: str
    state: str
    postcode: str
    phone: str
    email: str
    social_security_number: str
    record_number: str
    insurance_number: str
    employer: str
    job: str
    doctor: int
    hospital: int


PERSONS = pa.schema([(name, pa.date32() if name == "birth_date" else pa.string()) for name in InventedPerson._fields])


def make_person(seed: int, number: int, pools: ValuePools) -> InventedPerson:
    """Make person ``number`` of a seed; nothing else decides what becomes of them."""
    draws = draw_stream(seed, "person", number)
    sex = "female" if draws.random() < 0.52 else "male"
    given = pick_early(draws, pools.given_female if sex == "female" else pools.given_male)
    surname = " ".join(pick_early(draws, pools.surnames) for _ in range(pools.language.surnames))
    town = draw_item(draws, pools.towns)
    return InventedPerson(
        subject_id=f"person-{number:07d}",
        given=given,
        surname=surname,
        sex=sex,
        birth_date=_FIRST_BIRTH + timedelta(days=draw_between(draws, 0, _BIRTH_DAYS)),
        street=_street(pools, draws),
        city=town.city,
        state=town.state,
        postcode=town.postcode + random_digits(draws, 2),
        phone=phone_number(draws, draw_item(draws, pools.language.phones)),
        email=_email(given, surname, draws),
        social_security_number="-".join(
            str(draw_between(draws, least, most)) for least, most in ((100, 665), (10, 99), (1000, 9999))
        ),
        record_number=random_digits(draws, draw_between(draws, 6, 8)),
        insurance_number=draw_item(draws, "ABCHKMWXZ") + random_digits(draws, 9),
        employer=draw_item(draws, pools.employers),
        job=pick_early(draws, pools.jobs),
        doctor=int(draws.random() * len(pools.doctors)),
        hospital=int(draws.random() ** 2 * len(pools.hospitals)),
    )


def person_row(someone: InventedPerson, pools: ValuePools) -> dict[str, object]:
    """Return a row of the person table, with the doctor's and the hospital's names written out."""
    names = {"doctor": full_name(pools.doctors[someone.doctor]), "hospital": pools.hospitals[someone.hospital]}
    return someone._asdict() | names


def full_name(someone: NamedPerson) -> str:
    """Return given name and surname."""
    return f"{someone.given} {someone.surname}"


def _street(pools: ValuePools, draws: Random) -> str:
    number = draw_between(draws, 1, 2400 if pools.language.code == "en" else 140)
    street = draw_item(draws, pools.streets)
    return f"{number} {street}" if pools.language.code == "en" else f"{street}, {number}"


def _email(given: str, surname: str, draws: Random) -> str:
    first, last = slug(given), slug(surname.split(" ")[0])
    local = draw_item(
        draws, (f"{first}.{last}", f"{first[:1]}{last}", f"{first}{random_digits(draws, 2)}", f"{last}_{first}")
    )
    return f"{local}@{draw_item(draws, _MAIL_HOSTS)}"

"""Names are read where their parts occur; what may be a name is taken for one."""

import pytest

from spark_deid.values.locale import ValueLocale
from spark_deid.values.name_form import read_name_form

FORMS = [
    ("en", "John Smith", "given:John family:Smith"),
    ("en", "Smith", "family:Smith"),
    ("en", "JOHN SMITH", "given:JOHN family:SMITH"),
    ("en", "john smith", "given:john family:smith"),
    ("en", "Smith, John", "family:Smith given:John"),
    ("en", "SMITH, John Q.", "family:SMITH given:John initial:Q"),
    ("en", "Dr. SMITH, John Q.", "family:SMITH given:John initial:Q"),
    ("en", "Dr. John Smith, M.D.", "given:John family:Smith"),
    ("en", "John Smith MD", "given:John family:Smith"),
    ("en", "John Smith, MD, PhD", "given:John family:Smith"),
    ("en", "John Smith Jr.", "given:John family:Smith"),
    ("en", "Smith, Jr., John", "family:Smith given:John"),
    ("en", "John Smith III", "given:John family:Smith"),
    ("en", "J. Q. Public", "initial:J initial:Q family:Public"),
    ("en", "J.Q. Public", "initial:J initial:Q family:Public"),
    ("en", "John Q. Public's", "given:John initial:Q family:Public"),
    ("en", "Mr. and Mrs. Smith", "family:Smith"),
    ("en", "John and Mary Smith", "family:John given:Mary family:Smith"),
    ("en", "Drs. Smith & Jones", "family:Smith family:Jones"),
    ("en", "Smith-Jones", "family:Smith family:Jones"),
    ("en", "Mary Smith-Jones", "given:Mary family:Smith family:Jones"),
    ("en", "Miss O'Brien", "family:Brien"),
    ("en", "McDonald", "family:McDonald"),
    ("en", "Kim Do", "given:Kim family:Do"),
    ("en", "Ms. Do", "family:Do"),
    ("en", "Di Fox", "given:Di family:Fox"),
    ("en", "Don Johnson", "given:Don family:Johnson"),
    ("en", "Van Nguyen", "given:Van family:Nguyen"),
    ("es", "José García López", "given:José family:García family:López"),
    ("es", "Dña. María de la Cruz", "given:María family:Cruz"),
    ("es", "Don Pedro Ruiz", "given:Pedro family:Ruiz"),
    ("es", "DE LA CRUZ, MARIA", "family:CRUZ given:MARIA"),
    ("de", "Herr Dr. Müller", "family:Müller"),
    ("de", "Anna von der Heide", "given:Anna family:Heide"),
    ("fr", "Mme Jeanne d'Arc", "given:Jeanne family:Arc"),
    ("fr", "Jean-Paul Dupont", "given:Jean given:Paul family:Dupont"),
    ("it", "Sig.ra Anna De Luca", "given:ra given:Anna family:Luca"),
    ("it", "Dott. Mario Rossi", "given:Mario family:Rossi"),
    ("pt", "João da Silva Santos", "given:João family:Silva family:Santos"),
    ("nl", "Mevr. Van den Berg", "given:Van family:Berg"),
    ("nl", "Jan van Dijk", "given:Jan family:Dijk"),
]


@pytest.mark.parametrize(("language", "surface", "expected"), FORMS)
def test_forms_of_names(language: str, surface: str, expected: str) -> None:
    words = read_name_form(surface, ValueLocale(language, "US" if language == "en" else language.upper()))
    assert words is not None
    assert " ".join(f"{word.role}:{surface[word.start : word.end]}" for word in words) == expected


@pytest.mark.parametrize(
    "surface", ["", "Dr.", "--", "user_1", "J0hn", "Иван", "ＪＯＨＮ", "Smi\u200bth", "x" * 200, "ann@x.org", "山田"]
)
def test_what_is_no_name_in_latin_letters_is_not_read(surface: str) -> None:
    assert read_name_form(surface, ValueLocale()) is None

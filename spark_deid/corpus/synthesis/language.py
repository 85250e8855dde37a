"""What differs between languages apart from the grammar: where Faker's values come from, and forms of writing."""

from types import MappingProxyType
from typing import NamedTuple


class LanguageForms(NamedTuple):
    """Locales of Faker, and how dates and telephone numbers are written.

    Of ``name_locales`` the first is the commonest; strangers come from all of ``stranger_locales`` alike.

    Date forms are ``str.format`` templates over ``d, m, y`` (numbers), ``yy`` (two digits), ``month`` and ``abbr``;
    ``#`` in a telephone number is any digit, ``N`` one from 2 to 9.
    """

    code: str
    locale: str
    name_locales: tuple[str, ...]
    stranger_locales: tuple[str, ...]
    months: tuple[str, ...]
    abbreviations: tuple[str, ...]
    dates: tuple[str, ...]
    short_dates: tuple[str, ...]
    phones: tuple[str, ...]
    hospital_names: tuple[str, ...]
    surnames: int


_ENGLISH_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
_SPANISH_MONTHS = (
    "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
    "noviembre", "diciembre",
)  # fmt: skip

_ENGLISH = LanguageForms(
    code="en",
    locale="en_US",
    name_locales=("en_US", "en_GB", "en_IE", "es_MX", "en_IN", "de_DE", "it_IT", "fr_FR", "nl_NL", "sv_SE", "pt_BR"),
    stranger_locales=(
        *("en_US", "en_US", "en_GB", "en_IE", "en_IN", "en_KE", "en_PK", "de_DE", "fr_FR", "es_MX", "it_IT", "nl_NL"),
        *("tr_TR", "id_ID", "cs_CZ", "hr_HR", "fi_FI", "hu_HU", "ro_RO", "zu_ZA"),
    ),
    months=_ENGLISH_MONTHS,
    abbreviations=("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    dates=(
        "{m:02}/{d:02}/{y}",
        "{m:02}/{d:02}/{y}",
        "{m}/{d}/{yy:02}",
        "{y}-{m:02}-{d:02}",
        "{month} {d}, {y}",
        "{month} {d}, {y}",
        "{d} {abbr} {y}",
        "{d:02}-{abbr}-{y}",
        "{abbr} {d}, {y}",
        "{month} of {y}",
    ),
    short_dates=("{m}/{d}", "{m:02}/{d:02}", "{month} {d}", "{abbr} {d}", "{d} {month}"),
    phones=("(N##) 555-####", "N##-555-####", "N##.555.####", "+1 N## 555 ####", "1-800-555-####", "555-####"),
    hospital_names=(
        "{city} General Hospital",
        "{city} Regional Medical Center",
        "St. {given}'s Hospital",
        "{surname} Memorial Hospital",
        "{city} Community Clinic",
        "{surname} Institute for Heart and Lung",
        "{city} Veterans Medical Center",
        "{surname} Children's Hospital",
        "University Hospital of {city}",
        "{city} Family Practice",
    ),
    surnames=1,
)

_SPANISH = LanguageForms(
    code="es",
    locale="es_ES",
    name_locales=("es_ES", "es_MX", "es_ES", "pt_PT", "it_IT", "ro_RO"),
    stranger_locales=("es_ES", "es_MX", "es_AR", "pt_PT", "fr_FR", "it_IT", "de_DE", "en_GB", "ro_RO"),
    months=_SPANISH_MONTHS,
    abbreviations=("ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"),
    dates=(
        "{d:02}/{m:02}/{y}",
        "{d:02}/{m:02}/{y}",
        "{d}-{m}-{yy:02}",
        "{d:02}.{m:02}.{y}",
        "{d} de {month} de {y}",
        "{d} de {month} de {y}",
        "{d}-{abbr}-{y}",
        "{month} de {y}",
    ),
    short_dates=("{d} de {month}", "{d}/{m}", "{d:02}/{m:02}"),
    phones=("9# ### ## ##", "9## ### ###", "6## ### ###", "6########", "+34 9## ### ###", "9##-##-##-##"),
    hospital_names=(
        "Hospital General de {city}",
        "Hospital Universitario de {city}",
        "Hospital San {given}",
        "Clínica {surname}",
        "Centro de Salud {surname}",
        "Complejo Hospitalario de {city}",
        "Instituto {surname}",
        "Hospital Comarcal de {city}",
    ),
    surnames=2,
)

LANGUAGES = MappingProxyType({language.code: language for language in (_ENGLISH, _SPANISH)})

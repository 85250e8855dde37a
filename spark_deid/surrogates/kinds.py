"""What a label's mentions say: kinds of values by the names of labels and attributes."""

from types import MappingProxyType

from spark_deid.core.labels import NAME_LABELS

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
"""Kinds by the names of labels; a plan says those of others by ``as``."""
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

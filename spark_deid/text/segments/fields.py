"""Fields that hold an identifier by their name: keys of JSON, columns of CSV, parameters of forms."""

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

_KEYS = {
    "NAME": """
        patientname patientfirstname patientlastname firstname lastname surname givenname familyname fullname middlename
        maidenname birthname forename nickname preferredname mothersmaidenname mothername fathername spousename
        contactname nextofkin nextofkinname emergencycontact guarantorname subscribername insuredname guardianname
        doctorname physicianname providername attendingphysician referringphysician referringdoctor primarycarephysician
        attendingprovider attendingdoctor clinicianname nursename authorname employeename customername clientname
        username_full holdername cardholder cardholdername signatoryname family given
    """,
    "DATE": """
        dob dateofbirth birthdate birthday borndate dod dateofdeath deathdate deceaseddatetime admissiondate admitdate
        admitted dateofadmission dischargedate discharged dateofdischarge visitdate dateofvisit encounterdate
        dateofservice servicedate surgerydate collectiondate signeddate
    """,
    "PHONE": """
        phone phonenumber phoneno tel telephone telephonenumber mobile mobilenumber mobilephone cell cellphone fax
        faxnumber homephone workphone contactnumber contactphone patientphone landline pager
    """,
    "EMAIL": "email emailaddress emailid patientemail contactemail",
    "ADDRESS": """
        address streetaddress homeaddress mailingaddress patientaddress addressline addressline1 addressline2 address1
        address2 addr street streetname city town
    """,
    "POSTCODE": "zip zipcode postcode postalcode plz zip4",
    "SSN": "ssn socialsecuritynumber socialsecurityno socialsecurity ssnno patientssn",
    "CARD": "cardnumber creditcard creditcardnumber ccnumber",
    "IBAN": "iban",
    "IP": "ipaddress clientip remoteaddr sourceip remoteip",
    "CODE": """
        mrn medicalrecordnumber medicalrecordno recordnumber patientid patientidentifier patientno patientnumber
        hospitalnumber hospitalno accountnumber accountno policynumber policyno memberid membernumber nhsnumber nhsno
        insuranceid insurancenumber licensenumber licencenumber driverslicense passport passportnumber passportno
        nationalid taxid employeeid subscriberid healthcardnumber medicareid medicarenumber chartnumber
    """,
    "HANDLE": "username userlogin loginname login",
}
_LABELS: Mapping[str, str] = MappingProxyType({key: label for label, keys in _KEYS.items() for key in keys.split()})
_OTHER = re.compile(r"[\W_]+")
_UNTOLD = frozenset(
    ("", "unknown", "none", "null", "na", "nil", "nan", "true", "false", "notknown", "notgiven", "withheld")
)


@lru_cache(maxsize=4096)
def label_of_field(key: str) -> str | None:
    """Return the label of the values of a field, by its name; None if the name declares no identifier.

    >>> label_of_field("Date_of_Birth"), label_of_field("patientName"), label_of_field("colour")
    ('DATE', 'NAME', None)
    """
    return _LABELS.get(_OTHER.sub("", key).lower())


def may_identify(value: str) -> bool:
    """Return whether a value may be an identifier: it is not empty, not a word such as unknown, and not a placeholder.

    >>> [may_identify(value) for value in ("Ann Lee", "n/a", "[NAME]", " - ")]
    [True, False, False, False]
    """
    stripped = value.strip()
    is_hidden = stripped[:1] == "[" and stripped[-1:] == "]" and stripped[1:-1].replace("_", "").isupper()
    return not is_hidden and _OTHER.sub("", value).lower() not in _UNTOLD

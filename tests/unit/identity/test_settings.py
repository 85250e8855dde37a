"""What plans may say of persons."""

from copy import deepcopy
from typing import Any

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.plan.load import check_methods

PLAN: dict[str, Any] = {
    "sources": ["gold", "identity"],
    "rules": {"AGE": "recode"},
    "identity": {
        "attributes": {"NAME": "name", "AGE": "age", "BORN": "birth_date", "GENDER": "gender", "ILL": "diagnosis"},
        "roles": {
            "identifiers": ["name", "birth_date"],
            "quasi": ["age", "gender"],
            "sensitive": ["diagnosis"],
        },
    },
    "anonymity": {"model": {"k": 5}},
}


OTHER: dict[str, Any] = {"patterns": {"kinds": "all"}}


def changed(*path: str, value: object = None) -> dict[str, Any]:
    content = deepcopy(PLAN)
    place = content
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return content


def test_a_plan_of_people() -> None:
    plan = check_methods(PLAN, "plan")
    assert plan.rules_by_label["GENDERED"].technique == "suppress"
    assert "k_anonymous_persons" in plan.demands


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            OTHER | {"rules": {"AGE": "recode"}},
            "recode writes values of the identifier view. Add identity and anonymity",
        ),
        (OTHER | {"anonymity": {"model": {"k": 5}}}, "anonymity: has no effect without identity"),
        (changed("anonymity"), "statistical needs anonymity as well"),
        (changed("anonymity", "model", value={"l": 2}), "expected k, and some of l, frequency-l"),
        (changed("anonymity", "model", value={"k": 5, "t": 0.2}), "expected k, and some of l, frequency-l, alpha"),
        (changed("anonymity", "model", value={"k": 1}), "k: expected an integer >= 2"),
        (changed("anonymity", "recoding", value={"zip": "tight"}), "recoding: zip: expected one of"),
        (
            changed("anonymity", "places", value=["age"]),
            "places: age: expected quasi-identifiers that are cities or states",
        ),
        (
            changed("anonymity", value={"model": {"k": 5}, "suppression": 0.1}),
            "suppression: mondrian suppresses no one",
        ),
        (
            changed("anonymity", value={"model": {"k": 5}, "algorithm": "incognito", "recoding": {"age": "tight"}}),
            "recoding: incognito shows levels",
        ),
        (
            changed("anonymity", value={"model": {"k": 5}, "algorithm": "m-invariance"}),
            "algorithm: expected one of mondrian, incognito, got 'm-invariance'",
        ),
        (
            changed("anonymity", value={"model": {"k": 5}, "algorithm": "incognita"}),
            "got 'incognita'; did you mean incognito?",
        ),
        (changed("identity", "locale", value="es_ES"), "only English texts can hide gender"),
        (
            changed(
                "identity",
                value={
                    "attributes": {"AGE": "age", "SEX": "gender"},
                    "roles": {"quasi": ["age"], "identifiers": ["gender"]},
                    "locale": "es_ES",
                },
            ),
            "only English texts can hide gender",
        ),
        (
            changed("rules", value={"AGE": "recode", "GENDER": {"technique": "generalize", "t": 4}}),
            "rules.GENDER: generalize would publish gender, which no guarantee counts",
        ),
        (
            changed("rules", value={"AGE": "surrogate"}),
            "rules.AGE: surrogate would write another age than the identifier view. Expected recode or suppress",
        ),
        (
            changed("rules", value={"AGE": "recode", "ILL": {"technique": "pseudonym"}}),
            "rules.ILL: pseudonym would write another diagnosis than the identifier view. Expected suppress",
        ),
        (
            changed("rules", value={"AGE": "recode", "BORN": "shift"}),
            "rules.BORN: shift would reveal AGE. Expected recode or suppress",
        ),
        (changed("identity", "locale", value="de_DE"), "expected a locale such as en_US"),
        (changed("identity", "roles", "quasi", value=["age", "age"]), "age: has more than one role"),
        (changed("identity", "roles", "quasi", value=["age", "zip"]), "zip: expected one of the attributes"),
        (changed("identity", "roles", "quasi", value=["age"]), "gender: expected to be among identifiers"),
        (changed("identity", "roles", "quasi", value=[]), "quasi: expected at least one attribute"),
        (
            changed(
                "identity",
                "roles",
                value={"quasi": ["age"], "sensitive": ["birth_date", "name", "gender", "diagnosis"]},
            ),
            "birth_date: reveals age",
        ),
        (changed("rules", value={"PHONE": "recode"}), "recode needs the attribute of the label"),
        (changed("rules", value={"GENDERED": "recode"}), "recode cannot replace spans of identity"),
        (changed("sources", value=["gold"]), "identity finds further mentions"),
    ],
)
def test_what_does_not_fit_is_reported(content: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError) as raised:
        check_methods(content, "plan")
    assert told in str(raised.value)


@pytest.mark.parametrize(
    ("metadata", "told"),
    [
        (["age"], "metadata.age: keep would publish age and birth_date next to the texts. Remove the column"),
        ({"Age": "keyed"}, "metadata.Age: keyed would publish age"),
        ({"age": "detect"}, "metadata.age: detect would publish age"),
        (["birth_date"], "metadata.birth_date: keep would publish age"),
        (["dob_of_row"], "metadata.dob_of_row: keep would publish gender"),
        (["name"], "metadata.name: keep would publish name"),
        ({"birth_date": "shift"}, "metadata.birth_date: shift would publish age"),
        ({"diagnosis": "shift"}, "metadata.diagnosis: shift would write another diagnosis than the identifier view"),
    ],
    ids=str,
)
def test_columns_that_show_what_texts_hide_are_refused(metadata: Any, told: str) -> None:
    content = changed("metadata", value=metadata) | {"patterns": {"kinds": ["email"]}}
    content["sources"] = [*content["sources"], "patterns"]
    content["identity"]["table"] = {"path": "persons.csv", "columns": {"gender": "DOB_of_row"}}
    content["identity"]["link"] = "subject"
    with pytest.raises(UsageError) as raised:
        check_methods(content, "plan")
    assert told in str(raised.value)


@pytest.mark.parametrize("way", ["keep", "keyed"])
def test_ids_that_connect_documents_are_refused_where_each_is_a_person(way: str) -> None:
    content = changed("metadata", value={"subject_id": way})
    content["identity"]["link"] = "subject"
    check_methods(content, "plan")
    content["identity"]["link"] = "document"
    with pytest.raises(UsageError, match=r"metadata\.subject_id: would link documents"):
        check_methods(content, "plan")


def test_other_columns_are_let_out() -> None:
    ways = {"ward": "keep", "date": "keep", "discharge_date": "keep", "name": "keyed", "diagnosis": "keep"}
    check_methods(changed("metadata", value=ways), "plan")


def family(name: str, kind: str, role: str, technique: str = "suppress") -> dict[str, Any]:
    content = changed("rules", value={"AGE": "recode", "MORE": {"technique": technique}})
    identity = content["identity"]
    identity["attributes"]["MORE"] = name
    identity["kinds"] = {name: kind}
    identity["roles"][role] = [*identity["roles"][role], name]
    return content


def test_attributes_show_each_other_by_kind_whatever_their_names() -> None:
    with pytest.raises(UsageError, match=r"d1: reveals age. Expected it among quasi or identifiers"):
        check_methods(family("d1", "date", "sensitive"), "plan")
    check_methods(family("discharge_date", "date", "sensitive"), "plan")


def test_places_show_each_other_by_kind() -> None:
    content = family("district", "postcode", "quasi")
    content["identity"]["attributes"]["TOWN"] = "town"
    content["identity"]["roles"]["sensitive"].append("town")
    with pytest.raises(UsageError, match=r"town: reveals district. Expected it among quasi or identifiers"):
        check_methods(content, "plan")


def test_spanish_plans_recode_what_is_not_gender() -> None:
    content = changed("identity", "locale", value="es_ES")
    del content["identity"]["attributes"]["GENDER"]
    content["identity"]["roles"]["quasi"] = ["age"]
    assert check_methods(content, "plan").sections["identity"].identity.place.is_day_first


def test_identifiers_may_have_surrogates() -> None:
    content = changed("rules", value={"AGE": "recode", "NAME": "surrogate"})
    assert check_methods(content, "plan").rules_by_label["NAME"].technique == "surrogate"

from spark_deid.text.persons import plain_person


def test_ids_that_look_alike_are_one() -> None:
    spellings = ("José", " José", "José\u00a0", "Jose\u0301", "Jos\u00ade\u0301", "José\u200b")
    assert {plain_person(each) for each in spellings} == {"José"}


def test_ids_that_look_apart_stay_apart() -> None:
    assert len({plain_person(each) for each in ("ann", "Ann", "1", "01", "1.0", "Ann Lee", "AnnLee")}) == 7

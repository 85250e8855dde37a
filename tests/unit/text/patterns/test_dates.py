import pytest

from spark_deid.text.patterns import PatternDetector


def found(text: str) -> list[str]:
    return [text[span.start : span.end] for span in PatternDetector(kinds=("date",)).detect(text)]


@pytest.mark.parametrize(
    "date",
    [
        "24/07/2015",
        "07/24/2015",
        "7-24-15",
        "24.07.2015",
        "31.12.99",
        "2015-07-24",
        "2015/7/4",
        "2015-07-24T10:30:00Z",
        "2015-07-24 10:30:00.123+02:00",
        "7/4/15 10:30 AM",
        "03/2015",
        "12 / 03 / 2015",
        "12/04 /2011",
        "2015‑07‑24",
        "２０１５/０７/２４",
        "2015年3月24日",
    ],
)
def test_numeric_date_fires(date: str) -> None:
    assert found(f"on {date}, seen") == [date]


@pytest.mark.parametrize(
    "date",
    [
        "12 de marzo de 2015",
        "12 de marzo del 2015 a las 10:30",
        "1 de mayo",
        "marzo de 2015",
        "12 MAR 2015",
        "12-Mar-2015",
        "12-mar-15",
        "March 12",
        "March 12th, 2015",
        "March 12th, 2015 at 3 pm",
        "Sept. 3, 2015",
        "3rd of May 2015",
        "12th of June",
        "May 5, 2015",
        "March 2015",
        "12-15 March 2015",
        "3 to 5 June 2015",
        "June 3-5, 2015",
        "12. März 2015",
        "1er janvier 2015",
        "3 février",
        "12 kwietnia 2015",
        "12 July '15",
    ],
)
def test_written_date_fires(date: str) -> None:
    assert found(f"on {date}, seen") == [date]


def test_both_ends_of_a_range_fire() -> None:
    assert found("01/02/2015-03/02/2015") == ["01/02/2015", "03/02/2015"]
    assert found("2022-03-15/2022-03-20") == ["2022-03-15", "2022-03-20"]
    assert found("2022-03-15T10:00/2022-03-20T11:00") == ["2022-03-15T10:00", "2022-03-20T11:00"]


@pytest.mark.parametrize(
    "text",
    [
        "3/15-3/20/22",
        "03/15-03/20/2022",
        "3/15 to 3/20/22",
        "15/3-20/3/2022",
        "10/23-11/2/64",
        "15.-20.3.2022",
        "15.3.-20.3.22",
        "15.3. - 20.3.2022",
        "15. bis 20.3.2022",
        "15-20/3/2022",
        "3/15-20/2022",
        "12/28–1/3/15",
    ],
)
def test_both_ends_of_a_range_fire_if_one_has_no_year(text: str) -> None:
    assert found(f"stay {text}, then") == [text]


@pytest.mark.parametrize("text", ["8/10-3/10", "1.-2.3.4.5", "15.-20.3.20225", "3/15-3/20/225"])
def test_other_figures_are_no_range(text: str) -> None:
    assert found(f"at {text} now") == []


def test_a_season_is_no_address() -> None:
    text = "in Spring 2020 and fall 2021; the spring 1998 cohort"
    assert [span.label for span in PatternDetector().detect(text)] == []
    assert "ADDRESS" in {span.label for span in PatternDetector().detect("wohnt Am Kurring 12, Ulmring 3")}


@pytest.mark.parametrize(
    "text",
    [
        "13/13/2015",
        "32/01/2015",
        "0/1/2015",
        "2015-13-01",
        "120/80",
        "5/10",
        "1.2.15",
        "1.2.3.4",
        "24/07-2015",
        "12 may have",
        "3 out of 4",
        "2 ago",
        "may 5",
        "march 3 miles",
        "OCT 3 mm",
        "12 marathons",
        "32 march 15",
        "March of dimes",
        "marzo",
        "2015",
        "12.5 mar",
        "A12/03/2015",
        "12/03/20156",
        "Marchand 12",
    ],
)
def test_date_near_miss(text: str) -> None:
    assert found(text) == []

from spark_deid.report.charts import Part, families, label_bars, widths

SPANS = {"round-1": {"NAME": 6, "DATE": 1}, "round-2": {"NAME": 2}, "pattern:date": {"DATE": 3}, "gold": {"NAME": 2}}


def test_rounds_are_one_family_and_longest_bar_comes_first() -> None:
    name, date = label_bars(SPANS)
    assert (name.name, name.total, date.name, date.total) == ("NAME", 10, "DATE", 4)
    assert name.parts == (Part("model", 8, 80.0), Part("gold", 2, 20.0))
    assert date.parts == (Part("model", 1, 10.0), Part("patterns", 3, 30.0))


def test_families_stand_in_the_order_of_drawing() -> None:
    assert families(["gold", "pattern:x", "round-1", "round-2"]) == ("model", "patterns", "gold")


def test_nothing_has_no_bars() -> None:
    assert label_bars({}) == ()
    assert label_bars({"gold": {"NAME": 0}})[0].parts == ()
    assert widths([]) == ()
    assert widths([0.0]) == (0.0,)

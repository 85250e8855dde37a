from spark_deid.corpus.text import parse_document, render_document


def test_line_ends_survive() -> None:
    document = parse_document("a\r\nb\n😀 ".encode(), None, "x.txt", "x")
    assert document.text == "a\r\nb\n😀 "
    assert render_document(document) == {".txt": "a\r\nb\n😀 ".encode()}

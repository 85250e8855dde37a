"""Texts of pieces that detectors, overlaps and offsets stumble over, drawn by a seed."""

import numpy as np

_PIECES = (
    *("Ann Lee", "Dr. John Smith", "May Smith", "Boston", "General Hospital", "O'Brien-Jones", "José García", "李小龍"),
    *(
        "ann@example.org",
        "ann [at] example (dot) com",
        "212-555-0147",
        "6l7-555-O143",
        "https://x.org/a?b=1",
        "10.0.0.1",
    ),
    *("03/04/2019", "3-IV-1970", "12 Elm Street", "02139", "MRN 12345678", "4111 1111 1111 1111", "SSN 123-45-6789"),
    *("[NAME]", "[PHONE]", "★", "★★", "[REMOVED]", "{date}", "<b>", "\u200b", "\u00ad", "\u202e", "e\u0301", "\ufe0f"),
    *("😀", "👩\u200d👩\u200d👧", "\t", "\n", "\r\n", "\x0b", " ", "  ", "\u00a0", ".", ",", ":", "-", "(", ")", "'s"),
    *("of", "the", "patient", "was seen by", "diabetes", "is", "from", "born", "aged 93", "cancer", "marijuana", "an"),
)


def fuzzed_texts(count: int, seed: int) -> list[str]:
    """Draw that many texts, each of up to 40 pieces with or without spaces between."""
    random = np.random.default_rng(seed)
    texts = []
    for _ in range(count):
        pieces = random.choice(np.array(_PIECES, object), random.integers(1, 40))
        gaps = random.choice(np.array([" ", " ", " ", ""], object), len(pieces))
        texts.append("".join(f"{piece}{gap}" for piece, gap in zip(pieces, gaps, strict=True)))
    return texts

"""What a person's dictionary finds that a model did not, round by round, in notes of `synthesize --attributes`.

    python benchmarks/feedback_rounds.py --model out/model --input out/notes

Counts annotated mentions of names, numbers, ZIP codes and cities of a person that the model's spans touch, and those
that the dictionary's touch after each round; and the dictionary's spans that touch no annotation.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from identity_notes import Row, notes

from spark_deid.core.span import Span
from spark_deid.greedy.sanitizer import load_sanitizer
from spark_deid.identity.dictionary import KINDS, KnownValue, known_mentions
from spark_deid.identity.mentions import mentions_of
from spark_deid.identity.settings import LabelAttribute
from spark_deid.values.locale import ValueLocale

LABELS = {
    "PATIENT": LabelAttribute("name", "name"),
    "MRN": LabelAttribute("mrn", "code"),
    "ZIP": LabelAttribute("zip", "postcode"),
    "CITY": LabelAttribute("city", "city"),
    "STATE": LabelAttribute("state", "state"),
}
SOUGHT = tuple(label for label, each in LABELS.items() if each.kind in KINDS)
Found = dict[str, tuple[Span, ...]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--decoding", choices=("viterbi", "cost"), default="viterbi")
    parser.add_argument("--input", type=Path, required=True, help="a folder of annotated notes of persons")
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    texts = list(islice(notes(given.input), given.documents))
    model = load_sanitizer(given.model).decoding_as(given.decoding)
    found = {note["doc_id"]: tuple(model.detect(note["text"])) for note in texts}
    told = [touched(texts, found)]
    total, vain = 0, 0
    for _ in range(given.rounds):
        added = dict(further(texts, found))
        total += sum(map(len, added.values()))
        vain += sum(
            not any(meets(span, each) for each in note["spans"]) for note in texts for span in added[note["doc_id"]]
        )
        found = {doc_id: spans + added[doc_id] for doc_id, spans in found.items()}
        told.append(touched(texts, found))
        if not any(added.values()):
            break
    print("| label | mentions | model |" + "".join(f" round {n} |" for n in range(1, len(told))))
    print("|---|---|---|" + "---|" * (len(told) - 1))
    gold = Counter(span["label"] for note in texts for span in note["spans"])
    for label in SOUGHT:
        print(f"| {label} | {gold[label]:,} | " + " | ".join(f"{counts[label]:,}" for counts in told) + " |")
    print(f"\nadded: {total:,} spans; {vain:,} of them where no annotation is")


def further(texts: Sequence[Row], found: Mapping[str, Sequence[Span]]) -> Iterator[tuple[str, tuple[Span, ...]]]:
    """Yield what the dictionaries of people add to the spans of each note."""
    known: dict[str, set[KnownValue]] = defaultdict(set)
    for note in texts:
        for mention in mentions_of(note["text"], found[note["doc_id"]], LABELS, ValueLocale()):
            if mention.label in SOUGHT and mention.value is not None:
                known[note["subject_id"]].add(KnownValue(LABELS[mention.label].kind, mention.label, mention.value))
    for note in texts:
        entries = sorted(known[note["subject_id"]])
        yield note["doc_id"], known_mentions(note["text"], found[note["doc_id"]], entries)


def touched(texts: Sequence[Row], found: Mapping[str, Sequence[Span]]) -> Counter[str]:
    """Count annotated mentions that spans touch, by label."""
    return Counter(
        gold["label"] for note in texts for gold in note["spans"] if any(meets(s, gold) for s in found[note["doc_id"]])
    )


def meets(span: Span, gold: Row) -> bool:
    met: bool = span.start < gold["end"] and gold["start"] < span.end
    return met


if __name__ == "__main__":
    main()

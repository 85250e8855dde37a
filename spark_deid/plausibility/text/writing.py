"""Write what a term becomes, in its number and case."""

from spark_deid.plausibility.text.mentions import TermMention
from spark_deid.plausibility.text.numbers import is_several
from spark_deid.plausibility.text.senses import GeneralizationStep, WordSenses
from spark_deid.values.wording import in_case_of

OUTSIDE, NO_PLURAL, UNDECIDED = "outside-ontology", "no-plural", "maybe-no-noun"
FEW_COUNTED = "few-counted"


def write_term(text: str, mention: TermMention, step: GeneralizationStep, senses: WordSenses) -> str | None:
    """Return what is written for a term, in its number and case; None where no plural can be written for several."""
    if senses.ontology.spelling is not None:
        return senses.ontology.replacement(text[mention.start : mention.end], step.node)
    name: str | None = step.name
    if is_several(text, mention.start, mention.end, inflected=mention.inflected):
        name = senses.plural(step.node)
    return None if name is None else written_name(text, mention, name, senses)


def written_name(text: str, mention: TermMention, name: str, senses: WordSenses) -> str:
    """Return a name, in the number that it is to have, in the case of a term."""
    if text[mention.start : mention.end].islower():
        return name
    return in_case_of(text, mention.start, mention.end, senses.word(mention.lemma), name)

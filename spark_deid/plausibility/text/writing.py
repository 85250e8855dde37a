"""Write what a term becomes, in its number and case."""

from spark_deid.plausibility.text.mentions import TermMention
from spark_deid.plausibility.text.senses import GeneralizationStep, WordSenses
from spark_deid.values.wording import in_case_of

OUTSIDE = "outside-ontology"


def written(text: str, mention: TermMention, step: GeneralizationStep, senses: WordSenses) -> str:
    """Return what is written for a term, in its number and case."""
    if senses.ontology.spelling is not None:
        return senses.ontology.replacement(text[mention.start : mention.end], step.node)
    name = senses.plural(step.node) if mention.inflected else step.name
    if text[mention.start : mention.end].islower():
        return name
    return in_case_of(text, mention.start, mention.end, senses.word(mention.lemma), name)

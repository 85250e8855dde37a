"""Options that the help of a command shows only on request, so that it fits a screen."""

from types import MappingProxyType

_SHARED = "--unlabelled --master --workers --engine"
_NAMES = {
    "anonymize": "--distance --population --locale --delimiter --relaxed --loss --keep-identifying --fitted --previous"
    " --key-file --recoding --suppression --fail-on --option --scratch",
    "train": "--auxiliary --max-rounds --publish-budget --counts --background --tagger --iterations --embeddings"
    " --minutes --seed --folds --patterns --context --learning-curve --option",
    "attack": "--learners --features --stronger --background --tagger --folds --seed --budgets --public-format"
    " --public-option --simulate --vc-dimension --loss-ratio --option",
    "evaluate": "--scratch --rounds --option",
    "repeats": "--covering --whole-tokens --cap --strict --shards --mask-length --sweep --release-ids --key-file",
    "assess": "--sample --hierarchies --population --distance --locale --delimiter",
    "representation pseudonymize": "--to --include-self --exclude --index --scope --sentences --cache --option",
    "representation train": "--neighbours --strength --invariance --divergence --units --epochs --alternations"
    " --attack-epochs --seed --option",
    "representation learn-embeddings": "--passes --min-count --option",
    "experiment greedy": "--attackers --attack-ratios --auxiliary --background --tagger --counts --iterations --folds"
    " --option",
    "experiment representation": "--transforms --pseudonyms --private --outputs --units --epochs --attack-epochs"
    " --attack-pairs --adversaries --longest --invariance --divergence --templates --alternations --casing"
    " --labels --option",
    "experiment surrogates": "--persons --learner --features --option",  # words: ok (name of an option)
    "experiment repeats": "--option",
    "experiment plausibility": "--height --most-nodes",
    "representation transform": "--option",
}
RARE_OPTIONS = MappingProxyType({command: frozenset(f"{names} {_SHARED}".split()) for command, names in _NAMES.items()})
"""By command, without the program's name. A name that a command does not have hides nothing."""

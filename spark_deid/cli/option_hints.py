"""The class of commands: hints for options of other programs, refusal of options given twice, and a short help."""

import re
from collections import Counter
from types import MappingProxyType
from typing import Annotated, Any

import typer
import typer.core
import typer.main
from typer.models import CommandInfo

_MEANT = {
    "--output": ("--release", "--release RELEASE, and --workspace WORKSPACE for the private files"),
    "--out": ("--release", "--release RELEASE, and --workspace WORKSPACE for the private files"),
    **dict.fromkeys(
        ("--text-column", "--text_column", "--column"),
        ("--option", "--option text_column=NAME, an option of the input format"),
    ),
    **dict.fromkeys(
        ("--id-column", "--id_column"), ("--option", "--option id_column=NAME, an option of the input format")
    ),
    "--encoding": ("--option", "--option encoding=cp1252, an option of the input format"),
    "--entities": ("--labels", "--labels NAME,PHONE"),
    "--k": ("--set", "--set repeats.k=5"),
}
"""Each with an option that the command has, for it to be spoken of, and what to write."""


WITH_OPTIONS = "with_options"
"""The attribute of a command's function that returns the function with the signature of its options."""
_HELP_ALL = "--help-all"
_IS_WHOLE, _IS_SHORT = f"{__name__}.is_whole", f"{__name__}.is_short"
"""Keys of a context: the user wants every option, or help without rare ones is being written."""


class HintingCommand(typer.core.TyperCommand):
    """A command with a short help, hints for options of other programs, and refusal of options given twice."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self._params: list[Any] = []
        self._with_options = getattr(named.get("callback"), WITH_OPTIONS, None)
        super().__init__(*arguments, **named)
        self.help = _unwrapped(self.help or "")

    @property
    def params(self) -> list[Any]:
        """The parameters; those of options are made when first asked for, since options take time to import."""
        if self._with_options is not None:
            function, self._with_options = self._with_options(), None
            made = typer.main.get_command_from_info(
                CommandInfo(name=self.name, cls=typer.core.TyperCommand, callback=function),
                pretty_exceptions_short=False,
                rich_markup_mode="rich",
            )
            self._params, self.callback = made.params, made.callback
        return self._params

    @params.setter
    def params(self, parameters: list[Any]) -> None:
        self._params = parameters

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, without rare ones while short help is written. Other commands have no HelpAll."""
        parameters = super().get_params(ctx)
        rare = {each.opts[0] for each in parameters} & RARE_OPTIONS.get(_command_name(ctx), frozenset())
        hidden = rare if ctx.meta.get(_IS_SHORT) else set()
        return [each for each in parameters if each.opts[0] not in (hidden if rare else {_HELP_ALL})]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write help, without rare options unless the user wants every option."""
        ctx.meta[_IS_SHORT] = not ctx.meta.get(_IS_WHOLE)
        super().format_help(ctx, formatter)
        ctx.meta[_IS_SHORT] = False

    def parse_args(self, context: Any, arguments: list[str]) -> list[str]:
        """Parse arguments; raises BadParameter for options of other programs that the command doesn't have."""
        own = {name for parameter in self.params for name in parameter.opts}
        for given in (argument.partition("=")[0] for argument in arguments):
            needed, meant = _MEANT.get(given, ("", ""))
            if given not in own and needed in own:
                raise typer.BadParameter(f"no such option. This command has {meant}", param_hint=given)
        self._check_once(context, arguments)
        return super().parse_args(context, arguments)

    def _check_once(self, context: Any, arguments: list[str]) -> None:
        """Raise BadParameter for an option that is given twice and has no list."""
        *_, given = self.make_parser(context).parse_args(args=list(arguments))
        numbers = Counter(parameter.name for parameter in given if parameter.param_type_name == "option")
        for parameter in given:
            if numbers[parameter.name] > 1 and not (parameter.multiple or parameter.is_eager):
                raise typer.BadParameter(
                    f"expected once, found {numbers[parameter.name]} times", param_hint=parameter.opts[0]
                )


def _command_name(context: Any) -> str:
    """Return a command's name with those of its groups, without the program's."""
    names: list[str] = []
    while context.parent is not None:
        names.insert(0, context.info_name)
        context = context.parent
    return " ".join(names)


def _show_all(context: typer.Context, is_wanted: bool) -> None:
    if is_wanted and not context.resilient_parsing:
        context.meta[_IS_WHOLE] = True
        typer.echo(context.get_help())
        raise typer.Exit


HelpAll = Annotated[
    bool, typer.Option("--help-all", is_eager=True, callback=_show_all, help="Show every option and exit.")
]
"""The option of commands that have rare options."""


def _unwrapped(text: str) -> str:
    """Return help with each paragraph in one line, which the screen's width breaks.

    >>> _unwrapped("One\\ntwo.\\n\\nThree.")
    'One two.\\n\\nThree.'
    """
    return re.sub(r"(?<!\n)\n[ \t]*(?!\s)", " ", text)


# Options that the help of a command shows only on request, so that it fits a screen.


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

"""Options that people know of other programs, what stands for them here, and options that are given twice."""

from collections import Counter
from typing import Any

import typer
import typer.core

_MEANT = {
    "--output": ("--release", "--release RELEASE, and --workspace WORKSPACE for what is private"),
    "--out": ("--release", "--release RELEASE, and --workspace WORKSPACE for what is private"),
    **dict.fromkeys(
        ("--text-column", "--text_column", "--column"), ("--option", "--option text_column=NAME, of the input's format")
    ),
    **dict.fromkeys(("--id-column", "--id_column"), ("--option", "--option id_column=NAME, of the input's format")),
    "--encoding": ("--option", "--option encoding=cp1252, of the input's format"),
    "--entities": ("--labels", "--labels NAME,PHONE"),
    "--k": ("--set", "--set repeats.k=5"),
}
"""Each with an option that the command has, for it to be spoken of, and what to write."""


class HintingCommand(typer.core.TyperCommand):
    """A command that says what stands for an option of other programs, and refuses options that are given twice."""

    def parse_args(self, context: Any, arguments: list[str]) -> list[str]:
        """Parse arguments; raises BadParameter for options of other programs that the command doesn't have."""
        own = {name for parameter in self.params for name in parameter.opts}
        for given in (argument.partition("=")[0] for argument in arguments):
            needed, meant = _MEANT.get(given, ("", ""))
            if given not in own and needed in own:
                raise typer.BadParameter(f"there is no such option; here it is {meant}", param_hint=given)
        self._check_once(context, arguments)
        return super().parse_args(context, arguments)

    def _check_once(self, context: Any, arguments: list[str]) -> None:
        """Raise BadParameter for an option that is given twice and has no list."""
        *_, given = self.make_parser(context).parse_args(args=list(arguments))
        numbers = Counter(parameter.name for parameter in given if parameter.param_type_name == "option")
        for parameter in given:
            if numbers[parameter.name] > 1 and not (parameter.multiple or parameter.is_eager):
                raise typer.BadParameter(
                    f"expected once, is given {numbers[parameter.name]} times", param_hint=parameter.opts[0]
                )

"""Options that take one value are given once, and an unknown one is answered with the right one.

Of several values the last would hold, and the others would be ignored without a word.
"""

from typing import Any

from typer.core import TyperCommand, TyperOption
from typer.exceptions import TyperException

from flowstart.cli.console import COMMAND
from flowstart.cli.help_page import WithHelp
from flowstart.errors import RequestError


class Command(WithHelp, TyperCommand):
    """A command that refuses an option with one value where it is given twice."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Looks at the options in the order of the command line before any is taken."""
        COMMAND.set([*ctx.command_path.split(), *args])
        try:
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        except TyperException as error:
            known = [name for param in self.get_params(ctx) for name in param.opts]
            option = getattr(error, "option_name", None)
            if option is None or option in known:
                raise
            raise _unknown(option, ctx, known) from None
        single = [
            option
            for option in order
            if isinstance(option, TyperOption) and not (option.multiple or option.is_flag)
        ]
        for i, option in enumerate(single):
            if option in single[:i]:
                raise RequestError(f"{option.opts[0]} is given twice; {_remedy(option)}")
        return super().parse_args(ctx, args)


def _unknown(option: str, ctx: Any, known: list[str]) -> RequestError:
    """What is said of an option that a command does not have: the one that is meant."""
    from flowstart.cli.renamed import called_elsewhere, renamed
    from flowstart.model.catalog import suggest  # loads the simulator

    if new := renamed(ctx.command_path.removeprefix("flowstart "), option):
        return RequestError(f"{option}: now {new}")
    if here := called_elsewhere(option, known):
        near = f"; did you mean `{here}`?"
    else:
        near = suggest(option, known, f"{ctx.command_path} --help-all")
    return RequestError(f"{option}: there is no such option{near}")


def _remedy(option: TyperOption) -> str:
    is_list = (option.metavar or "").endswith("...")
    return "join its values with commas" if is_list else "it takes one value"

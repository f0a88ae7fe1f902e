"""Options that take one value are given once, and an unknown one is answered with the right one.

Of several values the last would hold, and the others would be ignored without a word.
"""

from typing import Any

from typer._click.exceptions import NoSuchOption
from typer.core import TyperCommand, TyperOption

from flowstart.cli.console import COMMAND
from flowstart.cli.help_page import WithHelp
from flowstart.errors import RequestError


class Command(WithHelp, TyperCommand):
    """A command that refuses an option with one value where it is given twice."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Looks at the options in the order of the command line before any is taken."""
        ctx.meta[COMMAND] = [*ctx.command_path.split(), *args]
        try:
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        except NoSuchOption as error:
            from flowstart.cli.renamed import renamed
            from flowstart.model.catalog import suggest  # loads the simulator

            command = ctx.command_path.removeprefix("flowstart ")
            if new := renamed(command, error.option_name):
                raise RequestError(f"{error.option_name}: now {new}") from None
            known = [name for param in self.get_params(ctx) for name in param.opts]
            near = suggest(error.option_name, known, f"{ctx.command_path} --help-all")
            raise RequestError(f"{error.option_name}: there is no such option{near}") from None
        single = [
            option
            for option in order
            if isinstance(option, TyperOption) and not (option.multiple or option.is_flag)
        ]
        for i, option in enumerate(single):
            if option in single[:i]:
                raise RequestError(f"{option.opts[0]} is given twice; {_remedy(option)}")
        return super().parse_args(ctx, args)


def _remedy(option: TyperOption) -> str:
    is_list = (option.metavar or "").endswith("...")
    return "join its values with commas" if is_list else "it takes one value"

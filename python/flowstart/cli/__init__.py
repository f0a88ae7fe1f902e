"""The command `flowstart`: one module per subcommand.

Exit status: 0 done, 1 it failed while running (what is finished is kept), 2 the request
was wrong (nothing written), 130 stopped by Ctrl-C. Errors are one line on stderr.
"""

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from typer.exceptions import Abort, TyperException

from flowstart.cli import algorithms, compare, run, schema
from flowstart.cli.console import complain
from flowstart.errors import FlowstartError, RequestError

app = typer.Typer(
    name="flowstart",
    help="A laboratory for flow start-up: which start-up serves your traffic best?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(compare.compare)
app.command()(run.run)
app.command()(algorithms.algorithms)
app.command()(schema.schema)


def _show_version(wanted: bool) -> None:
    if wanted:
        from flowstart._native import version

        print(f"flowstart {version()}")
        raise typer.Exit


@app.callback()
def _flowstart(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line and returns its exit status; no traceback reaches the user."""
    try:
        words = None if arguments is None else list(arguments)
        status = app(words, prog_name="flowstart", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except RequestError as error:
        return complain(str(error), 2)
    except FlowstartError as error:
        return complain(str(error), 1)
    except TyperException as error:
        return complain(error.format_message(), error.exit_code)
    except (KeyboardInterrupt, Abort):
        return complain("stopped by Ctrl-C", 130)
    except BrokenPipeError:
        # The reader of our output has gone; Python would complain of it when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if os.environ.get("FLOWSTART_DEBUG"):
            raise
        defect = f"{type(error).__name__}: {error}"
        return complain(f"a defect of flowstart: {defect} (FLOWSTART_DEBUG=1 shows where)", 1)

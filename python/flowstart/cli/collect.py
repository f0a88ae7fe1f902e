"""`flowstart collect`: what the kernel measures of this machine's connections."""

from typing import Annotated

from flowstart.cli import console
from flowstart.questions.collect import Collect
from flowstart.questions.option import Given, of

OUTPUT = next(each.option for each in of(Collect) if each.is_argument)


def collect(
    question: Annotated[Given, of(Collect, without=("output",))],
    output: Annotated[str | None, OUTPUT] = None,
) -> None:
    """Collect a row for each response of this machine's servers.

    A BPF program reports bytes, time until acknowledged, RTTs, retransmissions, windows and the
    end of slow start. It needs root and changes no connection. `capture`, `replay` and `verify`
    read the rows. Ctrl-C or SIGTERM ends it.
    """
    from flowstart.cli.progress import Progress
    from flowstart.collection.collect import collect as collected

    with console.speaking_of(None), Progress("seconds") as progress:
        collection = collected(output, **question, progress=progress)
    say = console.say if output else console.note  # rows are on the standard output
    for line in str(collection).splitlines():
        say(line)

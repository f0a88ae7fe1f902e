"""`flowstart paths` and `flowstart stacks`: what there is by name, and what it is made of."""

from typing import Annotated, Any

import typer

from flowstart.cli import completion, console, options


def _name(kind: str, complete: completion.Complete) -> Any:
    """The argument that names one of a kind."""
    return typer.Argument(
        metavar="NAME",
        help=f"{kind} to show in full.",
        show_default=False,
        autocompletion=complete,
    )


PATH = Annotated[str | None, _name("Path", completion.paths)]
STACK = Annotated[str | None, _name("Preset", completion.stacks)]


def paths(name: PATH = None, details: options.Details = False, json: options.Json = False) -> None:
    """List the named paths, or show every field of one."""
    from flowstart.model.definitions import parts
    from flowstart.model.path import named_path, named_paths
    from flowstart.render import known

    if name:
        found = named_path(name)
        if json:
            console.show_json({"name": name, **found})
            return
        about = found.pop("about")
        console.show_text(f"{name}: {about}.")
        console.show_grid(known.fields(found, parts()["NetworkPath"].fields))
        console.say(f"On it: flowstart compare --path {name}")
    elif json:
        console.show_json([{"name": name, **fields} for name, fields in named_paths().items()])
    else:
        width = None if details else console.PLAIN_LINE
        console.show_grid(known.paths(named_paths(), whole=details), width)
        console.say("One in full: flowstart paths NAME. On one: flowstart compare --path NAME")


def stacks(
    name: STACK = None, details: options.Details = False, json: options.Json = False
) -> None:
    """List the presets of endpoints, or show every field of one."""
    from flowstart.model import stack
    from flowstart.model.definitions import parts
    from flowstart.render import known

    if name:
        found = stack.preset(name)
        if json:
            console.show_json({"name": name, **found})
            return
        console.show_text(f"{name}: {stack.PRESETS[name]}.")
        console.show_grid(known.fields(found, parts()["Endpoint"].fields))
        console.say(f"Congestion control unless --cc names another: {stack.usual_cc(name)}.")
        console.say(f"With it: --stack {name}; with another value: --stack {name}:FIELD=VALUE")
        return
    presets = {name: stack.preset(name) for name in stack.PRESETS}
    if json:
        console.show_json([{"name": name, **fields} for name, fields in presets.items()])
        return
    for name, about in stack.PRESETS.items():
        console.show_text(f"{name}: {about}.", console.PLAIN_LINE)
    if details:
        console.show_grid(known.stacks(presets))
        console.say("Fields on which these agree are not listed.")
    else:
        console.say("Fields on which they differ: --details")
    console.say("One in full: flowstart stacks NAME. With one: flowstart compare --stack NAME")

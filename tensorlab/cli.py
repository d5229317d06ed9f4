"""The command line: `tensorlab lab` opens the course, `tensorlab fetch` brings a real model's file."""

import argparse
import sys

import tensorlab
from tensorlab.errors import TensorlabError

FIRST_CHAPTER = "00-start-here.ipynb"


def main(arguments=None):
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after ``tensorlab``; those of the process when left out.

    Returns
    -------
    int
        0 when it worked, 1 when it failed, 2 when it was misused, 130 when Ctrl-C stopped it.

    Examples
    --------
    >>> main(["--version"])  # doctest: +ELLIPSIS
    tensorlab ...
    0
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    cut = words.index("--") if "--" in words else len(words)
    parser = _parser()
    try:
        options = parser.parse_args(words[:cut], argparse.Namespace(jupyter=words[cut + 1 :]))
        if options.jupyter and options.run is not _lab:
            parser.error("only lab takes words after --")
        if options.run is _lab and options.port is not None and not 0 <= options.port <= 65_535:
            parser.error(f"argument --port: {options.port} is no port, they go from 0 to 65535")
        return options.run(options)
    except SystemExit as stop:
        return stop.code or 0
    except TensorlabError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _parser():
    parser = argparse.ArgumentParser(prog="tensorlab", description="Where every number of a tensor lives.")
    parser.add_argument("--version", action="version", version=f"tensorlab {tensorlab.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="{lab,fetch}", required=True)

    lab = commands.add_parser(
        "lab",
        help="open the course in JupyterLab",
        description="Copy the chapters that are missing into my-notebooks and open JupyterLab there. "
        "What you edited is never overwritten.",
        epilog="Words after -- go to jupyter lab as they are: tensorlab lab -- --ip=0.0.0.0",
    )
    lab.add_argument("--port", type=int, metavar="N", help="the port to listen on (8888, or the next free one)")
    lab.add_argument("--no-browser", action="store_true", help="print the address and open no window")
    lab.set_defaults(run=_lab)

    fetch = commands.add_parser(
        "fetch",
        help="bring a real model's file",
        description="Bring a real, published model's file into the course's cache and check it.",
    )
    fetch.add_argument("name", choices=["silero-vad"], help="a speech detector, 1.2 MB, MIT licence")
    fetch.set_defaults(run=_fetch)
    return parser


def _lab(options):
    from tensorlab import lab

    mine = lab.reader_notebooks()
    changes = lab.refresh(lab.shipped_notebooks(), mine)
    lab.trust(change.path for change in changes if change.action != "kept")
    for line in _what_changed(changes, mine):
        print(line, flush=True)
    browser = lab.has_desktop() and not options.no_browser
    lab.serve(
        mine,
        FIRST_CHAPTER,
        port=options.port,
        browser=browser,
        arguments=options.jupyter,
        announce=lambda address: print(
            f"JupyterLab is running. {'If no window opens, open' if browser else 'Open'} this address in a browser:\n\n"
            f"    {address}\n\n"
            "Ctrl-C here stops it; your work stays in my-notebooks.",
            flush=True,
        ),
    )
    return 0


def _what_changed(changes, mine):
    copied = [change for change in changes if change.action == "copied"]
    if copied:
        yield f"Copied {len(copied)} chapter{'s' * (len(copied) > 1)} into {mine}"
    for change in changes:
        if change.action == "updated":
            yield f"Updated {change.name}, which you had not edited"
        if change.action == "offered":
            yield f"{change.name} has a newer form; yours stays, the newer one is {change.path.name}"


def _fetch(options):
    from tensorlab import data

    print(f"{options.name} is here: {data.fetch_silero_vad(progress=sys.stderr.isatty())}")
    return 0

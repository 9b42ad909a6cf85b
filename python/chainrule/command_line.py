"""The command `chainrule`: run a PyTorch script on chainrule, in one process or several, check it, explain it."""

from __future__ import annotations

import argparse
import io
import os
import sys
import types
from collections.abc import Sequence
from importlib.machinery import ModuleSpec


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; gives its exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    options = _parser(arguments).parse_args(arguments)
    if options.command == "run":
        return run(options.script, options.arguments)
    if options.command == "check":
        return check(options.scripts)
    if options.command == "explain":
        from .explain.command import explain_script

        return explain_script(run, options.script, options.arguments, options.html, options.serve)
    if options.command == "launch":
        from .distributed.launch import launch

        return launch(options)
    _parser().print_help()
    return 2


def _parser(arguments: Sequence[str] = ()) -> argparse.ArgumentParser:
    from . import __version__

    parser = argparse.ArgumentParser(prog="chainrule", description="Runs PyTorch scripts on chainrule.")
    parser.add_argument("--version", action="version", version=f"chainrule {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="command")
    runner = commands.add_parser("run", help="run a script in which `import torch` gives chainrule")
    runner.add_argument("script", help="a Python file, or - for the standard input")
    runner.add_argument("arguments", nargs=argparse.REMAINDER, help="for the script")
    checker = commands.add_parser("check", help="list the names of torch that a script uses and chainrule lacks")
    checker.add_argument("scripts", nargs="+", metavar="script", help="a Python file, or a folder of them")
    explainer = commands.add_parser("explain", help="run a script, explain its last backward(), and write the page")
    explainer.add_argument("--html", metavar="PATH", help="where the page goes; without it, <script>_explained.html")
    explainer.add_argument(
        "--serve", action="store_true", help="show the page at a local address instead of writing it"
    )
    explainer.add_argument("script", help="a Python file; `import torch` in it gives chainrule")
    explainer.add_argument("arguments", nargs=argparse.REMAINDER, help="for the script")
    launcher = commands.add_parser("launch", help="run a script in several processes, with mpirun")
    if arguments and arguments[0] == "launch":
        from .distributed.launch import add_arguments

        add_arguments(launcher)
    return parser


def run(script: str, arguments: Sequence[str] = ()) -> int:
    """Runs a script as `python script arguments` would, but with chainrule in the place of torch."""
    from . import torch_alias

    try:
        code = _compiled(script)
    except OSError as error:
        print(f"chainrule: can't open file {script!r}: {error.strerror}", file=sys.stderr)
        return 2
    except SyntaxError as error:
        sys.excepthook(SyntaxError, error, None)
        return 1
    torch_alias.install()
    sys.argv = [script, *arguments]
    sys.path[:1] = [os.path.dirname(os.path.abspath(script)) if script != "-" else ""]
    main_module = types.ModuleType("__main__")
    main_module.__file__ = script
    main_module.__dict__["__builtins__"] = __builtins__
    if script != "-":  # a process that multiprocessing starts anew runs the script again: see there
        os.environ["CHAINRULE_SCRIPT"] = os.path.abspath(script)
        main_module.__spec__ = ModuleSpec("chainrule.spawned_script", None)
    sys.modules["__main__"] = main_module
    try:
        exec(code, main_module.__dict__)
    except Exception as error:
        traceback = error.__traceback__ and error.__traceback__.tb_next  # without the frame of this function
        sys.excepthook(type(error), error.with_traceback(traceback), traceback)
        return 1
    return 0


def _compiled(script: str) -> types.CodeType:
    if script == "-":
        return compile(sys.stdin.read(), "<stdin>", "exec")
    with io.open_code(os.path.abspath(script)) as file:
        return compile(file.read(), script, "exec", dont_inherit=True)


def check(scripts: Sequence[str]) -> int:
    """Prints the names that scripts use and chainrule lacks; 1 if there are any."""
    from .missing_names import findings, python_files

    found = 0
    for path in python_files(scripts):
        try:
            for finding in findings(path):
                found += 1
                print(finding)
        except (OSError, SyntaxError, UnicodeDecodeError) as error:
            print(f"chainrule: cannot read {path}: {error}", file=sys.stderr)
            return 2
    if not found:
        print("every name of torch that is used is there")
    return 1 if found else 0

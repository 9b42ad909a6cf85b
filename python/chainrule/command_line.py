"""The command `chainrule`: run a PyTorch script on chainrule, in one process or several, check it, explain it."""

from __future__ import annotations

import argparse
import importlib.util
import io
import linecache
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
        runner = run_module if options.module else run_text if options.text else run
        return runner(options.script, options.arguments)
    if options.command == "completion":
        print(_COMPLETIONS[options.shell])
        return 0
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

    parser = argparse.ArgumentParser(
        prog="chainrule",
        description="Runs PyTorch scripts on chainrule.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"chainrule {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="command")
    runner = commands.add_parser("run", help="run a script in which `import torch` gives chainrule")
    kind = runner.add_mutually_exclusive_group()
    kind.add_argument("-m", dest="module", action="store_true", help="run a module or package by its name")
    kind.add_argument("-c", dest="text", action="store_true", help="run a program that is given as text")
    what = "a Python file, - for the standard input, with -m the name of a module, with -c the program"
    runner.add_argument("script", help=what)
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
    completer = commands.add_parser("completion", help="print what makes a shell complete these commands")
    completer.add_argument("shell", choices=sorted(_COMPLETIONS))
    launcher = commands.add_parser("launch", help="run a script in several processes, with mpirun")
    if arguments and arguments[0] == "launch":
        from .distributed.launch import add_arguments

        add_arguments(launcher)
    return parser


_EXAMPLES = """examples:
  chainrule run train.py --epochs 3      the script, unchanged, on chainrule
  chainrule run -m package.train         a module, as python -m runs it
  chainrule run -c "import torch; print(torch.ones(2))"
  chainrule check train.py               which names of torch are missing?
  chainrule explain train.py             how is the last gradient calculated? text and a page
  chainrule launch -n 4 train.py         four processes
  source <(chainrule completion bash)    completion; zsh: the same with zsh
In a notebook: %load_ext chainrule"""

_COMPLETIONS = {
    "bash": """_chainrule() {
  local word=${COMP_WORDS[COMP_CWORD]}
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "run check explain launch completion --help --version" -- "$word"))
  elif [ "${COMP_WORDS[1]}" = completion ]; then
    COMPREPLY=($(compgen -W "bash zsh" -- "$word"))
  else
    local options
    case "${COMP_WORDS[1]}" in run) options="-m -c" ;; explain) options="--html --serve" ;; esac
    COMPREPLY=($(compgen -W "$options" -- "$word") $(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _chainrule chainrule""",
    "zsh": """_chainrule() {
  if (( CURRENT == 2 )); then compadd run check explain launch completion --help --version
  elif [[ $words[2] == completion ]]; then compadd bash zsh
  else
    case $words[2] in run) compadd -- -m -c ;; explain) compadd -- --html --serve ;; esac
    _files
  fi
}
compdef _chainrule chainrule""",
}


def run_text(text: str, arguments: Sequence[str] = ()) -> int:
    """Runs a program given as text as `python -c text arguments` would, but with chainrule in the place of torch."""
    from . import torch_alias

    try:
        code = _remembered(text, "<string>")
    except SyntaxError as error:
        sys.excepthook(SyntaxError, error, None)
        return 1
    torch_alias.install()
    sys.path[:1] = [""]
    return _execute(code, "-c", arguments, None)


def _remembered(text: str, name: str) -> types.CodeType:
    """Compiles a text that is in no file, so that lines of it can be shown."""
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    return compile(text, name, "exec", dont_inherit=True)


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
    sys.path[:1] = [os.path.dirname(os.path.abspath(script)) if script != "-" else ""]
    if script == "-":
        return _execute(code, script, arguments, None)
    os.environ["CHAINRULE_SCRIPT"] = os.path.abspath(script)
    return _execute(code, script, arguments, ModuleSpec("chainrule.spawned_script", None))


def run_module(name: str, arguments: Sequence[str] = ()) -> int:
    """Runs a module, or a package, as `python -m name arguments` would, but with chainrule in the place of torch."""
    from . import torch_alias

    torch_alias.install()
    sys.path[:1] = [os.getcwd()]
    try:
        spec = main_spec(name)
        code = spec.loader.get_code(spec.name)  # type: ignore[union-attr]
    except ImportError as error:
        print(f"chainrule: {error}", file=sys.stderr)
        return 1
    os.environ["CHAINRULE_MODULE"] = name
    return _execute(code, spec.origin or name, arguments, _SpecInPackage(spec.parent))


def main_spec(name: str) -> ModuleSpec:
    """The spec of what `python -m name` runs: the module, or the module __main__ of a package."""
    spec = importlib.util.find_spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        name = f"{name}.__main__"
        spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None or not hasattr(spec.loader, "get_code"):
        raise ImportError(f"No module named {name}")
    return spec


class _SpecInPackage(ModuleSpec):
    """That of a main module which is part of a package: relative imports look for the package in it."""

    def __init__(self, package: str | None):
        super().__init__("chainrule.spawned_script", None)
        self._package = package or ""

    @property
    def parent(self) -> str:
        """The package."""
        return self._package


def _execute(code: types.CodeType, path: str, arguments: Sequence[str], spec: ModuleSpec | None) -> int:
    """Runs code as the main module. `spec` is where a process that multiprocessing starts anew begins: see there."""
    sys.argv = [path, *arguments]
    main_module = types.ModuleType("__main__")
    main_module.__file__ = path
    main_module.__dict__["__builtins__"] = __builtins__
    main_module.__spec__ = spec
    if isinstance(spec, _SpecInPackage):
        main_module.__package__ = spec.parent
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
        return _remembered(sys.stdin.read(), "<stdin>")
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

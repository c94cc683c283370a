"""Help pages: examples that parse, completion, typos, colours."""

from __future__ import annotations

import os
import pty
import re
import shlex
import subprocess
import sys

import pytest
import typer

from segboost.cli.help.examples import EXAMPLES, attach_examples
from segboost.cli.help.metavars import METAVARS
from segboost.cli.main import app, run

SEGBOOST = [sys.executable, "-c", "from segboost.cli.main import main; main()"]


def all_commands():
    """Return every command with its path."""
    found = {}

    def visit(command, path):
        found[path] = command
        for name, below in getattr(command, "commands", {}).items():
            visit(below, f"{path} {name}")

    visit(attach_examples(typer.main.get_command(app)), "segboost")
    return found


COMMANDS = all_commands()
LONG = [
    (path, option)
    for path, command in COMMANDS.items()
    for parameter in command.params
    for option in parameter.opts
    if option.startswith("--") and len(option) > 5
]


def test_every_verb_has_examples_and_no_example_is_orphaned():
    assert set(EXAMPLES) == set(COMMANDS)


@pytest.mark.parametrize("path", COMMANDS)
def test_help_has_a_sentence_and_the_examples(path, capsys):
    assert run([*path.split()[1:], "--help"]) == 0
    printed = capsys.readouterr().out
    assert "Example" in printed
    for command, _ in EXAMPLES[path]:
        assert command in printed
    assert max(len(line) for line in printed.splitlines()) <= 110
    first = printed.split("\n\n")[1].strip()
    assert first[0].isupper()
    assert first.endswith(".")


@pytest.mark.parametrize("example", sorted({c for lines in EXAMPLES.values() for c, _ in lines}))
def test_the_options_of_examples_exist(example):
    words = shlex.split(example)
    path = "segboost"
    rest = words[1:]
    while rest and f"{path} {rest[0]}" in COMMANDS:
        path = f"{path} {rest.pop(0)}"
    known = {o for p in COMMANDS[path].params for o in (*p.opts, *p.secondary_opts)}
    known |= {"--help", "-h"}
    assert {word for word in rest if word.startswith("-")} <= known


@pytest.mark.parametrize(("path", "option"), LONG)
def test_a_typo_in_any_option_suggests_it(path, option, capsys):
    wrong = option[:-2] + option[-1] + option[-2]
    if wrong in {o for _, o in LONG} or option[-1] == option[-2]:
        wrong = option[:-1]
    assert run([*path.split()[1:], wrong]) == 2
    printed = capsys.readouterr().err
    assert "Did you mean" in printed
    assert option in printed
    assert printed.count("\n") == 1


@pytest.mark.parametrize("verb", [p.split()[1] for p in COMMANDS if p.count(" ") == 1])
def test_a_mistyped_verb_suggests_it(verb, capsys):
    wrong = verb[:2] + verb[3:]
    assert run([wrong]) == 2
    assert f"'{verb}'" in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_completes_verbs_and_options(shell):
    def complete(words):
        variables = {
            "_SEGBOOST_COMPLETE": f"complete_{shell}",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
            "_TYPER_COMPLETE_ARGS": words,
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        }
        done = subprocess.run(
            SEGBOOST, capture_output=True, text=True, env={**os.environ, **variables}
        )
        assert done.stderr == ""
        return done.stdout

    verbs = complete("segboost tra")
    assert "train" in verbs
    assert "track" in verbs
    assert "predict" not in verbs
    assert "--masks" in complete("segboost train --ma")


def errors_on_a_terminal(**variables):
    """Return what a usage error prints if standard error is a terminal."""
    ours, theirs = pty.openpty()
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    env = {**clean, "TERM": "xterm-256color", **variables}
    done = subprocess.run([*SEGBOOST, "dmeo"], stdout=subprocess.PIPE, stderr=theirs, env=env)
    os.close(theirs)
    printed = os.read(ours, 10_000)
    os.close(ours)
    assert done.returncode == 2
    return printed


def test_errors_have_colours_on_a_terminal_only():
    assert b"\x1b[" in errors_on_a_terminal()
    assert b"\x1b[" not in errors_on_a_terminal(NO_COLOR="1")
    assert b"\x1b[" not in errors_on_a_terminal(TERM="dumb")
    piped = subprocess.run([*SEGBOOST, "dmeo"], capture_output=True)
    assert b"\x1b[" not in piped.stderr


@pytest.mark.parametrize("path", COMMANDS)
def test_help_has_readable_value_names_and_whole_sentences(path, capsys):
    run([*path.split()[1:], "--help"])
    options = capsys.readouterr().out.split("Options:")[1]
    assert not re.search(r"<(int|float|str|path|list)", options)
    assert "..." not in options.partition("Commands:")[2].partition("Example")[0]


def test_every_readable_value_name_is_used():
    used = {p.name for c in COMMANDS.values() for p in c.params if not getattr(p, "is_flag", False)}
    assert set(METAVARS) <= used

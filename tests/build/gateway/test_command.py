"""`d2l-support execute --gateway`, with a framework and without."""

from pathlib import Path

import nbformat

from d2l_support.build import cli
from d2l_support.build.layout import Book

ROOT = Path(__file__).parents[3]


def test_run_execute_gateway_equals_the_record_by_the_rules(
    serve_kernels, monkeypatch, tmp_path, capsys
):
    served = serve_kernels(Book(ROOT).jupyter)
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("MY_GATEWAY", served.gateway.token)
    choice = ["seeds-practice", "--framework", "jax"]
    place = ["--gateway", served.gateway.url, "--gateway-token-env", "MY_GATEWAY"]
    output = str(tmp_path / "out")
    assert cli.main(["execute", *choice, *place, "--output", output]) == 0
    assert "ran with" not in capsys.readouterr().out
    assert cli.main(["diff", *choice, "--against", output]) == 0
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.endswith("cells in 1 notebooks: 0 drifted, 0 beyond their rule")
    assert not said.startswith("0 ")


def test_run_execute_gateway_with_other_release_notes_it(
    served, command_book, write_section, monkeypatch, tmp_path, capsys
):
    write_section(one="print('x')")
    pins = command_book.requirements("jax")
    pins.write_text("plain==2.0\n")
    monkeypatch.setenv("D2L_TOKEN", served.gateway.token)
    place = ["--gateway", served.gateway.url, "--gateway-token-env", "D2L_TOKEN"]
    choice = ["section", "--framework", "jax", "--output", str(tmp_path / "out")]
    assert cli.main(["execute", *choice, *place]) == 0
    said = capsys.readouterr().out
    assert "part/section (jax): ran with plain 1.0 (pinned: 2.0)" in said
    path = tmp_path / "out" / "part" / "section.jax.ipynb"
    notebook = nbformat.read(path, as_version=4)
    assert notebook.metadata["book"]["environment"]["versions"] == {"plain": "1.0"}


def test_run_execute_gateway_nobody_there(command_book, capsys):
    place = ["--gateway", "http://127.0.0.1:1"]
    assert cli.main(["execute", "--framework", "jax", *place]) == 2
    assert "found no gateway at http://127.0.0.1:1" in capsys.readouterr().err


def test_run_execute_token_without_gateway(command_book, capsys):
    assert cli.main(["execute", "--gateway-token-env", "X"]) == 2
    assert "expected --gateway with it" in capsys.readouterr().err

"""`d2l-support execute --address`, with a framework."""

from pathlib import Path

from d2l_support.build import cli, elsewhere

ROOT = Path(__file__).parents[3]


def test_run_execute_cluster_equals_the_record_by_the_rules(
    make_cluster, monkeypatch, tmp_path, capsys
):
    monkeypatch.chdir(ROOT)
    choice = ["seeds-practice", "--framework", "jax"]
    output = str(tmp_path / "out")
    place = ["--address", make_cluster(1).scheduler_address]
    assert cli.main(["execute", *choice, *place, "--output", output]) == 0
    assert cli.main(["diff", *choice, "--against", output]) == 0
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.endswith("cells in 1 notebooks: 0 drifted, 0 beyond their rule")
    assert not said.startswith("0 ")


def test_run_execute_cluster_without_dask(command_book, monkeypatch, capsys):
    monkeypatch.setattr(elsewhere.importlib.util, "find_spec", lambda name: None)
    place = ["--address", "tcp://127.0.0.1:1"]
    assert cli.main(["execute", "--framework", "jax", *place]) == 2
    assert "found no Dask in this environment" in capsys.readouterr().err

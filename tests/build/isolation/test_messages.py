"""A kernel that sends what is no message, no output, or no text."""

import json

import nbformat
import pytest

from .conftest import errors_of, text_of

SEND = """
kernel = get_ipython().kernel
def send(kind, content):
    parent = get_ipython().get_parent()
    kernel.session.send(kernel.iopub_socket, kind, content, parent=parent, ident=b"x")
"""


@pytest.mark.parametrize(
    "code",
    [
        "send('display_data', {'data': {}, 'metadata': {}, 'transient': 5})",
        "send('status', {'execution_state': []}); send('status', {})",
        "display(1, display_id='d')\nsend('update_display_data', {'data': "
        "{'text/plain': 5}, 'metadata': {}, 'transient': {'display_id': 'd'}})",
        "kernel.session.key = b'another'",
    ],
)
def test_what_is_no_message_ends_the_run(run_in_process, code):
    done = run_in_process(SEND, code, "1", cell_seconds=10)
    assert done.ending == "died"
    assert "found what is no message of a kernel" in done.detail
    assert done.completed == ("c0",)
    assert errors_of(done, 2) == ["NotRun"]


BAD = "{'data': {'text/plain': 5}, 'metadata': {}, 'transient': {}}"


def test_what_is_no_output_is_replaced(run_in_process):
    done = run_in_process(
        SEND,
        f"send('display_data', {BAD})",
        "send('stream', {'nothing': 1})",
        "send('error', {})",
        "print(2)",
    )
    for cell in (1, 2, 3):
        assert errors_of(done, cell) == ["InvalidOutput"]
    assert text_of(done, 4) == "2\n"
    nbformat.validate(done.notebook)


def test_what_is_no_text_can_be_written_to_a_file(run_in_process, tmp_path):
    code = """
import json
kernel.session.pack = lambda content: json.dumps(content, default=str).encode()
send("stream", {"name": "stdout", "text": chr(0xd800)})
"""
    done = run_in_process(SEND, code)
    nbformat.write(done.notebook, tmp_path / "notebook.ipynb")
    assert text_of(done, 1) == "?"


def test_outputs_replaced_later_count(run_in_process):
    code = """
from IPython.display import display
handle = display("x", display_id=True)
while True: handle.update("x" * 10_000)
"""
    done = run_in_process(code, output=100_000)
    assert done.ending == "output"
    assert len(json.dumps(done.notebook)) < 200_000


def test_input_is_refused(run_in_process):
    done = run_in_process("input()", "import getpass\ngetpass.getpass()")
    assert done.completed == ()
    assert errors_of(done) == ["StdinNotImplementedError"]

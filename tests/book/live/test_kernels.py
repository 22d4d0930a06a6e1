"""Kernels behind a page: four at once, found again, interrupted, killed."""

import os
import re
from signal import SIGKILL

from playwright.sync_api import expect

from d2l_support.build.frameworks import ALL_KEYS

SEEDS = "chapters/reproducibility/seeds.html"


def test_four_kernels_run_and_edit_at_once(open_live, live_server):
    live = open_live(live_server, SEEDS)
    cells = {key: live.cell("sequence", key) for key in ALL_KEYS}
    recorded = {
        k: c.root.locator(".cell_input pre").inner_text() for k, c in cells.items()
    }
    for key, cell in cells.items():  # none waits for another
        live.show(key)
        cell.press("run")
    for key, cell in cells.items():
        live.show(key)
        assert cell.wait().startswith("live: as recorded (rule: ")
    for key, cell in cells.items():
        live.show(key)
        assert cell.run(f"print('edited in', {key!r})").strip() == f"edited in {key}"
        assert cell.wait() == "live: edited: not compared"
    paths = {f"book/chapters/reproducibility/seeds.{key}.ipynb" for key in ALL_KEYS}
    assert paths <= set(live.sessions())
    assert live.page.locator(".live-strip [data-phase=idle]").count() == len(ALL_KEYS)
    for key, cell in cells.items():
        assert cell.root.locator(".cell_input pre").text_content().rstrip() == (
            recorded[key].rstrip()
        )


def test_reload_finds_the_same_kernels(open_live, live_server):
    live = open_live(live_server, "chapters/reproducibility/generators.html")
    for key in ("jax", "mxnet"):
        live.show(key)
        live.cell("shared", key).run(f"kept = 'kept by {key}'")
    before = live.sessions()
    live.page.reload()
    offer = live.page.locator(".live-before")
    assert offer.get_by_role("button").all_inner_texts() == ["JAX", "MXNet"]
    offer.get_by_role("button", name="MXNet").click()
    live.wait_for_phase("mxnet", "idle")
    for key in ("jax", "mxnet"):
        live.show(key)
        assert live.cell("shared", key).run("print(kept)").strip() == f"kept by {key}"
    assert live.sessions() == before


def test_interrupt_ends_an_endless_loop(open_live, live_server):
    live = open_live(live_server, "chapters/reproducibility/loader-workers.html")
    cell = live.cell("order", "pytorch")
    cell.write("print('begins')\nwhile True:\n    pass")
    cell.press("run")
    cell.root.get_by_text("begins", exact=True).wait_for()
    live.cell("order-moves", "pytorch").press("run")  # waits behind it
    live.wait_for_phase("pytorch", "busy")
    live.kernel("pytorch").get_by_role("button", name="Interrupt").click()
    live.wait_for_phase("pytorch", "idle")
    cell.wait()
    assert "KeyboardInterrupt" in cell.root.locator(".live-output").inner_text()
    waiting = live.cell("order-moves", "pytorch")
    assert waiting.mark() == "not run: interrupted"
    assert cell.run("print('goes on')").strip() == "goes on"


def test_loop_from_before_a_reload_can_be_interrupted(open_live, live_server):
    live = open_live(live_server, "chapters/reproducibility/resumption.html")
    cell = live.cell("next-draws", "pytorch")
    cell.write("print('begins')\nwhile True:\n    pass")
    cell.press("run")
    cell.root.get_by_text("begins", exact=True).wait_for()
    live.page.reload()
    live.page.locator(".live-before").get_by_role("button", name="PyTorch").click()
    live.wait_for_phase("pytorch", "busy")
    live.kernel("pytorch").get_by_role("button", name="Interrupt").click()
    live.wait_for_phase("pytorch", "idle")
    assert live.cell("next-draws", "pytorch").run("print(1)").strip() == "1"


def test_killed_kernel_is_reported_and_can_be_restarted(open_live, live_server):
    live = open_live(live_server, "chapters/custom-layers/ste.html")
    cell = live.cell("flat", "pytorch")
    first = int(cell.run("import os\nprint(os.getpid())"))
    cell.write("import time\nprint('begins')\ntime.sleep(600)")
    cell.press("run")
    cell.root.get_by_text("begins", exact=True).wait_for()
    os.kill(first, SIGKILL)
    notice = live.kernel("pytorch").locator(".kernel-notice")
    expect(notice).to_contain_text("died", timeout=60_000)
    expect(notice).to_contain_text("its variables are gone")
    assert cell.mark().endswith("stopped: the kernel has ended")
    live.kernel("pytorch").get_by_role("button", name="Restart").click()
    live.wait_for_phase("pytorch", "idle")
    assert int(cell.run("import os\nprint(os.getpid())")) != first
    expect(notice).to_have_text("")


def test_restart_forgets_variables_and_says_what_is_missing(open_live, live_server):
    live = open_live(live_server, SEEDS + "?framework=mxnet")
    cell = live.cell("train-once", "mxnet")
    cell.run("kept = 1")
    live.kernel("mxnet").get_by_role("button", name="Restart").click()
    live.wait_for_phase("mxnet", "idle")
    output = cell.run("print(kept)")
    assert re.search(r"NameError: name 'kept' is not defined", output)
    assert cell.mark().endswith(
        "NameError; cells above have not run in this kernel: Run to here"
    )

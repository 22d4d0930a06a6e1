"""A live cell: edited, compared, reset, by mouse and by keyboard."""

import json

from playwright.sync_api import expect

SEEDS = "chapters/reproducibility/seeds.html?framework=jax&depth=researcher"
LAYERS = "chapters/custom-layers/custom-layers.html?framework=jax&depth=developer"


def test_page_loads_nothing_before_a_button_is_used(open_live, live_server):
    live = open_live(live_server, SEEDS)
    asked = "performance.getEntriesByType('resource').map((entry) => entry.name)"
    live.page.wait_for_load_state("networkidle")
    assert not [name for name in live.page.evaluate(asked) if "/bundled/" in name]
    live.cell("sequence", "jax").press("edit")
    live.page.locator(".cm-focused").wait_for()
    assert [name for name in live.page.evaluate(asked) if "/bundled/live.js" in name]
    assert live.sessions() == {}  # to edit takes no kernel


def test_static_page_has_no_buttons_and_says_how(reader):
    page = reader.open(SEEDS)
    assert page.locator(".cell-bar").count() == 0
    assert "make live" in page.locator(".live-note").inner_text()


def test_result_that_differs_is_marked_with_the_rule(open_live, live_server):
    live = open_live(live_server, SEEDS)
    first = live.cell("sequence", "jax")
    assert first.run("import jax\nkey = jax.random.key(8)") == ""
    cell = live.cell("algorithm", "jax")
    cell.run()
    verdict = cell.wait()
    assert verdict.startswith("live: differs from the record: ")
    assert "A cell that you edited ran before it. (rule: exact)" in verdict
    tone = cell.root.locator(".live-verdict").get_attribute("data-tone")
    assert tone == "differs"


def test_reset_returns_recorded_code_and_output(open_live, live_server):
    live = open_live(live_server, SEEDS)
    cell = live.cell("sequence", "jax")
    code = cell.root.locator(".cell_input")
    shown = cell.root.inner_text()
    cell.run("print('mine')")
    expect(code).to_be_hidden()
    assert cell.root.get_attribute("data-edited") is not None
    assert "mine" in cell.root.inner_text()
    cell.press("reset")
    assert cell.root.inner_text() == shown
    assert cell.root.get_attribute("data-edited") is None
    expect(cell.root.locator("[data-action=run]")).to_be_focused()


def test_recorded_output_can_be_shown_again(open_live, live_server):
    live = open_live(live_server, SEEDS)
    cell = live.cell("sequence", "jax")
    recorded = cell.root.locator(".cell_output:not(.live-output)")
    mine = cell.root.locator(".live-output")
    cell.run("print('mine')")
    expect(recorded).to_be_hidden()
    cell.press("turn")
    expect(recorded).to_be_visible()
    expect(mine).to_be_hidden()
    cell.press("turn")
    expect(mine).to_be_visible()


def test_edited_mark_follows_the_code(open_live, live_server):
    live = open_live(live_server, SEEDS)
    cell = live.cell("sequence", "jax")
    cell.press("edit")
    cell.root.locator(".cm-focused").wait_for()
    live.page.keyboard.insert_text("x")
    assert cell.root.get_attribute("data-edited") is not None
    live.page.keyboard.press("Backspace")
    assert cell.root.get_attribute("data-edited") is None


def test_keyboard_edits_runs_and_leaves(open_live, live_server):
    live = open_live(live_server, SEEDS)
    cell = live.cell("sequence", "jax")
    edit = cell.root.locator("[data-action=edit]")
    edit.focus()
    live.page.keyboard.press("Enter")
    editor = cell.root.locator(".cm-content")
    expect(editor).to_be_focused()
    live.page.keyboard.press("Tab")  # goes on to the bar: no one is caught
    assert live.page.evaluate("document.activeElement.closest('.cell-bar') !== null")
    editor.focus()
    live.page.keyboard.press("Control+a")
    live.page.keyboard.insert_text("print(6 * 7)")
    live.page.keyboard.press("Shift+Enter")
    cell.wait()
    assert cell.root.locator(".live-output pre").inner_text().strip() == "42"
    editor.focus()
    live.page.keyboard.press("Escape")
    expect(edit).to_be_focused()
    expect(editor).to_be_visible()  # its code differs: it stays


def test_click_on_the_code_opens_the_editor(open_live, live_server):
    live = open_live(live_server, SEEDS)
    cell = live.cell("sequence", "jax")
    cell.root.locator(".cell_input pre").click()
    editor = cell.root.locator(".cm-content")
    expect(editor).to_be_focused()
    live.page.keyboard.press("Escape")
    expect(cell.root.locator(".cell_input")).to_be_visible()
    expect(editor).to_have_count(0)


def test_run_to_here_runs_all_above_and_says_what_is_hidden(open_live, live_server):
    live = open_live(live_server, LAYERS)
    cell = live.cell("rms-norm", "jax")
    cell.press("run-to")
    assert cell.wait().startswith("live: as recorded")
    for step in ("centered", "centered-mean", "residue"):
        assert live.cell(step, "jax").root.locator(".cell-mark").text_content() == "ran"
    said = live.page.locator(".live-strip [role=log]").inner_text()
    assert "JAX: runs 4 cells, 1 of them hidden on this page" in said


def test_cells_after_an_error_do_not_run(open_live, live_server):
    live = open_live(live_server, LAYERS)
    first = live.cell("centered", "jax")
    first.write("1 / 0")
    live.cell("rms-norm", "jax").press("run-to")
    first.wait()
    mark = live.cell("rms-norm", "jax").root.locator(".cell-mark")
    expect(mark).to_have_text("not run: centered did not end well")
    assert first.mark().endswith("ZeroDivisionError")


def test_environment_in_the_making_is_shown(open_live, live_server):
    live = open_live(live_server, LAYERS)
    states = {"jax": {"state": "absent", "detail": "not made yet"}}
    live.page.route("**/book-live/environments?*", lambda r: r.fulfill(json=states))
    live.page.route("**/environments/jax?*", lambda r: r.fulfill(json={}, status=202))
    events = [
        {"state": "creating", "line": "Collecting jax"},
        {"state": "failed", "line": "pip found no space left on the disk"},
    ]
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    live.page.route(
        "**/environments/jax/progress",
        lambda r: r.fulfill(body=body, content_type="text/event-stream"),
    )
    live.cell("centered", "jax").press("run")
    live.wait_for_phase("jax", "failed")
    said = live.page.locator(".live-strip [role=log]").inner_text()
    assert "JAX: environment.\n" in said
    assert "Collecting jax" not in said  # pip's lines are for the eye alone
    notice = live.kernel("jax").locator(".kernel-notice").inner_text()
    assert "pip found no space left on the disk" in notice
    assert "d2l-support kernels --create --framework jax" in notice


def test_login_that_ended_says_which_address_to_open(open_live, live_server):
    live = open_live(live_server, LAYERS)
    live.page.context.clear_cookies()
    cell = live.cell("centered", "jax")
    cell.press("run")
    text = "Your login has ended. Open the address that `make live` printed."
    expect(cell.root.locator(".cell-mark")).to_have_text(text)


def test_server_that_is_gone_says_what_to_start(open_live, own_server):
    live = open_live(own_server, LAYERS)
    cell = live.cell("centered", "jax")
    cell.press("edit")
    live.page.locator(".cm-focused").wait_for()
    own_server.end()
    cell.press("run")
    text = "The server does not answer. Run `make live` again, then reload this page."
    expect(cell.root.locator(".cell-mark")).to_have_text(text)

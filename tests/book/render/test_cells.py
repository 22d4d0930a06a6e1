"""Each code cell says whose it is; a page with cells says how to run them."""

from d2l_support.build.frameworks import ALL_KEYS

CODE = "```{{code-cell}} python\n:framework: {0}\n:id: first\n{1}fail('{0}')\n```\n\n"


def test_cell_says_whose_it_is(small_book):
    cells = small_book.build().page().select(".book-cell")
    found = [(cell["data-step"], cell["data-framework"]) for cell in cells]
    assert found == [(step, key) for step in ("first", "second") for key in ALL_KEYS]


def test_cell_holds_code_output_and_rule(small_book):
    [cell] = small_book.build().tab("first", "jax").select(".book-cell")
    source = "say('jax first')  # by d2l_support"
    assert cell.select_one(".cell_input pre").get_text().rstrip() == source
    assert cell.select_one(".cell_output").get_text().strip() == "jax printed first"
    assert cell.select_one(".output-rule").get_text() == "output: exact"
    assert cell["data-rule"] == "exact"
    assert not cell.has_attr("data-raises")


def test_cell_without_a_record_names_no_rule(small_book):
    small_book.write_section("".join(CODE.format(key, "") for key in ALL_KEYS))
    cells = small_book.build().page().select(".book-cell")
    assert len(cells) == len(ALL_KEYS)
    assert not any(cell.has_attr("data-rule") for cell in cells)


def test_cell_whose_error_is_the_lesson_says_so(small_book):
    tag = ":tags: [raises-exception]\n"
    small_book.write_section("".join(CODE.format(key, tag) for key in ALL_KEYS))
    cells = small_book.build().page().select(".book-cell")
    assert all(cell.has_attr("data-raises") for cell in cells)


def test_page_with_cells_says_how_to_run_them(small_book):
    section = small_book.build().page().select_one("section")
    title, facts, place, *_ = section.find_all(recursive=False)
    assert title.name == "h1"
    assert "page-facts" in facts["class"]
    assert "make live" in place.select_one(".live-note").get_text()


def test_page_without_cells_says_nothing(small_book):
    assert small_book.build().page("index").select(".book-live") == []


def test_other_builder_leaves_out_how_to_run(small_book):
    built = small_book.build("text")
    text = (built.out / "chapters/part/demo.txt").read_text(encoding="utf-8")
    assert "jax printed first" in text
    assert "make live" not in text

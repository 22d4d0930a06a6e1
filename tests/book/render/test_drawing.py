"""The directive that puts a drawing into the page."""

import pytest

SVG = '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><text>a</text></svg>\n'
DRAWING = "# Plain\n\n```{{drawing}} {}\n{}\nA caption with *weight*.\n```\n\n{}\n"
TOC = "```{toctree}\nchapters/part/demo\n```\n"


@pytest.fixture
def drawn_book(small_book):
    """A book with a drawing beside its plain page."""
    small_book.write("figures/net.svg", SVG)
    return small_book


def write_drawing(book, argument: str, options: str) -> None:
    """A plain page with the directive on its third line."""
    book.write("index.md", DRAWING.format(argument, options, TOC))


def test_drawing_stands_in_the_page(drawn_book):
    write_drawing(drawn_book, "figures/net.svg", ":alt: A net\n:name: fig-net\n")
    built = drawn_book.build()
    assert built.warnings == []
    figure = built.page("index").select_one("figure.drawn#fig-net")
    [svg] = figure.select("svg")
    assert (svg["role"], svg["aria-label"]) == ("img", "A net")
    assert svg.get_text() == "a"
    caption = figure.select_one("figcaption")
    assert caption.select_one("em").get_text() == "weight"
    assert "Fig. 1" in caption.get_text()


def test_drawing_escapes_its_words(drawn_book):
    write_drawing(drawn_book, "figures/net.svg", ':alt: A "net" & <b> more\n')
    figure = drawn_book.build().page("index").select_one("figure.drawn")
    assert figure.select_one("svg")["aria-label"] == 'A "net" & <b> more'
    assert figure.select("b") == []


def test_drawing_without_caption_has_none(drawn_book):
    text = f"# Plain\n\n```{{drawing}} figures/net.svg\n:alt: A net\n```\n\n{TOC}"
    drawn_book.write("index.md", text)
    built = drawn_book.build()
    assert built.warnings == []
    assert built.page("index").select("figure.drawn svg")
    assert built.page("index").select("figcaption") == []


def test_drawing_is_found_from_its_page(drawn_book):
    body = "```{drawing} ../../figures/net.svg\n:alt: A net\n```\n"
    drawn_book.write_section(body)
    built = drawn_book.build()
    assert built.warnings == []
    assert built.page().select_one("figure svg").get_text() == "a"


@pytest.mark.parametrize(
    ("argument", "options", "message"),
    [
        ("figures/gone.svg", ":alt: A net\n", "found no drawing figures/gone.svg"),
        ("figures", ":alt: A net\n", "found no drawing figures"),
        ("figures/net.svg", "", "found no :alt: for figures/net.svg"),
        ("figures/net.svg", ":name: x\n", "found no :alt: for figures/net.svg"),
    ],
)
def test_drawing_that_lacks_something_warns(drawn_book, argument, options, message):
    write_drawing(drawn_book, argument, options)
    [warning] = drawn_book.build("dummy").warnings
    assert warning == f"{drawn_book.root}/index.md:3: ERROR: {message}"


def test_drawing_without_words_fails_strict_build(drawn_book):
    write_drawing(drawn_book, "figures/net.svg", "")
    done = drawn_book.build_strictly()
    assert done.returncode == 1
    assert "index.md:3: " in done.stderr
    assert "found no :alt: for figures/net.svg" in done.stderr


def test_drawing_that_changes_reads_its_page_again(drawn_book):
    write_drawing(drawn_book, "figures/net.svg", ":alt: A net\n")
    drawn_book.build()
    drawn_book.write("figures/net.svg", SVG.replace(">a<", ">b<"))
    built = drawn_book.build()
    assert built.read == ["index"]
    assert built.page("index").select_one("svg").get_text() == "b"


def test_drawing_outside_html_shows_its_words(drawn_book):
    write_drawing(drawn_book, "figures/net.svg", ":alt: A net of two layers\n")
    built = drawn_book.build("text")
    assert built.warnings == []
    text = (built.out / "index.txt").read_text(encoding="utf-8")
    assert "A net of two layers" in text
    assert "A caption with *weight*." in text

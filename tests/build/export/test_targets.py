"""What the book's prose points at is read from the checkout as it stands."""

from pathlib import Path

import pytest

from d2l_support.build.export.citations import list_citations, read_sources
from d2l_support.build.export.targets import (
    Targets,
    find_title,
    list_pages,
    number_figures,
    read_address,
    read_targets,
)
from d2l_support.build.layout import Book
from d2l_support.build.problems import CannotWork

ROOT = Path(__file__).parents[3]
KINDS = {"none": "misc"}


def test_list_pages_goes_through_the_contents_in_order():
    contents = {
        "root": "a",
        "parts": [
            {
                "chapters": [
                    {"file": "b.md", "sections": [{"file": "c/d"}]},
                    {"file": "e"},
                ]
            }
        ],
    }
    assert list(list_pages(contents)) == ["a", "b", "c/d", "e"]


def test_number_figures_counts_unlabelled_ones_too():
    first = (
        "```{drawing} a.svg\n:alt: a\n```\n\n```{list-table} T\n:name: t\n\n* - a\n```"
    )
    second = "- a\n\n  ```{drawing} b.svg\n  :alt: b\n  :name: f\n  ```"
    numbered = number_figures({"one": first, "two": second})
    assert {key: value.name for key, value in numbered.items()} == {
        "t": "Table 1",
        "f": "Figure 2",
    }
    assert numbered["f"].page == "two"


def test_find_title_passes_over_front_matter():
    assert find_title("---\n# not this\n---\n\n# A Title\n") == "A Title"
    assert find_title("words") == ""


@pytest.mark.parametrize(
    ("config", "address"),
    [
        ("html:\n  baseurl: https://book.test/\n", "https://book.test"),
        ("html:\n  baseurl:\n", ""),
        ("title: x\n", ""),
    ],
)
def test_read_address(tmp_path, config, address):
    (tmp_path / "_config.yml").write_text(config)
    assert read_address(Book(tmp_path)) == address


def test_read_address_refuses_what_is_no_yaml(tmp_path):
    (tmp_path / "_config.yml").write_text("a: [")
    with pytest.raises(CannotWork, match=r"_config\.yml: found no readable YAML"):
        read_address(Book(tmp_path))


def test_read_sources_gives_author_and_year(tmp_path):
    bib = tmp_path / "b.bib"
    works = {
        "one": "author={van Dijk, Ann}, journal={J}, year={1994}",
        "two": "author={Ba, C and B{\\'e}, D}, journal={J}, year={1995}",
        "three": "author={A, B and C, D and E, F}, journal={J}, year={1996}",
        "none": "howpublished={online}, year={1997}",
    }
    entries = [
        f"@{KINDS.get(key, 'article')}{{{key}, title={{T}}, {works[key]}}}"
        for key in works
    ]
    text = "\n".join(entries)
    bib.write_text(text)
    sources = read_sources(bib)
    assert [sources[key].short for key in works] == [
        "van Dijk, 1994",
        "Ba and Bé, 1995",
        "A et al., 1996",
        "none, 1997",
    ]
    assert "\n" not in sources["one"].full
    assert "*J*" in sources["one"].full


def test_read_sources_refuses_what_is_no_bibtex(tmp_path):
    (tmp_path / "b.bib").write_text("@article{one, author=")
    with pytest.raises(CannotWork, match=r"b\.bib: found no readable BibTeX"):
        read_sources(tmp_path / "b.bib")


def test_list_citations_gives_each_key_once_in_order():
    assert list_citations(["{cite}`b,a`", "{cite}`c` {cite}`a`"]) == ["b", "a", "c"]


def test_link_without_address_is_its_words():
    assert Targets().link("a", "words", "jax", "x") == "words"


def test_read_targets_of_the_book_has_a_still_of_every_drawing():
    drawings = {path.stem for path in ROOT.glob("figures/*.svg")}
    targets = read_targets(Book(ROOT))
    assert targets.pictures.keys() == drawings
    assert all(still.startswith(b"\x89PNG") for still in targets.pictures.values())
    assert "" not in targets.titles.values()

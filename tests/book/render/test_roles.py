"""Tables, tabs and lists say what they are."""

import pytest

from d2l_support.build.render.roles import mend_roles, name_toggles


@pytest.mark.parametrize(
    ("html", "mended"),
    [
        ('<th class="head">', '<th scope="col" class="head">'),
        ('<th class="stub">', '<th scope="row" class="stub">'),
        (
            '<div class="sd-tab-set framework-tabs docutils" id="step-a">',
            '<div class="sd-tab-set framework-tabs docutils"'
            ' role="group" aria-label="Framework" id="step-a">',
        ),
        (
            '<div class="citation" id="a" role="doc-biblioentry">',
            '<div class="citation" id="a" role="listitem">',
        ),
        ("<p>words</p>", "<p>words</p>"),
    ],
)
def test_mend_roles_names_the_part(html, mended):
    assert mend_roles(html) == mended


def test_name_toggles_says_whose_pages_they_are():
    link = '<a class="x" href="seeds.html"><span>Seeds</span> and more</a>'
    named = f'{link}<details><summary aria-label="Pages of Seeds and more"><i></i>'
    assert name_toggles(f"{link}<details><summary><i></i>") == named
    assert name_toggles(link) == link


def test_tab_set_is_a_named_group(small_book):
    for tab_set in small_book.build().page().select(".framework-tabs"):
        assert (tab_set["role"], tab_set["aria-label"]) == ("group", "Framework")

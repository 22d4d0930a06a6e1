"""What stands on paper: nothing to press, nothing folded."""

from bs4 import BeautifulSoup

from d2l_support.build.pdf.paper import (
    LETTERS,
    SHORT,
    count_lines,
    keep_short_whole,
    lower_headings,
    put_on_paper,
)


def parse(body: str):
    """An article."""
    return BeautifulSoup(f"<article>{body}</article>", "html.parser").article


def test_put_on_paper_opens_what_is_folded():
    article = parse(
        '<details class="sd-dropdown" id="a"><summary>Answer</summary>Yes.</details>'
    )
    put_on_paper(article)
    assert not article.find_all(["details", "summary"])
    assert article.div["id"] == "a"
    assert article.p["class"] == ["opened-title"]
    assert article.get_text() == "AnswerYes."


def test_put_on_paper_drops_what_needs_a_screen():
    article = parse(
        '<h1>Title<a class="headerlink">#</a></h1><script>1</script>'
        '<div class="book-live">run it</div><div tabindex="0">figure</div>'
        '<details class="output-rule"><summary>output: exact</summary>'
        "<ul><li>measured</li></ul></details>"
    )
    put_on_paper(article)
    assert article.get_text() == "Titlefigureoutput: exact"
    assert not article.find(tabindex=True)


def test_lower_headings_puts_titles_below_the_part():
    for level, names in ((1, ["h2", "h4", "h5"]), (2, ["h3", "h4", "h5"])):
        article = parse("<h1>a</h1><h2>b</h2><h3>c</h3>")
        lower_headings(article, level)
        assert [element.name for element in article.find_all(True)] == names


def test_count_lines_counts_lines_that_go_on():
    assert count_lines(parse(f"<pre>a\n\nb\n</pre><pre>{'x' * 100}</pre>")) == 5


def test_keep_short_whole_marks_what_fits_alone():
    code = '<div class="step"><pre>{}</pre></div>'
    article = parse(code.format("x\n" * SHORT) + code.format("x\n" * (SHORT + 1)))
    keep_short_whole(article)
    short, long = article.select(".step")
    assert "short" in short["class"]
    assert "short" not in long["class"]


def test_keep_short_whole_marks_short_paragraphs():
    article = parse(f"<p>{'a' * LETTERS}</p><p>{'a' * (LETTERS + 1)}</p>")
    keep_short_whole(article)
    assert [p.get("class") for p in article.find_all("p")] == [["short"], None]

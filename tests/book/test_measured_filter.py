"""The table of measured cells can be narrowed to a framework and a section."""

PAGE = "measured.html"


def count_shown(page) -> int:
    return page.locator("table.measured-cells tbody tr:visible").count()


def test_filter_narrows_the_table_and_says_how_many_are_left(reader):
    page = reader.open(PAGE)
    every = count_shown(page)
    framework, _ = page.locator(".measured-filter select").all()
    framework.select_option("MXNet")
    some = count_shown(page)
    assert 0 < some < every
    assert page.locator(".measured-filter output").inner_text() == f"{some} cells"
    framework.select_option("all")
    assert count_shown(page) == every


def test_filter_names_sections_by_their_titles_in_order(reader):
    page = reader.open(PAGE)
    _, section = page.locator(".measured-filter select").all()
    options = section.locator("option").all_inner_texts()
    links = page.locator("table.measured-cells tbody tr th a:first-child")
    assert options[0] == "all"
    assert {*options[1:]} == {*links.all_inner_texts()}
    assert options[1:] == sorted(options[1:], key=str.lower)
    section.select_option(options[1])
    assert {*links.locator("visible=true").all_inner_texts()} == {options[1]}

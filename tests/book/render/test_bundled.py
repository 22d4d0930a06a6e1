"""The built book holds the bundle of its sources, or says that there is none."""

from d2l_support.build.layout import Book
from d2l_support.build.web.bundle import bundle_folder


def write_sources(small_book) -> None:
    """Gives the small book something to bundle."""
    for name in ("build.mjs", "package.json", "package-lock.json", "src/live.ts"):
        small_book.write(f"web/{name}", name)
    config = (small_book.root / "conf.py").read_text()
    small_book.write("conf.py", config.replace('["_build"', '["_build", "web"'))


def write_bundle(small_book, text: str) -> None:
    """Puts a bundle of today's sources into the cache."""
    folder = bundle_folder(Book(small_book.root))
    small_book.write(f"{folder.relative_to(small_book.root)}/live.js", text)


def test_built_book_holds_the_bundle(small_book):
    write_sources(small_book)
    write_bundle(small_book, "first")
    built = small_book.build()
    assert built.warnings == []
    assert (built.out / "bundled" / "live.js").read_text() == "first"


def test_built_book_follows_the_sources(small_book):
    write_sources(small_book)
    write_bundle(small_book, "first")
    small_book.build()
    small_book.write("web/src/live.ts", "another")
    write_bundle(small_book, "second")
    built = small_book.build()
    assert (built.out / "bundled" / "live.js").read_text() == "second"


def test_strict_build_without_the_bundle_says_what_to_run(small_book):
    write_sources(small_book)
    done = small_book.build_strictly()
    assert done.returncode == 1
    assert "Run: d2l-support bundle" in done.stderr


def test_other_builder_wants_no_bundle(small_book):
    write_sources(small_book)
    assert small_book.build("text").warnings == []

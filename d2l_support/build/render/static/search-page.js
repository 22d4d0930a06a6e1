/* The search page: the field is ready for typing; in a book that was opened
   from a file, no page can be fetched for an excerpt, so none is tried; and the
   page that a search leads to marks every form of a word that was found. */
(() => {
  "use strict";
  if (window.location.protocol === "file:") {
    DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  }
  const field = document.querySelector(".bd-search-container form.bd-search input");
  field?.focus();
  field?.select();

  /* What a word and its stem begin with: "accumul" for "accumulating". */
  function shorten(word) {
    const stem = new Stemmer().stemWord(word);
    let length = 0;
    while (length < stem.length && stem[length] === word[length]) length += 1;
    return word.slice(0, length);
  }

  const parse = Search._parseQuery;
  Search._parseQuery = (query) => {
    const parsed = parse(query);
    const [, , , words] = parsed;
    const marked = [...words].map(shorten).join(" ");
    window.bookStored.write("sphinx_highlight_terms", marked);
    return parsed;
  };
})();

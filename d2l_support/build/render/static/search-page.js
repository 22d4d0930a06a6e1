/* The search page: the field is ready for typing; in a book that was opened
   from a file, no page can be fetched for an excerpt, so none is tried. */
(() => {
  "use strict";
  if (window.location.protocol === "file:") {
    DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  }
  const field = document.querySelector(".bd-search-container form.bd-search input");
  field?.focus();
  field?.select();
})();

/* What a reader chose, kept by the browser from page to page.

   Storage may be forbidden; a choice then lasts as long as its page. */
window.bookStored = {
  read(key) {
    try {
      return window.localStorage.getItem(key);
    } catch {
      return null;
    }
  },

  write(key, value) {
    try {
      window.localStorage.setItem(key, value);
    } catch {
      // as above
    }
  },
};

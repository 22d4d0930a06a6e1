/* A choice in the page's address, so that a shared address opens it. */
window.bookAddress = {
  read(name) {
    return new URLSearchParams(window.location.search).get(name);
  },

  write(name, value) {
    const address = new URL(window.location.href);
    if (value) address.searchParams.set(name, value);
    else address.searchParams.delete(name);
    window.history.replaceState(window.history.state, "", address);
  },
};

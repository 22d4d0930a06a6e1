"""Times of the book's own tooling, each table from one run on one machine."""

"""`puzzlekit serve`: a page for every puzzle, and the JSON interface that the page uses. docs/serve.md explains it."""

"""`puzzlekit site`: the page as a folder of files, with the engine in it. docs/site.md explains it."""

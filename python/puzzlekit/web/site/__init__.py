"""`puzzlekit site`: the pages as a folder of files, with the engine in WebAssembly. docs/site.md explains it."""

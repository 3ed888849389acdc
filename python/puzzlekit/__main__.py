"""`python -m puzzlekit` is the command `puzzlekit`."""

from puzzlekit.cli import main

if __name__ == "__main__":
    main()

"""What several tests share: options of runs in short."""

from puzzlekit.run.options import RunOptions

__all__ = ["RunOptions", "grain_of"]


def grain_of(numbers: tuple[int, int, int, int] | None) -> dict[str, int] | None:
    """How finely work is cut up: partition bits, states a block, blocks a wave, words of a run on disk."""
    names = ("partition_bits", "block_states", "wave_blocks", "run_words")
    return None if numbers is None else dict(zip(names, numbers, strict=True))

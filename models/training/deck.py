"""Which photo comes when."""

import numpy as np


class Deck:
    """
    Numbers 0..n-1, all of them before one comes again. A function of the seed: no state to
    keep.
    """

    def __init__(self, numbers: list[int], seed: int):
        self.numbers, self.seed = numbers, seed

    def deal(self, start: int, count: int) -> list[int]:
        return [self.at(i) for i in range(start, start + count)] if self.numbers else []

    def at(self, i: int) -> int:
        around, place = divmod(i, len(self.numbers))
        order = np.random.default_rng([self.seed, around]).permutation(self.numbers)
        return int(order[place])

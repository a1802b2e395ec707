"""Who is held out of training."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "models" / "training"))

import photos  # noqa: E402


class Lists(unittest.TestCase):
    def test_whole_contributors_are_held_out_and_no_large_one(self):
        names = ["large"] * 500 + [f"small-{i % 100}" for i in range(500)]
        held = photos.held_out(names, 0.1, seed=1)
        self.assertNotIn("large", held)
        self.assertTrue(100 <= sum(name in held for name in names) <= 105)
        self.assertEqual(held, photos.held_out(names, 0.1, seed=1))
        self.assertNotEqual(held, photos.held_out(names, 0.1, seed=2))

    def test_whole_products_are_held_out_however_many_photos_they_have(self):
        names = [f"sku-{i // 8}" for i in range(160)]
        held = photos.held_out(names, 0.1, seed=1, most=1)
        self.assertEqual(sum(name in held for name in names), 16)


if __name__ == "__main__":
    unittest.main()

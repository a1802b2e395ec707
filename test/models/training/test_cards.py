"""What is said of the shipped networks."""

import json
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "models" / "training"))

import card  # noqa: E402
import dynamic_batch  # noqa: E402
import onnx  # noqa: E402


class Cards(unittest.TestCase):
    def test_what_the_shipped_networks_say_is_what_their_cards_say(self):
        for name in ("garment-cutout", "garment-class"):
            said = json.loads((ROOT / "models" / f"{name}.json").read_text())
            found = card.of_network(ROOT / "models" / f"{name}.onnx")
            for key in ("bytes", "sha256", "opset", "weights"):
                self.assertEqual(found[key], said[key], f"{name} {key}")

    def test_the_batch_gets_its_name(self):
        fixed = onnx.load(ROOT / "models" / "garment-class.onnx")
        for value in (*fixed.graph.input, *fixed.graph.output):
            value.type.tensor_type.shape.dim[0].dim_value = 1
        named = dynamic_batch.with_dynamic_batch(fixed)
        self.assertEqual(card.shape_of(named.graph.input[0]), "[n,3,224,224]")
        with self.assertRaises(SystemExit):
            dynamic_batch.with_dynamic_batch(onnx.load(ROOT / "models" / "garment-cutout.onnx"))


if __name__ == "__main__":
    unittest.main()

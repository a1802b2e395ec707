"""What the classifier is trained on, without photos."""

import json
import re
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import torch
from PIL import Image

TRAINING = Path(__file__).parents[3] / "models" / "training"
sys.path.insert(0, str(TRAINING))

import class_data  # noqa: E402
import class_tail  # noqa: E402
import classes  # noqa: E402
import loss  # noqa: E402
import net  # noqa: E402

torch.set_num_threads(1)
ROOT = TRAINING.parents[1]


def crop(kind="photo", alpha=None, **more) -> tuple[dict, np.ndarray]:
    """A red square in the middle of a grey picture, half as high as wide."""
    colours = np.full((256, 256, 3), 128, np.uint8)
    matte = np.zeros((256, 256), np.uint8) if alpha is None else alpha
    if alpha is None:
        matte[64:192, 64:192] = 255
    colours[matte > 0] = (200, 0, 0)
    planes = np.concatenate([colours.ravel(), matte.ravel(), matte.ravel()])
    region = {"left": 0, "top": 0, "width": 200, "height": 100}
    line = {"file": "a.jpg", "width": 200, "height": 100, "person": kind != "photo"}
    return {**line, "kind": kind, "share": 0.9, "region": region, **more}, planes


def write(folder: Path, crops) -> Path:
    folder.mkdir()
    (folder / "crops.jsonl").write_text("".join(json.dumps(line) + "\n" for line, _ in crops))
    (folder / "crops.bin").write_bytes(b"".join(planes.tobytes() for _, planes in crops))
    return folder


class Labels(unittest.TestCase):
    def test_the_classes_are_those_of_the_gateway_in_its_order(self):
        source = (ROOT / "src" / "taxonomy" / "photo" / "image-classes.ts").read_text()
        listed = source.split("IMAGE_CLASSES = [")[1].split("]")[0]
        self.assertEqual(re.findall(r"'([a-z-]+)'", listed), list(classes.CLASS_NAMES))

    def test_every_label_allows_known_classes(self):
        for table in (classes.OF_CLOTHES, classes.OF_STREET, classes.OF_CATEGORY):
            for names in table.values():
                self.assertEqual(int(classes.allowed(names).sum()), len(set(names)))

    def test_what_is_no_garment_and_what_may_be_two(self):
        product = lambda leaves, none: {"truthLeaves": leaves, "notAGarment": none}
        self.assertEqual(classes.of_product(product([], True)), ("other",))
        self.assertEqual(classes.of_product(product(["hoodie", "sweatshirt"], False)), ("hoodie",) * 2)

    def test_a_piece_of_a_street_photo_has_the_label_of_most_of_its_pixels(self):
        with tempfile.TemporaryDirectory() as folder:
            labels = Path(folder) / "labels"
            labels.mkdir()
            (labels / "classes.json").write_text('{"0": "null", "1": "suit", "2": "jeans"}')
            plane = np.ones((100, 200), np.uint8)
            plane[:, 110:] = 2
            Image.fromarray(plane).save(labels / "a.png")
            crops = write(
                Path(folder) / "crops",
                [crop("piece", group="trousers_jeans"), crop("piece", group="coat"), crop("zone")],
            )
            found = [example.classes for example in class_data.street_of(crops, labels)]
            self.assertEqual(found, [("pants",), ("blazer",)])
            plane[:, 80:] = 0
            Image.fromarray(plane).save(labels / "a.png")
            self.assertEqual(class_data.street_of(crops, labels), [])


class Views(unittest.TestCase):
    def test_a_fixed_view_is_the_cut_out_on_white_in_its_proportions(self):
        example = class_data.Example(*crop(), ("hat",), "1", "clothes")
        seen = class_data.fixed_view(example)
        red = (seen[0] > 0.7) & (seen[1] < 0.3)
        height, width = int(red.any(1).sum()), int(red.any(0).sum())
        self.assertAlmostEqual(width / height, 2, delta=0.05)
        self.assertAlmostEqual(width / 224, 1 / 1.12, delta=0.02)
        self.assertTrue(torch.equal(seen[:, 0, 0], torch.ones(3)))

    def test_random_views_follow_from_their_seed(self):
        example = class_data.Example(*crop("zone"), ("hat",), "1", "store")
        make = lambda seed: class_data.random_view(np.random.default_rng(seed), example)
        self.assertTrue(torch.equal(make(1), make(1)))
        self.assertFalse(torch.equal(make(1), make(2)))
        for seed in range(12):
            self.assertEqual(make(seed).shape, (3, 224, 224))

    def test_rare_labels_are_seen_more_often(self):
        common = [class_data.Example(*crop(), ("hat",), "1", "street")] * 300
        rare = class_data.Example(*crop(), ("scarf",), "1", "street")
        counts = class_data.views_each([*common, rare])
        self.assertEqual((counts[0], counts[-1]), (1, 6))


class Learning(unittest.TestCase):
    def test_any_allowed_class_is_as_good_as_another(self):
        logits = torch.tensor([[9.0, 0, 0], [0, 9.0, 0], [0, 0, 9.0]])
        may = torch.tensor([[True, True, False]] * 3)
        first, second, wrong = loss.named_loss(logits, may).tolist()
        self.assertAlmostEqual(first, second, places=5)
        self.assertGreater(wrong, first + 5)

    def test_new_classes_begin_as_the_nearest_of_the_ten(self):
        with tempfile.TemporaryDirectory() as folder:
            old = net.Classifier(10)
            torch.nn.init.normal_(old.fc.bias)
            torch.save(old.state_dict(), Path(folder) / "old.pt")
            new = class_tail.begin(Path(folder) / "old.pt")
            of = classes.CLASS_NAMES.index
            torch.testing.assert_close(new.fc.weight[of("pants")], old.fc.weight[4])
            torch.testing.assert_close(new.fc.weight[of("jeans")], old.fc.weight[4] / 2)
            x = torch.rand(2, 3, 224, 224)
            with torch.no_grad():
                torch.testing.assert_close(new(x)[1], old(x)[1])
                kept = torch.from_numpy(class_data.features_of(new, list(x)).astype(np.float32))
                new.eval()
                torch.testing.assert_close(class_tail.after(new, kept), new(x)[0], atol=0.05, rtol=0.05)


if __name__ == "__main__":
    unittest.main()

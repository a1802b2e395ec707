"""What the training of the parse network rests on, without photos."""

import json
import sys
import tempfile
import unittest
from argparse import Namespace
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[3] / "models" / "training"))

import export  # noqa: E402
import frames  # noqa: E402
import groups  # noqa: E402
import net  # noqa: E402
import parse  # noqa: E402
import parse_data  # noqa: E402
import tagged  # noqa: E402
import start  # noqa: E402

torch.set_num_threads(1)
INDEX = {id: i for i, id in enumerate(groups.IDS)}


def drawn(size=(96, 64)) -> tuple[np.ndarray, np.ndarray]:
    """A red top over blue trousers on grey, and its labels."""
    photo, labels = np.full((*size, 3), 128, np.uint8), np.zeros(size, np.uint8)
    photo[16:48, 20:44], labels[16:48, 20:44] = (200, 30, 30), INDEX["top"]
    photo[48:80, 20:44], labels[48:80, 20:44] = (30, 30, 200), INDEX["trousers_jeans"]
    return photo, labels


def dataset(folder: Path) -> Path:
    """Three people and a laid-out garment, in training and in validation."""
    photo, labels = drawn()
    laid = np.where(labels > 0, groups.token_of(groups.LAID_OUT["Longsleeve"]), 0).astype(np.uint8)
    for side in ("train", "validation"):
        cache = parse_data.Cache()
        for i in range(3):
            cache.add(f"person-{i}", photo, labels, True)
        cache.add("laid", photo, laid, False)
        cache.save(folder / f"{side}.npz")
    return folder


class Groups(unittest.TestCase):
    def test_every_label_is_in_one_group(self):
        labels = [label for group in groups.GROUPS for label in group.labels]
        self.assertEqual(len(labels), 59)
        self.assertEqual(len(set(labels)), 59)

    def test_tokens_are_the_groups_and_then_sets_of_them(self):
        self.assertEqual([t for t in groups.TOKENS[: len(groups.IDS)]], [(i,) for i in groups.IDS])
        for allowed in groups.LAID_OUT.values():
            self.assertEqual(groups.TOKENS[groups.token_of(allowed)], allowed)
        self.assertNotIn("skin", groups.ANY)

    def test_a_set_has_a_part_only_if_all_its_groups_are_of_it(self):
        part = {p: i for i, p in enumerate(groups.PARTS)}
        of = lambda label: parse.TOKEN_PARTS[groups.token_of(groups.LAID_OUT[label])]
        self.assertEqual(float(of("Longsleeve")[part["top"]]), 1)
        self.assertEqual(float(of("Longsleeve").sum()), 1)
        self.assertEqual(float(of("Outwear").sum()), 0)


class Frames(unittest.TestCase):
    def test_shapes_are_as_in_the_worker(self):
        # test/workers/inference/garments/frame.test.ts has the same.
        shapes = [frames.shape_of(aspect, 320) for aspect in frames.ASPECTS]
        self.assertEqual(shapes, [(448, 224), (384, 256), (320, 320), (256, 384), (224, 448)])

    def test_a_box_grows_to_the_proportion_as_far_as_the_photo_reaches(self):
        box = frames.grown(np.array([40.0, 10, 60, 90]), 0.5, (100, 200))
        self.assertEqual(box.tolist(), [30, 10, 70, 90])
        box = frames.grown(np.array([0.0, 0, 20, 100]), 1.0, (100, 50))
        self.assertEqual(box.tolist(), [0, 0, 50, 100])

    def test_labels_stay_with_their_colours_mirrored_and_turned(self):
        photo, labels = drawn()
        rng = np.random.default_rng(1)
        for mirror in (1, -1):
            box = frames.jittered(rng, np.array([10.0, 8, 54, 88]), labels.shape)
            shape = (64, 32)
            grid = frames.grid_of(box, labels.shape, shape, 5.0, mirror)
            colours = frames.colours_at(photo, grid)
            known = frames.labels_at(labels, grid, groups.UNKNOWN)
            red = (colours[0] > 0.7) & (colours[2] < 0.2)
            self.assertTrue(bool((known[red] == INDEX["top"]).all()))
            self.assertGreater(int(red.sum()), 200)

    def test_beyond_the_photo_nothing_is_known(self):
        _, labels = drawn()
        grid = frames.grid_of(np.array([-64.0, 0, 64, 96]), labels.shape, (32, 32))
        known = frames.labels_at(labels, grid, groups.UNKNOWN)
        self.assertTrue(bool((known[:, :15] == groups.UNKNOWN).all()))
        self.assertEqual(float(parse.fractions(known)[:, :, :7].sum()), 0)


class Losses(unittest.TestCase):
    def tokens(self, token: int) -> torch.Tensor:
        return parse.fractions(torch.full((16, 16), token))[None]

    def test_a_set_is_as_well_named_by_any_of_its_groups(self):
        with tempfile.TemporaryDirectory() as folder:
            task = parse.ParseTask(dataset(Path(folder)), 1, 4)
        wanted = self.tokens(groups.token_of(groups.LAID_OUT["Longsleeve"]))
        losses = {}
        for id in ("top", "knit_sweat", "shoes"):
            logits = torch.zeros(1, len(groups.IDS), 8, 8)
            logits[:, INDEX[id]] = 8
            losses[id] = float(task.named(logits, wanted))
        self.assertAlmostEqual(losses["top"], losses["knit_sweat"], places=4)
        self.assertGreater(losses["shoes"], losses["top"] + 1)

    def test_shares_are_nothing_for_the_right_answer(self):
        right = torch.zeros(1, len(groups.IDS), 8, 8)
        right[:, INDEX["coat"]] = 1
        self.assertLess(float(parse.shares(right, self.tokens(INDEX["coat"]))), 1e-3)
        self.assertGreater(float(parse.shares(right, self.tokens(INDEX["skin"]))), 0.5)

    def test_which_groups_there_are_is_not_asked_where_a_set_is_known(self):
        logits = torch.zeros(1, len(groups.IDS), 1, 1)
        logits[:, INDEX["shoes"]] = 9
        unsure = groups.token_of(groups.LAID_OUT["Shoes"])
        right = float(parse.which_loss(logits, self.tokens(INDEX["shoes"])))
        wrong = float(parse.which_loss(logits, self.tokens(INDEX["bag"])))
        self.assertLess(right, wrong)
        logits[:, INDEX["boots"]] = 9
        again = float(parse.which_loss(logits, self.tokens(unsure)))
        logits[:, INDEX["boots"]] = -9
        self.assertAlmostEqual(again, float(parse.which_loss(logits, self.tokens(unsure))))


class Network(unittest.TestCase):
    def test_places_are_down_and_to_the_right(self):
        found = net.places(torch.zeros(2, 5, 4, 8))
        self.assertEqual(found.shape, (2, 2, 4, 8))
        self.assertLess(float(found[0, 0, 0, 3]), float(found[0, 0, 3, 3]))
        self.assertLess(float(found[0, 1, 2, 0]), float(found[0, 1, 2, 7]))
        self.assertEqual(float(found[:, :, -1, -1].min()), 1)

    def test_it_begins_from_the_cut_out_network(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "cut-out.pt"
            torch.save({"average": net.CutOut().state_dict()}, file)
            fresh = start.start_from(net.Parse(), file)
        self.assertIn("out.v", fresh)
        self.assertNotIn("c5.v", fresh)
        self.assertFalse([name for name in fresh if name.startswith("enc.")])

    def test_exported_it_answers_the_same_in_any_shape(self):
        torch.manual_seed(2)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            network = net.Parse().eval()
            torch.save({"average": network.state_dict()}, folder / "a.pt")
            options = Namespace(
                checkpoint=folder / "a.pt",
                out=folder / "a.onnx",
                net="garment-parse",
                precision="fp32",
                temperature=1.0,
            )
            export.export(options)
            session = onnxruntime.InferenceSession(str(folder / "a.onnx"))
        said = session.get_modelmeta().custom_metadata_map
        self.assertEqual(said["classes"].split(","), list(groups.IDS))
        for height, width in ((448, 224), (64, 96)):
            x = torch.rand(1, 3, height, width)
            [found] = session.run(None, {"input": x.numpy()})
            self.assertEqual(found.shape, (1, len(groups.IDS), height // 4, width // 4))
            wanted = torch.softmax(network(x), 1).detach().numpy()
            self.assertLess(float(np.abs(found - wanted).max()), 1e-3)


class Task(unittest.TestCase):
    def test_batches_are_the_same_for_the_same_step_and_have_a_gradient(self):
        with tempfile.TemporaryDirectory() as folder:
            task = parse.ParseTask(dataset(Path(folder)), 1, 4)
        make = lambda: task.batch(np.random.default_rng(5), 3, 64)
        (x, tokens), (again, _) = make(), make()
        self.assertTrue(torch.equal(x, again))
        self.assertEqual(x.shape[2:], tuple(4 * side for side in tokens.shape[2:]))
        network = net.Parse()
        task.loss(network, np.random.default_rng(5), (x, tokens)).backward()
        for name in ("enc.blocks.3.c.0.v", "e5.0.added.v", "out.v", "worn.v", "a8.v"):
            self.assertGreater(float(network.get_parameter(name).grad.abs().sum()), 0, name)

    def test_validation_finds_what_is_right(self):
        with tempfile.TemporaryDirectory() as folder:
            held = parse.Photos(dataset(Path(folder)) / "validation.npz")

        class Knows:
            def __call__(self, x):
                red, blue = x[:, :1] > 0.6, x[:, 2:] > 0.6
                logits = torch.zeros(len(x), len(groups.IDS), *x.shape[2:])
                logits[:, INDEX["background"]] = 5
                logits[:, INDEX["top"] : INDEX["top"] + 1] = 20.0 * red
                place = INDEX["trousers_jeans"]
                logits[:, place : place + 1] = 20.0 * blue
                return logits[:, :, 1::4, 1::4]

        figures = parse.people_figures(Knows(), held, "cpu")
        self.assertGreater(figures["garments mIoU"], 0.9)
        self.assertGreater(figures["top"], 0.85)
        self.assertEqual(figures["dress"], 0)
        self.assertGreater(parse.laid_figures(Knows(), held, "cpu")["laid worn"], 0.9)


class Tagged(unittest.TestCase):
    def test_tags_allow_their_groups_and_what_everybody_has(self):
        allowed = tagged.allowed_by(["jeans", "hat", "null", "no such label"])
        named = {id for id, is_allowed in zip(groups.IDS, allowed) if is_allowed}
        self.assertEqual(named, {"background", "skin", "hair", "trousers_jeans", "hat"})

    def test_only_what_is_allowed_and_sure_and_as_the_cut_out_says_is_labelled(self):
        probabilities = torch.zeros(len(groups.IDS), 1, 5)
        for place, shares in enumerate(
            (
                {"skirt": 0.7, "trousers_jeans": 0.3},  # no skirt is worn
                {"trousers_jeans": 0.5, "hat": 0.5},  # neither is sure
                {"hat": 1.0},  # beside the subject
                {"background": 1.0},  # within it
                {"hat": 1.0},  # far from it
            )
        ):
            for id, share in shares.items():
                probabilities[INDEX[id], 0, place] = share
        alpha = torch.tensor([[0.9, 0.9, 0.15, 0.95, 0.0]])
        labels = tagged.labels_of(probabilities, tagged.allowed_by(["jeans", "hat"]), alpha)
        unknown = groups.UNKNOWN
        self.assertEqual(labels.tolist(), [[INDEX["trousers_jeans"], unknown, unknown, unknown, 0]])


class Data(unittest.TestCase):
    def test_labels_are_folded_into_groups_and_whole_photos_held_out(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "labels").mkdir()
            classes = {"0": "null", "1": "jeans", "2": "hat", "3": "skin"}
            (folder / "labels" / "classes.json").write_text(json.dumps(classes))
            for i in range(20):
                Image.new("RGB", (8, 6), (i, 0, 0)).save(folder / f"{i}.jpg")
                labels = Image.fromarray(np.full((6, 8), i % 4, np.uint8), "P")
                labels.putpalette([0, 0, 0, 9, 9, 9, 8, 8, 8, 7, 7, 7])
                labels.save(folder / "labels" / f"{i}.png")
            (folder / "more").mkdir()
            (folder / "more" / "classes.json").write_text(json.dumps({"5": "boots"}))
            for i in range(3):
                Image.new("RGB", (8, 6)).save(folder / "more" / f"more-{i}.jpg")
                labels = np.full((6, 8), (5, 255, 5)[i], np.uint8)
                Image.fromarray(labels).save(folder / "more" / f"more-{i}.png")
            arguments = ["--people", name, "--labels", f"{name}/labels", "--out", f"{name}/out"]
            arguments += ["--more", f"{name}/more", f"{name}/more"]
            sys.argv = ["parse_data.py", *arguments, "--share", "0.2"]
            parse_data.main()
            train, held = (
                np.load(folder / "out" / f"{side}.npz") for side in ("train", "validation")
            )
            self.assertEqual(len(train["id"]) + len(held["id"]), 23)
            self.assertEqual(list(train["id"][-3:]), ["more-0", "more-1", "more-2"])
            self.assertEqual(train["label"][-2 * 48 :: 48].tolist(), [groups.UNKNOWN, INDEX["boots"]])
            self.assertFalse(set(train["id"]) & set(held["id"]))
            self.assertGreaterEqual(len(held["id"]), 4)
            for arrays in (train, held):
                first = int(arrays["id"][0])
                wanted = ("background", "trousers_jeans", "hat", "skin")[first % 4]
                self.assertEqual(int(arrays["label"][0]), INDEX[wanted])


if __name__ == "__main__":
    unittest.main()

"""A pack holds what training needs, and a training from it goes on where it stopped."""

import contextlib
import copy
import csv
import io
import json
import sys
import tempfile
import unittest
import zipfile
from argparse import Namespace
from pathlib import Path

import numpy as np
import torch
from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[3] / "models" / "training"))

import data  # noqa: E402
import lent  # noqa: E402
import net  # noqa: E402
import pack  # noqa: E402
import train  # noqa: E402
import workers  # noqa: E402

torch.set_num_threads(1)

COLUMNS = ("image", "label", "sender_id", "contributor_unseen_in_eval")


def called(module, *arguments: object) -> str:
    sys.argv = [module.__name__, *map(str, arguments)]
    with contextlib.redirect_stdout(io.StringIO()) as said:
        module.main()
    return said.getvalue()


def square(height: int, width: int, inside: int) -> np.ndarray:
    plane = np.zeros((height, width), np.uint8)
    plane[height // 4 : -height // 4, width // 4 : -width // 4] = inside
    return plane


def save_photo(file: Path, number: int, height: int, width: int) -> None:
    """Another colour before another grey each time."""
    is_inside = square(height, width, 1)[:, :, None] > 0
    colours = np.where(is_inside, (30 * number % 256, 90, 200), 255 - 20 * number % 90)
    Image.fromarray(np.uint8(colours)).save(file, quality=95)


def save_matte(file: Path, height: int, width: int) -> None:
    trust = np.full((height, width), 255, np.uint8)
    Image.fromarray(np.dstack([square(height, width, 255), trust])).save(file)


def write_table(file: Path, columns: tuple[str, ...], rows: list[tuple]) -> None:
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([columns, *rows])


def write_sources(folder: Path) -> list[object]:
    """Three small sources; answers how commands are told of them."""
    for name in ("clothes", "masks", "people", "people-masks", "store"):
        (folder / name).mkdir()
    for i in range(12):
        save_photo(folder / "clothes" / f"c{i}.jpg", i, 60, 40)
        save_matte(folder / "masks" / f"c{i}.png", 32, 32)
        save_photo(folder / "people" / f"p{i}.jpg", i, 60, 40)
        Image.fromarray(square(60, 40, 1 + i % 3)).save(folder / "people" / f"p{i}.png")
        save_matte(folder / "people-masks" / f"p{i}.png", 32, 32)
    # The teacher does not say twice the same of the last.
    seen = [(f"c{i}", 0.99 if i < 11 else 0.4, 1, 0.25, 0.01) for i in range(12)]
    write_table(
        folder / "masks" / "masks.csv", ("id", "iou", "brightest", "area", "ambiguous"), seen
    )
    write_table(folder / "clothes.csv", COLUMNS, [(f"c{i}", "Hat", f"s{i}", 1) for i in range(12)])
    rows = []
    for i in range(6):
        save_photo(folder / "store" / f"m{i}.jpg", i, 90, 72)
        Image.fromarray(square(90, 72, 255)).save(folder / "store" / f"m{i}_alpha.png")
        Image.fromarray(square(90, 72, 0)).save(folder / "store" / f"m{i}_ignore.png")
        ignore = f"m{i}_ignore.png" if i % 2 else ""
        rows.append((f"m{i}.jpg", f"SKU{i}", "Gear > Bags", "main", f"m{i}_alpha.png", ignore))
    columns = ("file", "sku", "department", "view", "alpha", "ignore")
    write_table(folder / "store" / "store.csv", columns, rows)
    return told(folder)


def told(folder: Path) -> list[object]:
    names = ("clothes", "masks", "people", "people-masks", "store")
    given = [word for name in names for word in (f"--{name}", folder / name)]
    return [*given, "--table", folder / "clothes.csv"]


def write_judged(file: Path, path: str, **more: str) -> Path:
    file.write_text(json.dumps({"items": [{"source": {"path": path}, **more}]}))
    return file


SMALL = ("--for", "garment-cutout", "--size", 64, "--store-size", 64, "--levels", 0.1, 0.9)


def arrays_from(sources: list[object], out: Path) -> dict[str, dict[str, np.ndarray]]:
    called(data, *SMALL, *sources, "--out", out)
    return {side: dict(np.load(out / f"{side}.npz")) for side in ("train", "validation")}


class Packs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.sources = write_sources(self.folder)
        self.judged = write_judged(self.folder / "judged.json", "photos/other.jpg", sku="OTHER")

    def packed(self, *more: object) -> Path:
        out = self.folder / "pack"
        sizes = ("--store-size", 64, "--format", "webp", "--quality", 90)
        called(pack, *self.sources, *sizes, "--judged", self.judged, *more, "--out", out)
        return out / pack.PACK

    def test_what_is_unpacked_gives_the_same_arrays_but_for_their_compression(self):
        file, photos = self.packed(), self.folder / "photos"
        pack.unpack(file, photos)
        first = arrays_from(self.sources, self.folder / "one")
        # Sides of the pack's own list, whatever the share: what is left out changes what is drawn.
        held = ("--held", photos / "held.json", "--share", 0.5, "--processes", 2)
        again = arrays_from([*told(photos), *held], self.folder / "two")
        for side, arrays in first.items():
            self.assertEqual(arrays["id"].tolist(), again[side]["id"].tolist())
            self.assertEqual(set(arrays), set(again[side]))
            for name in ("photo", "matte", "store", "cutout", "backdrop"):
                if name in arrays:
                    one, other = (np.int16(of[side][name]) for of in (first, again))
                    self.assertEqual(one.shape, other.shape)
                    self.assertLess(np.abs(one - other).mean(), 4, f"{side} {name}")
            for name in ("is_person", "store_known", "store_times"):
                np.testing.assert_array_equal(arrays[name], again[side][name])
        self.assertNotIn("c11", {*first["train"]["id"], *first["validation"]["id"]})

    def test_the_manifest_counts_and_has_licences_and_a_pack_is_the_same_each_time(self):
        file = self.packed()
        with zipfile.ZipFile(file) as archive:
            manifest = json.loads(archive.read("manifest.json"))
            names = archive.namelist()
        self.assertEqual(manifest["photos"], {"store": 6, "people": 12, "clothes": 11})
        self.assertEqual(manifest["folders"]["clothes"]["files"], 11)
        self.assertEqual(len(names) - 1, sum(f["files"] for f in manifest["folders"].values()))
        self.assertTrue(all(source["licence"] for source in manifest["sources"]))
        before = file.read_bytes()
        self.assertEqual(before, self.packed().read_bytes())

    def test_what_networks_are_judged_by_is_refused(self):
        for path, more in (
            ("images/c3.jpg", {}),
            ("photos/p1.jpg", {}),
            ("a.jpg", {"sku": "SKU2"}),
        ):
            write_judged(self.judged, path, **more)
            with self.assertRaisesRegex(SystemExit, "judged"):
                self.packed()
        write_judged(self.judged, "other.jpg")
        rows = [(f"c{i}", "Hat", f"s{i}", int(i != 4)) for i in range(12)]
        write_table(self.folder / "clothes.csv", COLUMNS, rows)
        with self.assertRaisesRegex(SystemExit, "c4"):
            self.packed()

    def test_a_pack_that_is_too_large_or_changed_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "lower --quality"):
            self.packed("--most", 0.001)
        file = self.packed()
        with zipfile.ZipFile(file) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        files["people/p1.png"] = files["people/p2.png"]
        with zipfile.ZipFile(file, "w") as archive:
            for name, data_of in files.items():
                archive.writestr(name, data_of)
        with self.assertRaisesRegex(SystemExit, "people is not what was packed"):
            pack.unpack(file, self.folder / "changed")


class Resumed(unittest.TestCase):
    def test_what_comes_back_is_small_and_the_optimiser_goes_on_from_it(self):
        torch.manual_seed(1)
        network = net.CutOut()
        optimiser = torch.optim.AdamW(network.parameters())
        network(torch.rand(1, 3, 64, 64)).mean().backward()
        optimiser.step()
        state, groups = optimiser.state_dict()["state"], optimiser.state_dict()["param_groups"]
        average = copy.deepcopy(network).state_dict()
        kept = {"net": network.state_dict(), "average": average, "optimiser": state}
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("whole.pt", "light.pt")]
            for file, saved in zip(files, (kept, lent.light(kept))):
                torch.save({**saved, "step": 1}, file)
            whole, light = (file.stat().st_size for file in files)
            again = torch.load(files[1], weights_only=True)
        self.assertLess(light, 0.4 * whole)
        self.assertEqual(again["step"], 1)
        for name, weights in kept["net"].items():
            near = again["net"][name].float()
            torch.testing.assert_close(near, weights, rtol=1e-3, atol=1e-6)
        optimiser.load_state_dict({"state": again["optimiser"], "param_groups": groups})
        first = next(iter(optimiser.state.values()))
        self.assertEqual(first["exp_avg"].dtype, torch.float32)
        self.assertEqual(float(first["exp_avg"].abs().max()), 0)
        optimiser.step()


class Ahead(unittest.TestCase):
    class Task:
        def batch(self, rng, step, size):
            return torch.full((2, 3, size, size), float(rng.random())), torch.tensor([step, 7])

    def run_of(self, count: int):
        run = train.Run.__new__(train.Run)
        run.options = Namespace(seed=5, steps=9, sizes=[32, 64], workers=count, device="cpu")
        run.task, run.step = self.Task(), 2
        return list(run.batches(7))

    def test_batches_come_in_order_and_are_those_made_at_once(self):
        at_once, by_two = self.run_of(0), self.run_of(2)
        self.assertEqual([len(x) and int(n[0]) for _, (x, n) in at_once], [2, 3, 4, 5, 6])
        for (rng, parts), (other_rng, other_parts) in zip(at_once, by_two):
            self.assertEqual(rng.random(), other_rng.random())
            (x, numbers), (other, same) = parts, workers.Batches.on("cpu", other_parts)
            self.assertEqual(other_parts[0].dtype, torch.uint8)
            self.assertLess(float((x - other).abs().max()), 0.5 / 255 + 1e-6)
            self.assertTrue(torch.equal(numbers, same))
        self.assertEqual([x.shape[2] for _, (x, _) in at_once], [32, 32, 32, 64, 64])


if __name__ == "__main__":
    unittest.main()

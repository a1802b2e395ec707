"""A training from data to card, in small; takes minutes on a busy machine."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import torch
from test_pack import write_judged, write_sources

TRAINING = Path(__file__).parents[3] / "models" / "training"
sys.path.insert(0, str(TRAINING))

import net  # noqa: E402


def write_data(folder: Path, count: int, size: int) -> None:
    """Grey pictures with a bright square, as data.py would write them."""
    rng = np.random.default_rng(0)
    for name in ("train", "validation"):
        matte = np.zeros((count, size, size), np.uint8)
        matte[:, size // 4 : -size // 4, size // 4 : -size // 4] = 255
        noise = rng.integers(0, 60, (count, size, size, 3))
        photo = np.uint8(noise + (matte[..., None] > 0) * 180)
        np.savez(
            folder / f"{name}.npz",
            photo=photo,
            matte=matte,
            trust=np.full_like(matte, 255),
            is_person=np.ones(count, bool),
            store=np.dstack([photo.reshape(-1, size, 3), matte.reshape(-1, size)]).reshape(
                count, size, size, 4
            ),
            store_known=np.full_like(matte, 255),
            store_times=np.ones(count, np.int64),
            is_drawn=np.zeros(count, bool),
        )


def run(script: str, *arguments: object) -> str:
    done = subprocess.run(
        [sys.executable, str(TRAINING / script), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


class WholeWay(unittest.TestCase):
    def test_training_learns_resumes_as_if_never_stopped_and_exports_for_many(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_data(folder, 8, 64)
            common = ["--net", "garment-cutout", "--data", folder, "--batch", 4, "--sizes", 64]
            # The first steps are small ones; a high rate makes eight of them enough to see.
            common += ["--threads", 1, "--validate", 4, "--log", 4, "--rate", 8]
            run("train.py", *common, "--steps", 8, "--out", folder / "whole")
            # The schedule knows how many steps there are, so a stop in between is a run that
            # was cut.
            half = [*common, "--steps", 8, "--out", folder / "halved"]
            run("train.py", *half, "--stop-after", 4)
            run("train.py", *half)
            whole, halved = (
                torch.load(folder / part / "last.pt", weights_only=True)
                for part in ("whole", "halved")
            )
            for key, value in whole["average"].items():
                self.assertTrue(torch.allclose(value, halved["average"][key], atol=1e-6), key)
            history = json.loads((folder / "whole" / "history.json").read_text())
            self.assertLess(history[-1]["loss"], history[0]["loss"])
            out = folder / "out.onnx"
            thin = folder / "narrow.pt"
            given = ["--data", folder, "--pictures", 4, "--out", thin]
            run("narrow.py", folder / "whole" / "last.pt", *given)
            run("export.py", thin, out, "--net", "garment-cutout")
            made = run(
                "card.py",
                out,
                "--name",
                "garment-cutout",
                "--made",
                "2026-11-21",
                "--recipe",
                folder / "halved" / "recipe.json",
                "--out",
                folder / "c.json",
            )
            self.assertIn("c.json", made)
            written = json.loads((folder / "c.json").read_text())
            self.assertEqual(written["input"], {"input": "[n,3,h,w]"})
            self.assertEqual(written["bytes"], out.stat().st_size)
            self.assertEqual(written["recipe"]["steps"], 8)
            trained_on = written["recipe"]["trained_on"]
            self.assertEqual((trained_on["people"], trained_on["scenes"]), (8, 16))
            run("from_onnx.py", out, "--rest", thin, "--out", folder / "again.pt")

    def test_one_command_trains_from_a_pack_and_goes_on_on_another_machine(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            sources, start = write_sources(folder), folder / "start-of-old.pt"
            torch.manual_seed(1)
            torch.save({"average": net.CutOut().state_dict()}, start)
            judged = write_judged(folder / "judged.json", "photos/other.jpg")
            given = ["--format", "webp", "--judged", judged, "--start", start]
            run("pack.py", *sources, *given, "--out", folder / "pack")
            small = ["--batch", 4, "--mix", 1, 1, 1, 1, "--sizes", 64, "--threads", 1, "--save", 1]
            small += ["--validate", 50, "--log", 1, "--steps", 3, "--precision", "fp32"]
            out = folder / "out"
            command = ["--pack", folder / "pack", "--out", out, "--seconds", 9000, *small]
            said = run("lent.py", *command, "--work", folder / "one", "--stop-after", 1)
            self.assertIn("step 1 of 3: the same command goes on", said)
            for file in ("resume.pt", "history.json"):
                (folder / "pack" / file).write_bytes((out / file).read_bytes())
            said = run("lent.py", *command, "--work", folder / "two")
            self.assertIn("goes on after step 1", said)
            self.assertIn("step 3 of 3: done", said)
            history = json.loads((out / "history.json").read_text())
            self.assertEqual([row["step"] for row in history], [1, 3])
            self.assertGreater((out / "candidate.onnx").stat().st_size, 1e6)


if __name__ == "__main__":
    unittest.main()

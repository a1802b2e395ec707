"""
The cut-out network's training from a pack (pack.py), on a machine with a GPU that is lent for
minutes: unpacks, makes the arrays, trains, exports. The same command goes on where it stopped; on
another machine too, where resume.pt and history.json, which it wrote, lie in the pack's folder.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import torch
from PIL import features

from pack import PACK, START, unpack

HERE = Path(__file__).parent
RESUME, HISTORY, RECIPE = "resume.pt", "history.json", "recipe.json"
# As on 2026-11-27, on an H200 with 16 cores, which make a batch in the time of two updates.
DATA = "--for garment-cutout --levels 0.1 0.9 --people-levels 0.27 0.87".split()
TRAINING = (
    "--net garment-cutout --batch 64 --steps 4350 --echoes 2 --mix 3 3 4 6 --sizes 320 352"
    " --rate 1 --precision bf16 --save 500 --validate 1000 --log 50"
).split()
# Of the time there is, for the last validation, the export and the copies.
RESERVED_SECONDS = 60


class Log:
    """What commands say, at once and in a file."""

    def __init__(self, file: Path):
        self.begun, self.lines = time.monotonic(), file.open("w")

    def seconds(self) -> float:
        return time.monotonic() - self.begun

    def say(self, line: str) -> None:
        told = f"{self.seconds():6.1f} s  {line.rstrip()}"
        print(told, flush=True)
        print(told, file=self.lines, flush=True)

    def run(self, script: str, *arguments: object) -> None:
        command = [sys.executable, str(HERE / script), *map(str, arguments)]
        with subprocess.Popen(
            command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as running:
            for line in running.stdout:
                self.say(line)
        if running.returncode:
            raise SystemExit(f"{script} failed; see above")


def say_machine(log: Log) -> None:
    """What a run depends on and a page about the machine may have wrong."""
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU"
    shared = Path("/dev/shm")
    room = f"{shutil.disk_usage(shared).free / 1e9:.1f} GB" if shared.exists() else "no"
    avif = "AVIF" if features.check("avif") else "no AVIF"
    log.say(f"torch {torch.__version__}, {gpu}, {os.cpu_count()} cores, {room} /dev/shm, {avif}")


def make_data(options, log: Log) -> None:
    """Once on a machine; what was half made is made again."""
    if (options.work / "data").exists():
        return
    photos, part = options.work / "photos", options.work / "data.part"
    shutil.rmtree(part, ignore_errors=True)
    unpack(options.pack / PACK, photos)
    given = {
        "clothes": "clothes",
        "table": "clothes.csv",
        "masks": "masks",
        "people": "people",
        "people-masks": "people-masks",
        "store": "store",
        "held": "held.json",
    }
    there = [(f"--{name}", photos / path) for name, path in given.items()]
    chosen = [word for name, path in there if path.exists() for word in (name, path)]
    log.run("data.py", *DATA, *chosen, "--processes", os.cpu_count(), "--out", part)
    part.rename(options.work / "data")


def bring_back(options, run: Path) -> None:
    """A checkpoint of another machine, if there is none of this one."""
    if (run / "last.pt").exists() or not (options.pack / RESUME).exists():
        return
    run.mkdir(parents=True, exist_ok=True)
    shutil.copy(options.pack / HISTORY, run)
    shutil.copy(options.pack / RESUME, run / "last.pt")


def train(options, run: Path, more: list[str], log: Log) -> None:
    seconds = options.seconds - log.seconds() - RESERVED_SECONDS
    if seconds <= 0:
        raise SystemExit("No time is left to train; the same command goes on from the arrays")
    start = options.pack / START
    given = ["--start", start] if start.exists() else []
    given += ["--workers", max(1, os.cpu_count() - 1), "--seconds", seconds]
    log.run("train.py", *TRAINING, *given, *more, "--data", options.work / "data", "--out", run)


def light(kept: dict) -> dict:
    """
    A checkpoint in a third of the bytes: weights in half precision, which costs less than a step
    changes, the optimiser's squares too; its means, of some ten steps, begin again.
    """
    weights = lambda state: {k: v if k.endswith(".sc") else v.half() for k, v in state.items()}
    optimiser = {
        number: {
            "step": kept_of["step"],
            "exp_avg": torch.zeros(1, dtype=torch.bfloat16).expand_as(kept_of["exp_avg"]),
            "exp_avg_sq": kept_of["exp_avg_sq"].bfloat16(),
        }
        for number, kept_of in kept["optimiser"].items()
    }
    lighter = {name: weights(kept[name]) for name in ("net", "average")}
    return {**kept, **lighter, "optimiser": optimiser}


def hand_over(options, run: Path, log: Log) -> None:
    """The network, what to go on from, and what was said."""
    kept = torch.load(run / "last.pt", map_location="cpu", weights_only=True)
    torch.save(light(kept), options.out / RESUME)
    torch.save({"average": kept["average"]}, options.out / "average.pt")
    for name in (HISTORY, RECIPE):
        shutil.copy(run / name, options.out)
    wanted = json.loads((run / RECIPE).read_text())["steps"]
    then = "done" if kept["step"] >= wanted else "the same command goes on"
    log.say(f"step {kept['step']} of {wanted}: {then}")
    log.run("export.py", run / "last.pt", options.out / "candidate.onnx", "--net", "garment-cutout")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="What else is given goes to train.py, after what stands here.",
        allow_abbrev=False,
    )
    parser.add_argument("--pack", type=Path, required=True, help="folder that pack.py wrote")
    parser.add_argument(
        "--work", type=Path, required=True, help="folder for photos, arrays and the run, 8 GB"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder of what is to come back")
    parser.add_argument("--seconds", type=float, default=570, help="for all of it")
    options, more = parser.parse_known_args()
    options.out.mkdir(parents=True, exist_ok=True)
    log, run = Log(options.out / "log.txt"), options.work / "run"
    say_machine(log)
    make_data(options, log)
    bring_back(options, run)
    train(options, run, more, log)
    hand_over(options, run, log)


if __name__ == "__main__":
    main()

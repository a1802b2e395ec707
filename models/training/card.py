"""
The card of an exported network: what it is, from what it was made, how well it does. Figures
come from files, none by hand.
"""

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

LICENCE = "Apache-2.0"
TASKS = {
    "garment-cutout": "foreground alpha of a garment, a product or a dressed person",
    "garment-class": "what a garment is, laid out or worn: 32 classes, one of them no garment",
    "garment-parse": "garments of a subject told apart: 22 groups, pixel by pixel",
}


def shape_of(value: onnx.ValueInfoProto) -> str:
    dims = (d.dim_param or str(d.dim_value) for d in value.type.tensor_type.shape.dim)
    return f"[{','.join(dims)}]"


def of_network(file: Path) -> dict[str, object]:
    """What the file itself says."""
    data, model = file.read_bytes(), onnx.load(file)
    arrays = [numpy_helper.to_array(tensor) for tensor in model.graph.initializer]
    halved = any(array.dtype == np.float16 for array in arrays)
    return {
        "file": file.name,
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "opset": model.opset_import[0].version,
        "weights": "fp16 initialisers + Cast, fp32 compute" if halved else "fp32",
        "params": int(sum(a.size for a in arrays if a.dtype in (np.float16, np.float32))),
        "input": {v.name: shape_of(v) for v in model.graph.input},
        "output": {v.name: shape_of(v) for v in model.graph.output},
    }


def of_gate(rows: list[dict]) -> dict[str, dict[str, float]]:
    """The candidate's figures, by kind of photo."""
    figures: dict[str, dict[str, float]] = {}
    for row in rows:
        kind = figures.setdefault(row["kind"], {"photos": row["photos"]})
        kind[row["figure"]] = round(row["candidate"], 4)
    return figures


def card_of(options) -> dict[str, object]:
    read = lambda file: json.loads(file.read_text()) if file else None
    optional = {
        "initial_weights": read(options.initial),
        "training_data": read(options.sources),
        "recipe": read(options.recipe),
        "validation_curve": read(options.history),
        "calibration": read(options.calibration),
        "metrics": of_gate(read(options.gate)) if options.gate else None,
        "limits": options.limit or None,
    }
    return {
        "name": options.name,
        "origin": "own training",
        "licence": LICENCE,
        "made": options.made,
        "task": TASKS[options.name],
        **of_network(options.network),
        **{key: value for key, value in optional.items() if value is not None},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network", type=Path, help="ONNX")
    parser.add_argument("--name", choices=TASKS, required=True)
    parser.add_argument(
        "--made", required=True, help="date, YYYY-MM-DD; the version in the catalogue"
    )
    parser.add_argument("--sources", type=Path, help="JSON: data with licences")
    parser.add_argument(
        "--initial", type=Path, help="JSON: what training began from, with licences"
    )
    parser.add_argument("--recipe", type=Path, help="recipe.json of train.py")
    parser.add_argument("--history", type=Path, help="history.json of train.py")
    parser.add_argument("--calibration", type=Path, help="of calibrate.py")
    parser.add_argument("--gate", type=Path, help="of models:gate --json")
    parser.add_argument("--limit", action="append", help="what it is bad at; may come again")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.write_text(json.dumps(card_of(options), indent=1, ensure_ascii=False) + "\n")
    print(options.out)


if __name__ == "__main__":
    main()

"""
Names the batch dimension of a network whose pictures were exported to go through it one at a
time.
"""

import argparse
from pathlib import Path

import onnx

BATCH = "n"


def with_dynamic_batch(model: onnx.ModelProto) -> onnx.ModelProto:
    """
    Every input, output and shape in between gets `n` as its first dimension.
    @raises SystemExit where a node may have the batch written into its constants: naming it would
      not be enough
    """
    for node in model.graph.node:
        if node.op_type == "Reshape":
            raise SystemExit(f"{node.name} reshapes: export the network again instead")
    graph = model.graph
    for value in (*graph.input, *graph.output, *graph.value_info):
        shape = value.type.tensor_type.shape
        if len(shape.dim) == 4:
            shape.dim[0].dim_param = BATCH
    for said in model.metadata_props:
        said.value = said.value.replace("[1,", f"[{BATCH},")
    onnx.checker.check_model(model)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    onnx.save(with_dynamic_batch(onnx.load(options.network)), options.out)


if __name__ == "__main__":
    main()

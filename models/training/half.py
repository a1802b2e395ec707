"""Weights of half precision in a network that calculates with single."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Smaller arrays stay as they are: nothing is gained by halving a few biases.
HALVED_ABOVE = 64


def with_half_weights(model: onnx.ModelProto) -> onnx.ModelProto:
    """Large arrays as fp16, each with a Cast behind it."""
    kept, casts = [], []
    for tensor in model.graph.initializer:
        array = numpy_helper.to_array(tensor)
        if array.dtype != np.float32 or array.size <= HALVED_ABOVE:
            kept.append(tensor)
            continue
        half = f"{tensor.name}_h"
        kept.append(numpy_helper.from_array(array.astype(np.float16), half))
        casts.append(helper.make_node("Cast", [half], [tensor.name], to=TensorProto.FLOAT))
    nodes = casts + list(model.graph.node)
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.initializer.extend(kept)
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model)
    return model

"""Networks as ONNX, for programs in other languages."""

from __future__ import annotations

import os

import numpy as np

from agents.inputs import ENCODING_VERSION
from agents.network import NetworkError, read_network
from paohuzi_env.files import write_whole


def export_onnx(network: str | os.PathLike[str], out: str | os.PathLike[str]) -> None:
    """Write a network file as ONNX: "inputs" float32 (n, inputs), 1 where `agents.inputs` is on, to "logits" (n, 32).

    The graph is written node by node: a handful of matrix products needs no tracing.
    """
    from onnx import TensorProto, checker, helper, numpy_helper

    weights, header = read_network(network)
    if os.path.realpath(network) == os.path.realpath(out):
        raise NetworkError(f"ONNX {out}: it is the network itself; allowed: another file")
    first, first_bias, hidden, hidden_bias, last, last_bias = weights
    products = [(first, first_bias), *zip(hidden, hidden_bias, strict=True), (last, last_bias)]
    nodes, constants = [], []
    value = "inputs"
    for number, (weight, bias) in enumerate(products):
        for name, array in (("weight", weight), ("bias", bias)):
            constants.append(numpy_helper.from_array(np.ascontiguousarray(array), f"{name}{number}"))
        result = "logits" if number == len(products) - 1 else f"sum{number}"
        nodes.append(helper.make_node("Gemm", [value, f"weight{number}", f"bias{number}"], [result]))
        if result != "logits":
            value = f"hidden{number}"
            nodes.append(helper.make_node("Relu", [result], [value]))
    graph = helper.make_graph(
        nodes, "paohuzi",
        [helper.make_tensor_value_info("inputs", TensorProto.FLOAT, ["n", first.shape[0]])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", last.shape[1]])],
        initializer=constants,
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(model, {"rules": str(header.rules), "encoding": str(ENCODING_VERSION)})
    checker.check_model(model)
    write_whole(out, model.SerializeToString())

"""PyTorch's side of the comparison for exported programs.

    python_exported.py ARCHIVE.pt2 OUT.onnx              loads the archive and calls torch.onnx.export(dynamo=True)
    python_exported.py --script NETWORK OUT.onnx         makes the network and calls torch.onnx.export(dynamo=False)
"""
import pathlib
import sys
import warnings

warnings.simplefilter("ignore")
OPSET = 20


def export(archive, out):
    import torch
    torch.onnx.export(torch.export.load(archive), f=out, dynamo=True, opset_version=OPSET, verbose=False)


def export_script(name, out):
    import torch

    import exported_networks
    network, arguments = exported_networks.make(name)
    torch.onnx.export(network, arguments, out, dynamo=False, opset_version=OPSET)  # with gradients: else it meets fused layers


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    mode, *rest = sys.argv[1:]
    if mode == "--script":
        export_script(*rest)
    else:
        export(mode, *rest)

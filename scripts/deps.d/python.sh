# The Python of the tests: PyTorch and its exporters, to make archives and to compare with. tonnx itself needs none.
# Its GPU libraries come along, for `import torch` needs them.
install_wheels "$out/site" "torch==$TORCH_VERSION" "torchvision==$TORCHVISION_VERSION" "onnx==$ONNX_VERSION" \
  "onnxruntime==$ONNXRUNTIME_VERSION" "onnxscript==$ONNXSCRIPT_VERSION" "numpy==$NUMPY_VERSION"
mkdir "$out/bin"
cat >"$out/bin/python" <<SH
#!/bin/sh
site=\$(dirname "\$(dirname "\$(readlink -f "\$0")")")/site
PYTHONPATH=\$site\${PYTHONPATH:+:\$PYTHONPATH} exec "$(command -v "$python")" "\$@"
SH
chmod +x "$out/bin/python"
"$out/bin/python" -c 'import torch, torchvision, onnx, onnxruntime, onnxscript'

# ONNX Runtime: the library out of the Python wheel, loaded at run time only; the C header from a Go module that has it.
fetch_wheel "onnxruntime==$ONNXRUNTIME_VERSION"
unpack_wheel onnxruntime-*.whl . 'onnxruntime/capi/libonnxruntime.so*'
GOPATH=$PWD/go GOMODCACHE=$PWD/go/pkg/mod GOFLAGS=-modcacherw GOTOOLCHAIN=local \
  go mod download "github.com/yalue/onnxruntime_go@v$ONNXRUNTIME_GO_VERSION"
mkdir "$out/include" "$out/lib"
cp "go/pkg/mod/github.com/yalue/onnxruntime_go@v$ONNXRUNTIME_GO_VERSION"/onnxruntime_{c,ep_c}_api.h "$out/include/"
cp onnxruntime/capi/libonnxruntime.so* "$out/lib/"
library=$(cd "$out/lib" && echo libonnxruntime.so.*)
ln -s "$library" "$out/lib/libonnxruntime.so"

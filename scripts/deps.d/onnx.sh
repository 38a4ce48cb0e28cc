# onnx's C++ library (schemas, checker, shape inference), static, from its source distribution.
# -O1 and a unity build: the schemas are read once a process, so compile time counts more.
# Users of its headers compile with -DONNX_ML=1 -DONNX_NAMESPACE=onnx.
"$python" -m pip download --quiet --no-deps --no-binary onnx --dest . "onnx==$ONNX_VERSION"
mkdir source build
tar -xzf "onnx-$ONNX_VERSION.tar.gz" -C source --strip-components=1
tools=$root/.deps/tools/bin
protobuf=$(readlink -f "$root/.deps/protobuf")
"$tools/cmake" -S source -B build -G Ninja -DCMAKE_MAKE_PROGRAM="$tools/ninja" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS="$(without_folders)" -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" \
  -DCMAKE_INSTALL_PREFIX="$out" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_PREFIX_PATH="$protobuf" \
  -DProtobuf_PROTOC_EXECUTABLE="$protobuf/bin/protoc" -DONNX_CUSTOM_PROTOC_EXECUTABLE="$protobuf/bin/protoc" \
  -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_CXX_VISIBILITY_PRESET=hidden -DCMAKE_VISIBILITY_INLINES_HIDDEN=ON \
  -DONNX_ML=ON -DONNX_BUILD_PYTHON=OFF -DONNX_BUILD_TESTS=OFF -DONNX_USE_UNITY_BUILD=ON
"$tools/cmake" --build build
"$tools/cmake" --install build

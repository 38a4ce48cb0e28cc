#ifndef TONNX_ONNX_PCH_ONNX_H
#define TONNX_ONNX_PCH_ONNX_H

// Precompiled for the sources that include ONNX's messages. A source still includes what it uses.
#include <onnx/onnx_pb.h>

#include "ir/pch/ir.h"

#endif

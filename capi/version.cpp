#include "tonnx/version.h"

uint32_t tonnx_version_number(void) { return TONNX_VERSION_NUMBER; }

const char* tonnx_version(void) { return TONNX_VERSION_TEXT; }

const char* tonnx_build_info(void) { return "LibTorch " TONNX_LIBTORCH_VERSION ", onnx " TONNX_ONNX_VERSION; }

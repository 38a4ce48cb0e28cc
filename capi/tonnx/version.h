#ifndef TONNX_VERSION_H
#define TONNX_VERSION_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* The version of these headers. The build reads it from here. */
#define TONNX_VERSION_MAJOR 0
#define TONNX_VERSION_MINOR 1
#define TONNX_VERSION_PATCH 0

/* A version as one number: 0x020B01 is 2.11.1. Compare with it in the preprocessor. */
#define TONNX_MAKE_VERSION(major, minor, patch) (((major) << 16) | ((minor) << 8) | (patch))
#define TONNX_VERSION_NUMBER TONNX_MAKE_VERSION(TONNX_VERSION_MAJOR, TONNX_VERSION_MINOR, TONNX_VERSION_PATCH)

/* The version of the library that the process has loaded, as TONNX_VERSION_NUMBER and as text ("0.1.0"). A program runs
 * with every library of the same major version that is not older than its headers; before 1.0.0 the minor version must
 * be equal as well. */
TONNX_API uint32_t TONNX_CALL tonnx_version_number(void);
TONNX_API const char* TONNX_CALL tonnx_version(void);
/* The versions of the libraries that it is built with: "LibTorch 2.11, onnx 1.23.2", or "LibTorch none". */
TONNX_API const char* TONNX_CALL tonnx_build_info(void);

TONNX_END_DECLS

#endif

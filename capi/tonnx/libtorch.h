#ifndef TONNX_LIBTORCH_H
#define TONNX_LIBTORCH_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* Returns the version of the LibTorch that the process has loaded, itself or through tonnx: 0x020B00 is 2.11.0. Returns
 * 0 if there is none, if there are several, or if it is older than 2.7. Loads nothing. */
TONNX_API uint32_t TONNX_CALL tonnx_libtorch_version(void);

/* Loads the LibTorch of a folder, which contains libtorch_cpu.so or lib/libtorch_cpu.so, for a host that cannot set
 * LD_LIBRARY_PATH. Must be called before anything else loads LibTorch; does nothing if the process already has the one
 * of this folder. It stays loaded, also if the call fails after that. TONNX_STATUS_FILE (class DependencyError) if the
 * folder has no LibTorch, if tonnx has no backend for its version, or if the process already has another one. */
TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL tonnx_libtorch_load(const char *folder, tonnx_error **error);

TONNX_END_DECLS

#endif

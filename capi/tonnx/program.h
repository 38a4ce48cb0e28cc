#ifndef TONNX_PROGRAM_H
#define TONNX_PROGRAM_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* A LibTorch program: a loaded archive, or the caller's own code as a trace recorded it (tonnx/trace.h). Const calls may run concurrently. */

/* A TorchScript archive (.pt). The bytes of its weights are not read now; the file must stay in place and unchanged as
 * long as the program or a model made of it lives. */
TONNX_API tonnx_status tonnx_program_load(tonnx_program **out, const char *path, tonnx_error **error);
/* The same from memory; the bytes are copied. */
TONNX_API tonnx_status tonnx_program_load_bytes(tonnx_program **out, const void *data, size_t size,
                                                tonnx_error **error);

/* Methods of an archive that can be exported; a trace has one, "forward". */
TONNX_API size_t tonnx_program_method_count(const tonnx_program *program);
TONNX_API const char *tonnx_program_method(const tonnx_program *program, size_t index);

/* The unconverted program's text form, as recorded or stored. New buffer. args may be NULL for a trace. */
TONNX_API tonnx_status tonnx_program_text(tonnx_buffer **out, const tonnx_program *program, const tonnx_args *args,
                                          const tonnx_options *options, tonnx_error **error);

TONNX_API void tonnx_program_free(tonnx_program *program);

/* Loads a shared library that registers operators with LibTorch (TORCH_LIBRARY), for archives that use them. Process-wide. */
TONNX_API tonnx_status tonnx_operators_load_library(const char *path, tonnx_error **error);
/* Registers an operator's schema alone, "my_ops::foo(Tensor x, float alpha) -> Tensor", which is enough to load and
 * export an archive that uses it. Does nothing if the operator is known. Process-wide. */
TONNX_API tonnx_status tonnx_operators_register(const char *schema, tonnx_error **error);

TONNX_END_DECLS

#endif

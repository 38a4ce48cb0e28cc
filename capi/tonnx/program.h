#ifndef TONNX_PROGRAM_H
#define TONNX_PROGRAM_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* A LibTorch program: a loaded archive or a recorded call. Const calls may run concurrently. */

/* A TorchScript archive (.pt). The bytes of its weights are not read now; the file must stay in place and unchanged as
 * long as the program or a model made of it lives. */
TONNX_API tonnx_status tonnx_program_load(tonnx_program **out, const char *path, tonnx_error **error);
/* The same from memory; the bytes are copied. */
TONNX_API tonnx_status tonnx_program_load_bytes(tonnx_program **out, const void *data, size_t size,
                                                tonnx_error **error);

/* Runs the caller's own LibTorch code. Called once, on the thread that called tonnx_program_trace. Everything that runs on
 * tensors reached from the trace's inputs is recorded. Returns 0, or anything else after tonnx_trace_fail. */
typedef int32_t (*tonnx_trace_fn)(tonnx_trace *trace, void *user_data);

/* Records one call of `callback` on the tensors of `args` under LibTorch's tracer, in the caller's grad mode. The
 * results it adds are kept: tonnx_model_verify compares with them. destroy(user_data) is called before this returns;
 * it may be NULL. A trace inside a trace is refused with TONNX_ARGUMENT. */
TONNX_API tonnx_status tonnx_program_trace(tonnx_program **out, tonnx_trace_fn callback, void *user_data,
                                           tonnx_destroy_fn destroy, const tonnx_args *args, tonnx_error **error);

/* Inside a tonnx_trace_fn. Tensors are at::Tensor * of the LibTorch that tonnx is linked with, borrowed for the call. */
TONNX_API size_t tonnx_trace_input_count(const tonnx_trace *trace);
/* Borrowed until the callback returns; NULL if the index is out of range. */
TONNX_API void *tonnx_trace_input(tonnx_trace *trace, size_t index);
/* Declares a weight: where this tensor is read it becomes the named weight. Call it before the tensor is used. A tensor
 * that is captured undeclared becomes a weight "constant_N". */
TONNX_API tonnx_status tonnx_trace_weight(tonnx_trace *trace, const char *name, const void *at_tensor,
                                          tonnx_error **error);
/* Adds a result of the program; name may be NULL. */
TONNX_API tonnx_status tonnx_trace_output(tonnx_trace *trace, const char *name, const void *at_tensor,
                                          tonnx_error **error);
/* Operators up to the matching leave belong to the module `name` of class `type`; nests. */
TONNX_API tonnx_status tonnx_trace_enter(tonnx_trace *trace, const char *type, const char *name, tonnx_error **error);
TONNX_API tonnx_status tonnx_trace_leave(tonnx_trace *trace, tonnx_error **error);
/* Says why the callback fails; the text is copied and becomes the error's message. */
TONNX_API void tonnx_trace_fail(tonnx_trace *trace, const char *message);

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

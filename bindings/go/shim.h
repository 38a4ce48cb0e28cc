#ifndef TONNX_GO_SHIM_H
#define TONNX_GO_SHIM_H

/* Calls that take callbacks, with a cgo.Handle as user_data: an integer, since C must not keep Go's pointers. */

#include <tonnx.h>

tonnx_status tonnx_go_registry_add(tonnx_registry *registry, const char *name, int32_t since, uintptr_t symbolic,
                                   tonnx_error **error);
/* `call` is what the symbolics of this export are told. */
tonnx_status tonnx_go_export(tonnx_model **out, const tonnx_program *program, const tonnx_args *args,
                             const tonnx_options *options, const tonnx_registry *registry, uintptr_t call,
                             tonnx_error **error);
tonnx_status tonnx_go_model_write(const tonnx_model *model, uintptr_t sink, tonnx_error **error);
tonnx_status tonnx_go_program_trace(tonnx_program **out, uintptr_t call, const tonnx_args *args, tonnx_error **error);

#endif

#ifndef TONNX_GO_SHIM_H
#define TONNX_GO_SHIM_H

/* Calls that take callbacks, with a cgo.Handle as user_data: an integer, since C must not keep Go's pointers. */

#include <tonnx.h>

tonnx_status tonnx_go_registry_add(tonnx_registry* registry, const char* name, int32_t since, uintptr_t symbolic,
                                   tonnx_error** error);
tonnx_status tonnx_go_trace_options_set_resize(tonnx_trace_options* options, uintptr_t resize, tonnx_error** error);
void tonnx_go_args_fail(tonnx_args* args, const char* message, uintptr_t cause);
void tonnx_go_graph_fail(tonnx_graph* graph, const char* message, uintptr_t cause);
tonnx_status tonnx_go_observer_new(tonnx_observer** out, uintptr_t observer, tonnx_error** error);
void tonnx_go_event_fail(const tonnx_event* event, const char* message, uintptr_t cause);
void tonnx_go_trace_fail(tonnx_trace* trace, const char* message, uintptr_t cause);
void tonnx_go_writer_fail(tonnx_writer* writer, const char* message, uintptr_t cause);
/* Borrowed from the error; 0: none. */
uintptr_t tonnx_go_error_cause(const tonnx_error* error);
tonnx_status tonnx_go_model_write(const tonnx_model* model, uintptr_t sink, tonnx_error** error);

#endif

#include "shim.h"

#include "_cgo_export.h"

static int32_t run_symbolic(tonnx_graph* graph, const tonnx_node* node, tonnx_value* const* inputs, size_t count,
                            void* user_data) {
  return tonnxGoSymbolic(graph, (tonnx_node*)node, (tonnx_value**)inputs, count, (uintptr_t)user_data);
}

static int32_t run_resize(tonnx_args* args, const char* const* symbols, const int64_t* sizes, size_t count,
                          void* user_data) {
  return tonnxGoResize(args, (char**)symbols, (int64_t*)sizes, count, (uintptr_t)user_data);
}

static int32_t run_observer(const tonnx_event* event, void* user_data) {
  return tonnxGoObserve((tonnx_event*)event, (uintptr_t)user_data);
}

static void destroy(void* handle) { tonnxGoDestroy((uintptr_t)handle); }

static int32_t run_write(tonnx_writer* writer, const void* data, size_t size, void* user_data) {
  return tonnxGoWrite(writer, (void*)data, size, (uintptr_t)user_data);
}

tonnx_status tonnx_go_registry_add(tonnx_registry* registry, const char* name, int32_t since, uintptr_t symbolic,
                                   tonnx_error** error) {
  return tonnx_registry_add(registry, name, since, run_symbolic, (void*)symbolic, destroy, error);
}

tonnx_status tonnx_go_trace_options_set_resize(tonnx_trace_options* options, uintptr_t resize, tonnx_error** error) {
  return tonnx_trace_options_set_resize(options, run_resize, (void*)resize, destroy, error);
}

void tonnx_go_args_fail(tonnx_args* args, const char* message, uintptr_t cause) {
  tonnx_args_fail(args, message, (void*)cause, destroy);
}

void tonnx_go_graph_fail(tonnx_graph* graph, const char* message, uintptr_t cause) {
  tonnx_graph_fail(graph, message, (void*)cause, destroy);
}

tonnx_status tonnx_go_observer_new(tonnx_observer** out, uintptr_t observer, tonnx_error** error) {
  return tonnx_observer_new(out, run_observer, (void*)observer, destroy, error);
}

void tonnx_go_event_fail(const tonnx_event* event, const char* message, uintptr_t cause) {
  tonnx_event_fail(event, message, (void*)cause, destroy);
}

void tonnx_go_trace_fail(tonnx_trace* trace, const char* message, uintptr_t cause) {
  tonnx_trace_fail(trace, message, (void*)cause, destroy);
}

void tonnx_go_writer_fail(tonnx_writer* writer, const char* message, uintptr_t cause) {
  tonnx_writer_fail(writer, message, (void*)cause, destroy);
}

uintptr_t tonnx_go_error_cause(const tonnx_error* error) { return (uintptr_t)tonnx_error_cause(error, destroy); }

tonnx_status tonnx_go_model_write(const tonnx_model* model, uintptr_t sink, tonnx_error** error) {
  return tonnx_model_write(model, run_write, (void*)sink, error);
}

#include "shim.h"

#include "_cgo_export.h"

/* The export that runs on this thread: symbolics run on the thread that exports, and one registration may serve several
 * exports at once, so its user_data cannot tell which one asks. */
static _Thread_local uintptr_t current_export;

static int32_t run_symbolic(tonnx_graph *graph, const tonnx_node *node, tonnx_value *const *inputs, size_t count,
                            void *user_data) {
  return tonnxGoSymbolic(graph, (tonnx_node *)node, (tonnx_value **)inputs, count, (uintptr_t)user_data,
                         current_export);
}

static void destroy(void *user_data) { tonnxGoDestroy((uintptr_t)user_data); }

static int32_t run_write(const void *data, size_t size, void *user_data) {
  return tonnxGoWrite((void *)data, size, (uintptr_t)user_data);
}

static int32_t run_trace(tonnx_trace *trace, void *user_data) { return tonnxGoTrace(trace, (uintptr_t)user_data); }

tonnx_status tonnx_go_registry_add(tonnx_registry *registry, const char *name, int32_t since, uintptr_t symbolic,
                                   tonnx_error **error) {
  return tonnx_registry_add(registry, name, since, run_symbolic, (void *)symbolic, destroy, error);
}

tonnx_status tonnx_go_export(tonnx_model **out, const tonnx_program *program, const tonnx_args *args,
                             const tonnx_options *options, const tonnx_registry *registry, uintptr_t call,
                             tonnx_error **error) {
  const uintptr_t outer = current_export;
  current_export = call;
  const tonnx_status status = tonnx_export(out, program, args, options, registry, error);
  current_export = outer;
  return status;
}

tonnx_status tonnx_go_model_write(const tonnx_model *model, uintptr_t sink, tonnx_error **error) {
  return tonnx_model_write(model, run_write, (void *)sink, error);
}

tonnx_status tonnx_go_program_trace(tonnx_program **out, uintptr_t call, const tonnx_args *args, tonnx_error **error) {
  return tonnx_program_trace(out, run_trace, (void *)call, NULL, args, error);
}

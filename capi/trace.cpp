#include "guard.h"
#include "tonnx/program.h"

using tonnx::capi::answer;
using tonnx::capi::guard;
using tonnx::capi::own_user_data;
using tonnx::capi::refuse;
using tonnx::capi::require;

tonnx_status tonnx_program_trace(tonnx_program** out, tonnx_trace_fn callback, void* user_data,
                                 tonnx_destroy_fn destroy, const tonnx_args* args, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    const std::shared_ptr<void> owned = own_user_data(user_data, destroy);
    require(out, "out");
    if (!callback) refuse("argument 'callback' is NULL");
    require(args, "args");
    const tonnx::ir::Arguments& arguments = tonnx_args::finished(args);
    const auto run = [&](std::span<void* const> inputs, tonnx::exporting::TraceOutputs& outputs) {
      tonnx_trace trace;
      trace.inputs = inputs;
      trace.outputs = &outputs;
      const std::int32_t outcome = callback(&trace, owned.get());
      for (; trace.depth > 0; --trace.depth) tonnx::exporting::end_trace_scope();
      if (outcome == 0 && trace.failure.empty()) return;
      throw tonnx::ir::Error(tonnx::ir::Code::Callback, trace.failure.empty()
                                                            ? "the traced callback failed and gave no reason"
                                                            : trace.failure);
    };
    auto program = std::make_unique<tonnx_program>();
    program->source = tonnx::exporting::record_trace(run, arguments);
    program->methods = program->source->methods();
    *out = program.release();
  });
}

size_t tonnx_trace_input_count(const tonnx_trace* trace) { return trace ? trace->inputs.size() : 0; }

void* tonnx_trace_input(tonnx_trace* trace, size_t index) {
  return index < tonnx_trace_input_count(trace) ? trace->inputs[index] : nullptr;
}

tonnx_status tonnx_trace_weight(tonnx_trace* trace, const char* name, const void* at_tensor, tonnx_error** error) {
  return guard(error, [&] {
    require(trace, "trace");
    require(name, "name");
    if (!*name) refuse("a weight's name is empty");
    trace->outputs->add_weight(at_tensor, name);
  });
}

tonnx_status tonnx_trace_output(tonnx_trace* trace, const char* name, const void* at_tensor, tonnx_error** error) {
  return guard(error, [&] {
    require(trace, "trace");
    trace->outputs->add(at_tensor, name ? name : "");
  });
}

tonnx_status tonnx_trace_enter(tonnx_trace* trace, const char* type, const char* name, tonnx_error** error) {
  return guard(error, [&] {
    require(trace, "trace");
    require(type, "type");
    require(name, "name");
    tonnx::exporting::begin_trace_scope(type, name);
    ++trace->depth;
  });
}

tonnx_status tonnx_trace_leave(tonnx_trace* trace, tonnx_error** error) {
  return guard(error, [&] {
    require(trace, "trace");
    if (trace->depth == 0) refuse("no module was entered");
    tonnx::exporting::end_trace_scope();
    --trace->depth;
  });
}

void tonnx_trace_fail(tonnx_trace* trace, const char* message) {
  if (!trace) return;
  answer(0, [&] {
    trace->failure = message && *message ? message : "the traced callback failed and gave no reason";
    return 0;
  });
}

#include "tonnx/trace.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "backend/libtorch.h"
#include "guard.h"
#include "ir/callback_error.h"

using tonnx::capi::answer;
using tonnx::capi::guard;
using tonnx::capi::own_cause;
using tonnx::capi::own_user_data;
using tonnx::capi::refuse;
using tonnx::capi::require;

namespace {

void require_no_failure(const tonnx_trace& trace) {
  if (!trace.failure.empty()) throw tonnx::ir::CallbackError(trace.failure, {}, trace.cause);
}

// Runs `body` under the observer of the trace, which ends if it cancels.
template <class Body>
auto observed(tonnx_trace& trace, const Body& body) {
  try {
    return tonnx::ir::observe(trace.observer.get(), {}, [&] {
      const tonnx::ir::Stage stage("trace", 0, tonnx::ir::Stage::Unit::Steps, trace.run_count);
      return body();
    });
  } catch (const tonnx::ir::Cancelled&) {
    trace.runs.stop();
    throw;
  }
}

std::unique_ptr<tonnx_trace> begin(const tonnx_args* args, const tonnx_trace_options* options) {
  return tonnx::ir::observe(tonnx::capi::observer_of(options).get(), {}, [&] {
    const tonnx::capi::Exporting exporting;  // before the first event
    const tonnx::ir::Stage stage("trace");
    return std::make_unique<tonnx_trace>(tonnx_args::finished(args), options);
  });
}

bool next_run(tonnx_trace& trace) {
  trace.depth = 0;
  trace.functions.clear();
  return observed(trace, [&] {
    ++trace.run_count;
    if (trace.failure.empty()) return trace.runs.next();
    if (trace.runs.is_example()) require_no_failure(trace);
    return trace.runs.fail(std::exchange(trace.failure, {}), std::exchange(trace.cause, nullptr));
  });
}

tonnx_program* end_runs(tonnx_trace& trace) {
  const auto ended = std::move(trace.progress);
  require_no_failure(trace);
  return observed(trace,
                  [&] {
                    auto program = std::make_unique<tonnx_program>();
                    program->source = trace.runs.end();
                    program->methods = program->source->methods();
                    return program;
                  })
      .release();
}

void leave_module(tonnx_trace& trace) {
  tonnx::backend::libtorch().end_trace_scope();
  --trace.depth;
}

bool is_function_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, fits);
}

void require_own(const tonnx_trace* trace) {
  require(trace, "trace");
  if (trace->borrowed) refuse("a callback's trace ends when the callback returns");
}

}  // namespace

tonnx_status tonnx_trace_begin(tonnx_trace** out, const tonnx_args* args, const tonnx_trace_options* options,
                               tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(args, "args");
    *out = begin(args, options).release();
  });
}

tonnx_status tonnx_trace_next(int32_t* again, tonnx_trace* trace, tonnx_error** error) {
  if (again) *again = 0;
  return guard(error, [&] {
    require(again, "again");
    require_own(trace);
    *again = next_run(*trace);
  });
}

tonnx_status tonnx_trace_end(tonnx_program** out, tonnx_trace* trace, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require_own(trace);
    *out = end_runs(*trace);
  });
}

void tonnx_trace_free(tonnx_trace* trace) {
  if (trace && !trace->borrowed) tonnx::capi::destroy(trace);
}

tonnx_status tonnx_program_trace(tonnx_program** out, tonnx_trace_fn callback, void* user_data,
                                 tonnx_destroy_fn destroy, const tonnx_args* args, const tonnx_trace_options* options,
                                 tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    const std::shared_ptr<void> owned = own_user_data(user_data, destroy);
    require(out, "out");
    if (!callback) refuse("argument 'callback' is NULL");
    require(args, "args");
    const std::unique_ptr<tonnx_trace> trace = begin(args, options);
    trace->borrowed = true;
    do {
      if (callback(trace.get(), owned.get()) != 0 && trace->failure.empty())
        tonnx_trace_fail(trace.get(), nullptr, nullptr, nullptr);
    } while (next_run(*trace));
    *out = end_runs(*trace);
  });
}

size_t tonnx_trace_input_count(const tonnx_trace* trace) {
  if (!trace) return 0;
  return answer(std::size_t{0}, [&] { return const_cast<tonnx_trace*>(trace)->runs.run().inputs().size(); });
}

void* tonnx_trace_input(tonnx_trace* trace, size_t index) {
  if (index >= tonnx_trace_input_count(trace)) return nullptr;
  return trace->runs.run().inputs()[index];
}

tonnx_status tonnx_trace_new_input(void** out, tonnx_trace* trace, size_t index, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(trace, "trace");
    const auto inputs = trace->runs.run().inputs();
    if (index >= inputs.size())
      refuse("the trace has no input " + std::to_string(index) + ", only " + std::to_string(inputs.size()));
    *out = tonnx::backend::libtorch().copy_handle(inputs[index]);
  });
}

tonnx_status tonnx_trace_weight(tonnx_trace* trace, const char* name, const void* at_tensor, tonnx_error** error) {
  return guard(error, [&] {
    require(trace, "trace");
    require(name, "name");
    if (!*name) refuse("a weight's name is empty");
    trace->runs.run().add_weight(at_tensor, name);
  });
}

tonnx_status tonnx_trace_output(tonnx_trace* trace, const char* name, const void* at_tensor, tonnx_error** error) {
  return guard(error, [&] {
    require(trace, "trace");
    trace->runs.run().add_output(at_tensor, name ? name : "");
  });
}

tonnx_status tonnx_trace_size(void** out, tonnx_trace* trace, const void* at_tensor, int64_t dim, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    require(trace, "trace");
    *out = trace->runs.run().size(at_tensor, dim);
  });
}

tonnx_status tonnx_trace_enter(tonnx_trace* trace, const char* type, const char* name, tonnx_error** error) {
  return guard(error, [&] {
    require(trace, "trace");
    require(type, "type");
    require(name, "name");
    trace->runs.run();
    tonnx::backend::libtorch().begin_trace_scope(type, name);
    ++trace->depth;
  });
}

tonnx_status tonnx_trace_leave(tonnx_trace* trace, tonnx_error** error) {
  return guard(error, [&] {
    require(trace, "trace");
    trace->runs.run();
    if (trace->depth == 0) refuse("no module is open: call tonnx_trace_enter first");
    if (!trace->functions.empty() && trace->functions.back() == trace->depth)
      refuse("a function that was begun in the module is open: call tonnx_trace_end_function first");
    leave_module(*trace);
  });
}

tonnx_status tonnx_trace_begin_function(tonnx_trace* trace, const char* name, const void* const* at_tensors,
                                        size_t count, const tonnx_attributes* arguments, tonnx_error** error) {
  return guard(error, [&] {
    require(trace, "trace");
    require(name, "name");
    if (count > 0) require(at_tensors, "at_tensors");
    if (!is_function_name(name))
      refuse("'" + std::string(name) +
             "' is not a name of a function: it begins with a letter and has letters, digits, _ and -");
    const tonnx::lower::Attributes none;
    if (arguments && !arguments->graphs.empty()) refuse("a function has no graphs as arguments");
    const auto& given = arguments ? arguments->attributes : none;
    for (const auto& argument : given)
      if (argument.name == "name" || argument.name.empty())
        refuse("an argument of a function must have a name, which must not be 'name'");
    trace->runs.run().begin_function(name, {at_tensors, count}, given);
    trace->functions.push_back(trace->depth);
  });
}

tonnx_status tonnx_trace_end_function(tonnx_trace* trace, const void* const* at_tensors, size_t count,
                                      tonnx_error** error) {
  return guard(error, [&] {
    require(trace, "trace");
    if (count > 0) require(at_tensors, "at_tensors");
    auto& run = trace->runs.run();
    if (!trace->functions.empty() && trace->functions.back() != trace->depth)
      refuse("a module that was entered in the function is open: call tonnx_trace_leave first");
    run.end_function({at_tensors, count});
    trace->functions.pop_back();
  });
}

tonnx_status tonnx_trace_abandon_function(tonnx_trace* trace, tonnx_error** error) {
  return guard(error, [&] {
    require(trace, "trace");
    trace->runs.run().abandon_function();
    while (trace->depth > trace->functions.back()) leave_module(*trace);
    trace->functions.pop_back();
  });
}

void tonnx_trace_fail(tonnx_trace* trace, const char* message, void* cause, tonnx_destroy_fn destroy) {
  answer(0, [&] {
    std::shared_ptr<void> owned = own_cause(cause, destroy);
    if (!trace) return 0;
    trace->failure = message && *message ? message : "the traced code failed and reported no reason";
    trace->cause = std::move(owned);
    return 0;
  });
}

#include "tonnx/options.h"

#include "export/opset_range.h"
#include "guard.h"
#include "set_option.h"

using tonnx::capi::guard;
using tonnx::capi::refuse;
using tonnx::capi::require;
using tonnx::capi::set;
using tonnx::capi::text;

namespace {

template <class Enum>
void choose(Enum& option, int32_t value, int32_t count, const char* name) {
  if (value < 0 || value >= count) refuse(std::string(name) + " " + std::to_string(value) + " is unknown");
  option = static_cast<Enum>(value);
}

tonnx_status set_limit(tonnx_options* options, std::int32_t tonnx::exporting::Options::* limit, int32_t value,
                       int32_t least, int32_t most, const char* name, tonnx_error** error) {
  return set(options, error, [&](auto& o) {
    if (value < least || value > most)
      refuse(std::string(name) + " is " + std::to_string(value) + ", but must be from " + std::to_string(least) +
             " to " + std::to_string(most));
    o.*limit = value;
  });
}

}  // namespace

tonnx::ir::Limits tonnx::capi::limits_of(const tonnx_options* options) {
  if (!options) return {};
  const exporting::Options& o = options->options;
  return {.seconds = o.max_seconds,
          .steps = o.max_steps,
          .constant_bytes = std::int64_t{o.max_constant_mib} << 20,
          .call_depth = o.max_call_depth == ir::Limits::kCallDepth ? 0 : o.max_call_depth};
}

tonnx_status tonnx_options_new(tonnx_options** out, tonnx_error** error) {
  if (out) *out = nullptr;
  return guard(error, [&] {
    require(out, "out");
    *out = new tonnx_options;
  });
}

tonnx_status tonnx_options_set_opset(tonnx_options* options, int32_t value, tonnx_error** error) {
  return set(options, error, [&](auto& o) {
    tonnx::exporting::check_opset(value);
    o.opset = value;
  });
}

tonnx_status tonnx_options_set_max_seconds(tonnx_options* options, int32_t value, tonnx_error** error) {
  return set_limit(options, &tonnx::exporting::Options::max_seconds, value, 0, INT32_MAX, "max_seconds", error);
}

tonnx_status tonnx_options_set_max_steps(tonnx_options* options, int32_t value, tonnx_error** error) {
  return set_limit(options, &tonnx::exporting::Options::max_steps, value, 0, INT32_MAX, "max_steps", error);
}

tonnx_status tonnx_options_set_max_constant_mib(tonnx_options* options, int32_t value, tonnx_error** error) {
  return set_limit(options, &tonnx::exporting::Options::max_constant_mib, value, 0, INT32_MAX, "max_constant_mib",
                   error);
}

tonnx_status tonnx_options_set_max_call_depth(tonnx_options* options, int32_t value, tonnx_error** error) {
  return set_limit(options, &tonnx::exporting::Options::max_call_depth, value, 1,
                   static_cast<int32_t>(tonnx::ir::Limits::kCallDepth), "max_call_depth", error);
}

tonnx_status tonnx_options_add_dynamic_axis(tonnx_options* options, const char* name, int64_t axis, const char* symbol,
                                            tonnx_error** error) {
  return set(options, error, [&](auto& o) {
    require(name, "name");
    o.dynamic_axes.push_back({name, axis, symbol ? symbol : ""});
  });
}

tonnx_status tonnx_options_set_custom_opset(tonnx_options* options, const char* domain, int64_t version,
                                            tonnx_error** error) {
  return set(options, error, [&](auto& o) {
    require(domain, "domain");
    for (auto& [known, number] : o.custom_opsets) {
      if (known != domain) continue;
      number = version;
      return;
    }
    o.custom_opsets.emplace_back(domain, version);
  });
}

// Made from options.json by scripts/options.py.

tonnx_status tonnx_options_set_target(tonnx_options* options, tonnx_target value, tonnx_error** error) {
  return set(options, error, [&](auto& o) { choose(o.target, value, 2, "target"); });
}

tonnx_status tonnx_options_set_method(tonnx_options* options, const char* value, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.method = text(value, "value"); });
}

tonnx_status tonnx_options_set_mode(tonnx_options* options, tonnx_mode value, tonnx_error** error) {
  return set(options, error, [&](auto& o) { choose(o.mode, value, 3, "mode"); });
}

tonnx_status tonnx_options_set_training(tonnx_options* options, tonnx_training value, tonnx_error** error) {
  return set(options, error, [&](auto& o) { choose(o.training, value, 3, "training"); });
}

tonnx_status tonnx_options_set_constant_folding(tonnx_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.constant_folding = enabled != 0; });
}

tonnx_status tonnx_options_set_merge_equal_weights(tonnx_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.merge_equal_weights = enabled != 0; });
}

tonnx_status tonnx_options_set_export_params(tonnx_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.export_params = enabled != 0; });
}

tonnx_status tonnx_options_set_initializers_as_inputs(tonnx_options* options, tonnx_initializers_as_inputs value,
                                                      tonnx_error** error) {
  return set(options, error, [&](auto& o) { choose(o.initializers_as_inputs, value, 3, "initializers_as_inputs"); });
}

tonnx_status tonnx_options_set_operator_export_type(tonnx_options* options, tonnx_operator_export_type value,
                                                    tonnx_error** error) {
  return set(options, error, [&](auto& o) { choose(o.operator_export_type, value, 4, "operator_export_type"); });
}

tonnx_status tonnx_options_set_autograd_inlining(tonnx_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.autograd_inlining = enabled != 0; });
}

tonnx_status tonnx_options_set_check(tonnx_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.check = enabled != 0; });
}

tonnx_status tonnx_options_set_invalid_model(tonnx_options* options, const char* value, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.invalid_model = text(value, "value"); });
}

tonnx_status tonnx_options_set_doc_strings(tonnx_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.doc_strings = enabled != 0; });
}

tonnx_status tonnx_options_set_node_names(tonnx_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.node_names = enabled != 0; });
}

tonnx_status tonnx_options_set_weight_names(tonnx_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.weight_names = enabled != 0; });
}

tonnx_status tonnx_options_set_value_info(tonnx_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.value_info = enabled != 0; });
}

tonnx_status tonnx_options_add_module_function(tonnx_options* options, const char* name, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.module_functions.push_back(text(name, "name")); });
}

tonnx_status tonnx_options_set_written_outputs(tonnx_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.written_outputs = enabled != 0; });
}

tonnx_status tonnx_options_set_warnings_as_errors(tonnx_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.warnings_as_errors = enabled != 0; });
}

tonnx_status tonnx_options_set_sequence_inputs(tonnx_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.sequence_inputs = enabled != 0; });
}

tonnx_status tonnx_options_set_sequence_outputs(tonnx_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.sequence_outputs = enabled != 0; });
}

tonnx_status tonnx_options_add_input_name(tonnx_options* options, const char* name, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.input_names.push_back(text(name, "name")); });
}

tonnx_status tonnx_options_add_output_name(tonnx_options* options, const char* name, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.output_names.push_back(text(name, "name")); });
}

tonnx_status tonnx_options_set_all_axes_dynamic(tonnx_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.all_axes_dynamic = enabled != 0; });
}

tonnx_status tonnx_options_set_fixed_dynamic_axes(tonnx_options* options, tonnx_fixed_dynamic_axes value,
                                                  tonnx_error** error) {
  return set(options, error, [&](auto& o) { choose(o.fixed_dynamic_axes, value, 2, "fixed_dynamic_axes"); });
}

tonnx_status tonnx_options_add_fixed_axis(tonnx_options* options, const char* name, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.fixed_axes.push_back(text(name, "name")); });
}

tonnx_status tonnx_options_add_print_after(tonnx_options* options, const char* name, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.print_after.push_back(text(name, "name")); });
}

tonnx_status tonnx_options_set_print_changes(tonnx_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.print_changes = enabled != 0; });
}

tonnx_status tonnx_options_set_pass_statistics(tonnx_options* options, int32_t enabled, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.pass_statistics = enabled != 0; });
}
// Made until here.

tonnx_status tonnx_options_set_observer(tonnx_options* options, const tonnx_observer* observer, tonnx_error** error) {
  return set(options, error, [&](auto& o) { o.observer = observer ? observer->callback : nullptr; });
}

void tonnx_options_free(tonnx_options* options) { tonnx::capi::destroy(options); }

int32_t tonnx_opset_oldest(void) { return tonnx::exporting::oldest_opset(); }
int32_t tonnx_opset_newest(void) { return tonnx::exporting::newest_opset(); }
int32_t tonnx_opset_default(void) { return tonnx::exporting::Options().opset; }

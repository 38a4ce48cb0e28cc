#include "export/policy.h"

#include <algorithm>
#include <unordered_set>

#include "export/naming.h"
#include "export/opset_range.h"
#include "ir/class_name.h"
#include "ir/error.h"
#include "ir/observer.h"
#include "onnx/read_functions.h"

namespace tonnx::exporting {

using ir::Code;
using ir::Error;

namespace {

constexpr int kFirstWithTraining = 12;  // for Dropout; BatchNormalization has it from 14 on

bool lists_initializers(const Options& options) {
  const bool is_plain = options.operator_export_type == OperatorExportType::Onnx;
  return options.opset < 9 || options.initializers_as_inputs == InitializersAsInputs::Always ||
         (options.initializers_as_inputs == InitializersAsInputs::Auto && !is_plain);
}

}  // namespace

bool weights_change(const Options& options) { return !options.export_params || lists_initializers(options); }

ir::Target target_of(const Options& options) {
  return options.target == Target::Onnxruntime ? ir::Target() : ir::Target::onnx();
}

void check_options(const Options& options) {
  check_opset(options.opset);
  for (const auto& [domain, version] : options.custom_opsets) {
    if (domain.empty() || domain == "ai.onnx" || domain == "onnx")
      throw Error(Code::Argument, "custom opset of domain '" + domain + "': the default domain's version is the opset");
    check_utf8(domain, "custom opset of domain");
    if (version < 1)
      throw Error(Code::Argument,
                  "custom opset of domain '" + domain + "': version " + std::to_string(version) + " is less than 1");
  }
  if (!options.module_functions.empty() && options.opset < onnx::kFirstWithFunctions)
    throw Error(Code::Argument, "local functions for modules need opset " + std::to_string(onnx::kFirstWithFunctions) +
                                    " or newer (IR version 8); the target is " + std::to_string(options.opset));
  if (std::ranges::find(options.module_functions, "") != options.module_functions.end())
    throw Error(Code::Argument, "the class name of module_functions is empty");
}

Policy make_policy(const Options& options, std::vector<std::string>& warnings) {
  const bool old_ir = options.opset < 9;  // initializers are inputs, and few operators support integers
  const bool trains = options.training != Training::Eval;
  const bool listed = lists_initializers(options);
  if (old_ir && options.initializers_as_inputs == InitializersAsInputs::Never)
    ir::warn(warnings, ir::Category::Options,
             "initializers are listed as inputs, since opset " + std::to_string(options.opset) + " requires it");
  // Warn only users who set the option.
  if (options.constant_folding.value_or(false) && trains)
    ir::warn(warnings, ir::Category::Options,
             "constant folding in training mode: parameters are folded, so a trainer cannot change them");
  if (options.training == Training::Train && options.opset < kFirstWithTraining)
    ir::warn(warnings, ir::Category::Options,
             "in training mode at opset " + std::to_string(options.opset) +
                 " Dropout and BatchNormalization have training behaviour only if a trainer runs the model; opset " +
                 std::to_string(kFirstWithTraining) + " and newer store it in the model");
  return {.target = target_of(options),
          .store_weights = options.export_params,
          .initializers_as_inputs = listed,
          .fold_weights = options.constant_folding.value_or(!trains) && !listed,
          .fold_normalisations = !trains,
          .merge_equal_weights = options.merge_equal_weights && !trains && options.export_params && !listed,
          .integer_constants = !old_ir};
}

onnx::DomainVersions used_domains(const ir::Graph& model, const Options& options, const onnx::DomainVersions& imported,
                                  std::vector<std::string>& warnings) {
  std::unordered_set<std::string> used;
  ir::for_each_node(model.block(), [&](ir::Node* node) { used.insert(std::string(node->domain())); });
  for (const auto& [domain, version] : imported) used.insert(domain);
  onnx::DomainVersions kept;
  for (const auto& [domain, version] : options.custom_opsets) {
    if (used.contains(domain))
      kept.emplace_back(domain, version);
    else
      ir::warn(warnings, ir::Category::Options, "custom opset domain '" + domain + "' is not used in the model");
  }
  for (const auto& [domain, version] : imported)
    if (std::ranges::find(kept, domain, &onnx::DomainVersions::value_type::first) == kept.end())
      kept.emplace_back(domain, version);
  return kept;
}

void warn_unused_classes(const ir::Graph& model, const Options& options, std::vector<std::string>& warnings) {
  std::unordered_set<std::string> used{"*"};
  if (options.module_functions.empty()) return;
  ir::for_each_node(model.block(), [&](const ir::Node* node) {
    for (const ir::Scope* at = node->location().scope.get(); at; at = at->parent.get())
      if (!at->name.empty()) used.insert({at->type, std::string(ir::class_name(at->type))});
  });
  for (const std::string& type : options.module_functions)
    if (!used.contains(type))
      ir::warn(warnings, ir::Category::Options,
               "no module of class '" + type + "' has nodes in the model, so no function was created for it");
}

}  // namespace tonnx::exporting

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "export/options.h"
#include "ir/graph.h"
#include "ir/target.h"
#include "onnx/used_functions.h"

namespace tonnx::exporting {

// The combined effect of the options and the opset on a model.
struct Policy {
  ir::Target target;
  bool store_weights;  // otherwise weights are inputs
  bool initializers_as_inputs;
  bool fold_weights;         // values computed only from weights become weights
  bool fold_normalisations;  // with fixed statistics, into the layer before them
  bool merge_equal_weights;  // weights of equal content are stored once
  bool integer_constants;    // integer constants may be folded
};

// The target that the options name.
ir::Target target_of(const Options& options);

// True if a run may have other weights than the program: they are inputs of the model, or may be overridden by inputs.
bool weights_change(const Options& options);

// Throws Error(Code::Argument) for an unsupported opset or version.
void check_options(const Options& options);

// Warns about options that have no effect.
Policy make_policy(const Options& options, std::vector<std::string>& warnings);

// Custom opsets of domains that the model uses, then those that only its functions import. Warns about options for
// other domains.
onnx::DomainVersions used_domains(const ir::Graph& model, const Options& options, const onnx::DomainVersions& imported,
                                  std::vector<std::string>& warnings);

// Warns about classes in module_functions without a node in the model.
void warn_unused_classes(const ir::Graph& model, const Options& options, std::vector<std::string>& warnings);

}  // namespace tonnx::exporting

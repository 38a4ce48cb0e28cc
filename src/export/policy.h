#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "export/options.h"
#include "ir/graph.h"

namespace tonnx::exporting {

// What the options come to for a model: some of them bear on each other, and on the opset.
struct Policy {
  bool store_weights;  // else weights are inputs
  bool initializers_as_inputs;
  bool fold_weights;       // what is computed from weights alone becomes a weight
  bool integer_constants;  // constants of integers may be folded
  bool dequantise_late;    // signed bytes stay bytes where they are moved alone
};

// Throws Error(Code::Argument) for an opset or a version that there is not.
void check_options(const Options& options);

// Warns where an option cannot be obeyed.
Policy make_policy(const Options& options, std::vector<std::string>& warnings);

// The custom opsets of domains that the model uses; warns of the others.
std::vector<std::pair<std::string, std::int64_t>> used_domains(const ir::Graph& model, const Options& options,
                                                               std::vector<std::string>& warnings);

// Warns of classes whose modules were to become functions and have no node in the model.
void tell_unused_classes(const ir::Graph& model, const Options& options, std::vector<std::string>& warnings);

}  // namespace tonnx::exporting

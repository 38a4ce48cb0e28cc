#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/error.h"
#include "ir/evaluator.h"
#include "ir/graph.h"
#include "ir/opset.h"
#include "ir/raw_program.h"
#include "ir/refusal.h"
#include "ir/target.h"
#include "lower/registry.h"
#include "lower/stay.h"

namespace tonnx::lower {

struct LowerOptions {
  ir::Target target = {};
  bool training = false;
  bool weights_change = false;  // weights are inputs of the model, so their contents are not known
  // flattens an output that is a list of tensors of known length to one output for each item
  bool flattens_lists = false;
  std::map<std::string, ir::SizeRange> ranges = {};  // of symbols whose sizes the program restricts
  Operators operators = Operators::Onnx;             // which operators may stay unconverted
  bool inline_functions = true;                // converts the operators of a traced function whose symbolics decline
  std::vector<std::string>* stayed = nullptr;  // receives a line for each site of such an operator
  // Makes LibTorch's rules for calls of built-in lowerings by symbolics; null if LibTorch is not used.
  std::function<std::shared_ptr<ir::Evaluator>()> evaluator = {};
  std::string edge = {};  // "n is 1" if the facts hold for other sizes only (RawProgram::edge)
};

// Lowers a program that meets the contract to a model of the opset. Inputs, outputs and weights keep their names and
// facts. Throws Error(Code::Unsupported) with all reasons (one for each operator and message, with counts), including
// `refused`, the refusals of the passes.
std::unique_ptr<ir::Graph> lower_program(const ir::Graph& program, const Registry& registry, const ir::Opset& opset,
                                         const LowerOptions& options, const ir::Refusals& refused = {});

// Throws Error(Code::Unsupported) with `refused` and the operators of the program that no row converts; returns if
// there are none. The program need not meet the contract, so the list may be incomplete.
void refuse_all(const ir::Graph& program, const Registry& registry, const ir::Opset& opset, ir::Refusals refused);

}  // namespace tonnx::lower

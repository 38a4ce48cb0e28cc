#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/error.h"
#include "ir/graph.h"
#include "ir/opset.h"
#include "ir/raw_program.h"
#include "ir/refusal.h"
#include "lower/registry.h"

namespace tonnx::lower {

struct LowerOptions {
  bool training = false;
  bool flattens_lists = false;  // an output that is a list of tensors of known length becomes one for each item
  std::map<std::string, ir::SizeRange> ranges = {};  // of symbols whose sizes the program limits
  std::string edge = {};  // "n is 1" where the facts are told for other sizes alone (RawProgram::edge)
};

// Maps a program that meets the contract into a model of the opset. Inputs, outputs and weights keep their names and
// facts. Throws Error(Code::Unsupported) with every reason at once (one per operator and text, with counts), those that
// the passes `refused` the program for among them.
std::unique_ptr<ir::Graph> lower_program(const ir::Graph& program, const Registry& registry, const ir::Opset& opset,
                                         const LowerOptions& options, const ir::Refusals& refused = {});

// Throws Error(Code::Unsupported) of what is `refused` together with what of the program no row converts, as far as
// that can be told of one that does not meet the contract; returns if there is neither.
void refuse_all(const ir::Graph& program, const Registry& registry, const ir::Opset& opset, ir::Refusals refused);

}  // namespace tonnx::lower

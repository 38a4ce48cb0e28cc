#pragma once

#include <string>
#include <vector>

#include "ir/error.h"
#include "ir/graph.h"

namespace tonnx::program {

// Why a program cannot be exported, all reasons at once.
class Refusals {
 public:
  void add(const ir::Node& node, const std::string& text);
  // The reasons of an error that a node gave.
  void add(const ir::Error& error);
  // Throws Error(Code::Unsupported) with every reason if there is one.
  void raise() const;

 private:
  void add(ir::Reason reason);

  std::vector<ir::Reason> reasons_;
};

}  // namespace tonnx::program

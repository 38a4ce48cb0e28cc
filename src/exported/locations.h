#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "exported/json.h"
#include "ir/location.h"

namespace tonnx::exported {

// Reads locations of nodes from their metadata. One object per program.
class Locations {
 public:
  // Location from a node's metadata; missing and unknown parts are omitted.
  ir::Location of(const Json& metadata);

 private:
  std::shared_ptr<const ir::Scope> scope(std::string_view modules);
  std::shared_ptr<const ir::SourceLine> line(std::string_view trace);

  std::map<std::string, std::shared_ptr<const ir::Scope>, std::less<>> scopes_;  // by the text of the stack
  std::map<std::string, std::shared_ptr<const ir::SourceLine>, std::less<>> lines_;
};

}  // namespace tonnx::exported

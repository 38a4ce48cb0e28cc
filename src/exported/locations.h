#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "exported/json.h"
#include "ir/location.h"

namespace tonnx::exported {

// Where nodes come from, as their metadata tell it. One a program.
class Locations {
 public:
  // `metadata` is a node's; parts that are missing or not understood are absent.
  ir::Location of(const Json& metadata);

 private:
  std::shared_ptr<const ir::Scope> scope(std::string_view modules);
  std::shared_ptr<const ir::SourceLine> line(std::string_view trace);

  std::map<std::string, std::shared_ptr<const ir::Scope>, std::less<>> scopes_;  // by the text of the stack
  std::map<std::string, std::shared_ptr<const ir::SourceLine>, std::less<>> lines_;
};

}  // namespace tonnx::exported

#pragma once

#include <memory>
#include <string>

namespace tonnx::ir {

// A module call that encloses a node. Shared by all nodes of one call.
struct Scope {
  std::shared_ptr<const Scope> parent;
  std::string type;  // class with its Python module (ir/class_name.h), "torch.nn.modules.conv.Conv2d", or "Conv2d"
  std::string name;  // attribute name, "0"; empty for the outermost module

  // "features.0"
  std::string path() const;
  // "AlexNet/Sequential[features]/Conv2d[0]"
  std::string text() const;
};

class SourceLine;

// The origin of a node. Either part may be absent.
struct Location {
  std::shared_ptr<const Scope> scope;
  std::shared_ptr<const SourceLine> line;

  std::string module_path() const { return scope ? scope->path() : std::string(); }
  // "model.py:12"; empty if unknown.
  std::string source() const;
};

}  // namespace tonnx::ir

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exported/graph_reader.h"

namespace tonnx::exported {

// Reads higher-order operators, whose arguments are graphs.
class ControlReader {
 public:
  explicit ControlReader(GraphReader& reader) : reader_(reader) {}

  // `name` is the operator's name without its domain, "cond". Throws Error(Code::Unsupported) for an unknown one.
  void read(const Json& node, const std::string& name);

 private:
  // The graph argument at this index.
  const Json& graph(const Json& node, std::size_t position) const;
  // The arguments from this index on, with lists flattened.
  std::vector<ir::Value*> operands(const Json& node, std::size_t position, std::size_t count = SIZE_MAX);
  // Appends a graph's nodes to a block; its inputs are `inputs`. Returns its outputs. `casts`: the device with autocast
  // enabled in the graph; empty for none; nullopt: as outside.
  std::vector<ir::Value*> inline_graph(const Json& graph, ir::Block& block, const std::vector<ir::Value*>& inputs,
                                       const std::optional<std::string>& casts = std::nullopt);
  static std::vector<Tagged> results(const Json& node);
  // Names values by the names of the node's results.
  void bind_values(const Json& node, const std::vector<ir::Value*>& values);

  // Converts a one-element tensor to bool.
  static ir::Value* truth(GraphReader& reader, ir::Value* value);
  // Copies the initial values of a loop: its results must not alias them, even after zero iterations.
  std::vector<ir::Value*> copies(const std::vector<ir::Value*>& initial);
  std::vector<ir::Value*> carry(ir::Block& body, const Json& graph, const std::vector<ir::Value*>& initial);
  void bind_loop(const Json& node, ir::Node& loop, const std::vector<ir::Value*>& carried);

  // Inlines the graph at `position`, whose operands begin at `first`.
  void call(const Json& node, std::size_t position, std::size_t first);
  void autocast(const Json& node);
  void cond(const Json& node);
  void while_loop(const Json& node);
  void scan(const Json& node, const std::vector<ir::Value*>& initial, const std::vector<ir::Value*>& rows,
            const std::vector<ir::Value*>& captured);

  GraphReader& reader_;
};

}  // namespace tonnx::exported

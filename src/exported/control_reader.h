#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exported/graph_reader.h"

namespace tonnx::exported {

// Reads higher-order operators: those whose arguments are graphs.
class ControlReader {
 public:
  explicit ControlReader(GraphReader& reader) : reader_(reader) {}

  // `name` is the operator's without its domain, "cond". Throws Error(Code::Unsupported) for one not known here.
  void read(const Json& node, const std::string& name);

 private:
  // The graph argument at a position.
  const Json& graph(const Json& node, std::size_t position) const;
  // The arguments from a position on, lists opened.
  std::vector<ir::Value*> operands(const Json& node, std::size_t position, std::size_t count = SIZE_MAX);
  // Appends a graph's nodes to a block; its inputs are `inputs`. Returns its outputs. `casts`: the device that autocast
  // is on for in it, empty for none; absent: as around it.
  std::vector<ir::Value*> inline_graph(const Json& graph, ir::Block& block, const std::vector<ir::Value*>& inputs,
                                       std::optional<std::string> casts = std::nullopt);
  static std::vector<Tagged> results(const Json& node);
  // Names values as the node names its results.
  void bind_values(const Json& node, const std::vector<ir::Value*>& values);

  // A tensor as the bool of its one element.
  static ir::Value* truth(GraphReader& reader, ir::Value* value);
  // What a loop starts with: its results share no memory with that, even where it makes no turn.
  std::vector<ir::Value*> copies(const std::vector<ir::Value*>& initial);
  std::vector<ir::Value*> carry(ir::Block& body, const Json& graph, const std::vector<ir::Value*>& initial);
  void bind_loop(const Json& node, ir::Node& loop, const std::vector<ir::Value*>& carried);

  // The nodes of the graph at `position`, whose operands begin at `first`, in the place of the call.
  void call(const Json& node, std::size_t position, std::size_t first);
  void autocast(const Json& node);
  void cond(const Json& node);
  void while_loop(const Json& node);
  void scan(const Json& node, const std::vector<ir::Value*>& initial, const std::vector<ir::Value*>& rows,
            const std::vector<ir::Value*>& captured);

  GraphReader& reader_;
};

}  // namespace tonnx::exported

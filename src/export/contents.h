#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "export/exporter.h"

namespace tonnx::exporting {

// The graph of a program or a model, and its operators.
struct Contents {
  std::shared_ptr<const ir::Graph> graph;
  std::map<std::string, std::int64_t> operators;  // kind -> count of nodes
};

Contents contents_of(const std::shared_ptr<const Model>& model);
// The contents of a program's graph.
Contents contents_of(std::shared_ptr<const ir::Graph> program);
// The same; outputs without a name get theirs from the list.
Contents contents_of(std::shared_ptr<ir::Graph> program, const std::vector<std::string>& output_names);
// The contents of the raw program; throws as program_text().
Contents contents_of(const LoadedProgram& source, const ir::Arguments& args, const Options& options);

// Adds the operators of a graph and of all its blocks, without prim::Constant.
void count_operators(const ir::Graph& graph, std::map<std::string, std::int64_t>& counts);

}  // namespace tonnx::exporting

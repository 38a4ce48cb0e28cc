#ifndef TONNX_CONTENTS_HPP
#define TONNX_CONTENTS_HPP

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tonnx/contents.h"
#include "tonnx/graph.hpp"

namespace tonnx {

// Inputs, outputs, weights, operators and the graph of a program or a model: Program::contents, Model::contents. Its
// graphs, nodes and values live as long as it does, so those of a temporary cannot be read.
class Contents {
 public:
  std::vector<Value> inputs() const& { return all(tonnx_contents_input_count, tonnx_contents_input); }
  std::vector<Value> outputs() const& { return all(tonnx_contents_output_count, tonnx_contents_output); }
  std::vector<Value> weights() const& { return all(tonnx_contents_weight_count, tonnx_contents_weight); }
  // The outermost graph, to walk.
  Graph graph() const& { return Graph(tonnx_contents_graph(get())); }
  Graph graph() const&& = delete;
  std::vector<Value> inputs() const&& = delete;
  std::vector<Value> outputs() const&& = delete;
  std::vector<Value> weights() const&& = delete;
  // Kinds of operators with the number of their nodes, sorted by name.
  std::vector<std::pair<std::string, std::size_t>> operators() const {
    std::vector<std::pair<std::string, std::size_t>> kinds;
    for (std::size_t i = 0; i < tonnx_contents_operator_count(get()); ++i)
      kinds.emplace_back(tonnx_contents_operator(get(), i), tonnx_contents_operator_uses(get(), i));
    return kinds;
  }
  const tonnx_contents* get() const { return handle_.get(); }

 private:
  friend class Mismatch;
  friend class Model;
  friend class Program;
  explicit Contents(tonnx_contents* taken) : handle_(taken) {}
  template <class Count, class At>
  std::vector<Value> all(Count count, At at) const {
    std::vector<Value> values;
    for (std::size_t i = 0; i < count(get()); ++i) values.emplace_back(at(get(), i));
    return values;
  }
  detail::Handle<tonnx_contents, tonnx_contents_free> handle_;
};

}  // namespace tonnx

#endif

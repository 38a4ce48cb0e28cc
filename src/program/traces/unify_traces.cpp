#include "program/traces/unify_traces.h"

#include <map>
#include <unordered_map>
#include <unordered_set>

#include "ir/error.h"
#include "ir/text.h"
#include "program/edit.h"
#include "program/traces/size_nodes.h"
#include "program/traces/solve_sizes.h"
#include "program/traces/trace_walk.h"

namespace tonnx::program {

using ir::Block;
using ir::Constant;
using ir::Node;
using ir::Tensor;
using ir::Type;
using ir::Value;

namespace {

// Maps the nodes and values of a graph to those of its copy.
struct Copies {
  std::unordered_map<const Node*, Node*> nodes;
  std::unordered_map<const Value*, Value*> values;

  void pair(const Block& from, Block& to) {
    nodes[from.return_node()] = to.return_node();
    for (std::size_t i = 0; i < from.inputs().size(); ++i) values[from.inputs()[i]] = to.inputs()[i];
    Node* copy = to.first();
    for (const Node* node = from.first(); node; node = node->next(), copy = copy->next()) {
      nodes[node] = copy;
      for (std::size_t i = 0; i < node->output_count(); ++i) values[node->output(i)] = copy->output(i);
      for (std::size_t b = 0; b < node->blocks().size(); ++b) pair(*node->block(b), *copy->block(b));
    }
  }
};

template <class T>
std::vector<std::string> formatted(const std::vector<T>& values) {
  std::vector<std::string> out;
  for (const T value : values) out.push_back(ir::to_string(Constant{value}));
  return out;
}

class Unifier {
 public:
  Unifier(const TracedRuns& runs, bool may_ask) : runs_(runs), may_ask_(may_ask), walk_(runs) {}

  UnifiedTrace run() {
    walk_.run();
    for (const DifferingOperand& operand : walk_.operands())
      for (const DifferingNumber& number : operand.numbers) solved_[&number] = solve_number(operand, number);
    UnifiedTrace out;
    out.wanted = std::move(wanted_);
    if (out.wanted.empty()) out.graph = build();
    return out;
  }

 private:
  std::optional<SizeExpression> solve_number(const DifferingOperand& operand, const DifferingNumber& number) {
    SizeTable known = walk_.sizes();
    known.names.resize(operand.sizes);
    for (auto& run : known.runs) run.resize(operand.sizes);
    SizeSolution solution = std::visit(
        [&](const auto& values) {
          using Number = typename std::decay_t<decltype(values)>::value_type;
          return solve(known, std::span<const Number>(values));
        },
        number.values);
    if (solution.expression) return std::move(solution.expression);
    if (may_ask_ && !solution.wanted.empty()) {
      if (wanted_.empty()) wanted_.assign(runs_.symbols.size(), 0);
      for (std::size_t k = 0; k < wanted_.size(); ++k)
        if (wanted_[k] == 0) wanted_[k] = solution.wanted[k];
      return std::nullopt;
    }
    const std::vector<std::string> values = std::visit([](const auto& v) { return formatted(v); }, number.values);
    walk_.refuse(*operand.node, operand.input,
                 walk_.at_sizes(values) + ": no arithmetic of the sizes yields these values; compute it with " +
                     "tensor operators or from tonnx_trace_size(), or leave the axis fixed");
  }

  std::unique_ptr<ir::Graph> build() {
    std::unique_ptr<ir::Graph> graph = walk_.base().clone();
    Copies copies;
    copies.pair(walk_.base().block(), graph->block());
    for (std::size_t i = 0; i < graph->inputs().size(); ++i)
      graph->inputs()[i]->set_facts(runs_.graphs[0]->inputs()[i]->facts());
    forget_sizes(*graph);

    std::vector<SizeNodes::Axis> axes;
    for (const std::string& symbol : runs_.symbols)
      for (const InputAxis& axis : runs_.axes)
        if (axis.symbol == symbol) {
          axes.push_back({graph->inputs()[axis.input], axis.axis});
          break;
        }
    const std::size_t symbols = axes.size();
    for (const TraceWalk::Measured& m : walk_.measured()) axes.push_back({copies.values.at(m.value), m.axis});
    SizeNodes sizes(*graph, std::move(axes), symbols);
    for (const DifferingOperand& operand : walk_.operands()) replace(operand, *copies.nodes.at(operand.node), sizes);
    erase_replaced(*graph);
    return graph;
  }

  // The node before which an operand of `reader` is inserted: `reader` itself, or a mark at the end of its block if it
  // is a return node.
  Node& position_for(Node& reader) {
    if (!reader.edge_of()) return reader;
    Value* mark = Inserter(reader.edge_of(), reader.location()).none();
    replaced_.insert(mark);
    return *mark->node();
  }

  void replace(const DifferingOperand& operand, Node& reader, SizeNodes& sizes) {
    Value* old = reader.input(operand.input);
    const Constant* constant = old->constant();
    const Tensor* tensor = old->weight() ? old->weight() : constant->get<Tensor>();
    const auto* list = constant ? constant->get<Constant::List>() : nullptr;
    Node& position = position_for(reader);
    Inserter insert(&position);
    Value* result = nullptr;
    if (tensor) {
      result = tensor_of(operand, *tensor, position, sizes, insert);
    } else if (list) {
      std::vector<Value*> items;
      for (const Constant& item : list->items) items.push_back(insert.constant(item));
      for (const DifferingNumber& number : operand.numbers)
        items[number.element] = sizes.number(*solved_.at(&number), &position);
      result = insert.list(old->type(), items);
    } else {
      const DifferingNumber& number = operand.numbers.front();
      const bool real = std::holds_alternative<std::vector<double>>(number.values);
      result = real ? sizes.real(*solved_.at(&number), &position) : sizes.number(*solved_.at(&number), &position);
    }
    reader.set_input(operand.input, result);
    replaced_.insert(old);
  }

  // Called last, because these values mark positions in the block.
  void erase_replaced(ir::Graph& graph) {
    for (Value* value : replaced_) {
      if (!value->is_unused()) continue;
      if (value->weight())
        graph.remove_weight(value);
      else
        value->node()->erase();
    }
  }

  Value* tensor_of(const DifferingOperand& operand, const Tensor& tensor, Node& reader, SizeNodes& sizes,
                   Inserter& insert) {
    Value* dtype = insert.integer(static_cast<std::int64_t>(tensor.dtype));
    if (tensor.rank() == 0) {
      const SizeExpression& expression = *solved_.at(&operand.numbers.front());
      if (!ir::is_floating(tensor.dtype))
        return insert.call("aten::tensor.int", {sizes.number(expression, &reader), dtype});
      return insert.call("aten::tensor.float", {sizes.real(expression, &reader), dtype});
    }
    std::vector<Value*> items;
    const bool reals = ir::is_floating(tensor.dtype);
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      items.push_back(reals ? insert.constant(Constant{tensor.as_double(i)}) : insert.integer(tensor.as_int64(i)));
    for (const DifferingNumber& number : operand.numbers) {
      const SizeExpression& expression = *solved_.at(&number);
      items[number.element] = reals ? sizes.real(expression, &reader) : sizes.number(expression, &reader);
    }
    Value* list = insert.list(Type::list(Type::of(reals ? Type::Kind::Float : Type::Kind::Int)), items);
    Value* flat = insert.call("aten::tensor", {list, dtype});
    if (tensor.rank() == 1) return flat;
    return insert.call("aten::reshape", {flat, insert.integers(tensor.dims)});
  }

  const TracedRuns& runs_;
  bool may_ask_;
  TraceWalk walk_;
  std::map<const DifferingNumber*, std::optional<SizeExpression>> solved_;
  std::vector<std::int64_t> wanted_;
  std::unordered_set<Value*> replaced_;
};

}  // namespace

UnifiedTrace unify_traces(const TracedRuns& runs, bool may_ask) { return Unifier(runs, may_ask).run(); }

bool numbers_differ(const TracedRuns& runs) {
  TraceWalk walk(runs);
  walk.run();
  return !walk.operands().empty();
}

void forget_sizes(ir::Graph& graph) {
  for_each_node(graph.block(), [](Node* node) {
    if (node->is("prim::Constant")) return;
    for (Value* value : node->outputs()) value->set_facts({});
    for (Block* block : node->blocks())
      for (Value* value : block->inputs()) value->set_facts({});
  });
}

}  // namespace tonnx::program

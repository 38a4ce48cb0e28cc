// Recurrent layers and cells with packed parameters: dynamically quantised, or with weights in half precision.
#include <algorithm>

#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/quantised/quantised.h"

namespace tonnx::program {
namespace {

using enum aten::QuantisedForm;
using ir::Node;
using ir::Type;
using ir::Value;

// From make_quantized_cell_params_dynamic(w_ih, w_hh, bias_ih, bias_hh, reduce_range) and ..._fp16(w_ih, w_hh).
struct Cells {
  std::vector<Value*> params;  // w_ih, w_hh, b_ih, b_hh of each cell, as floats
  bool is_dynamic = false;
  bool reduces_range = false;
};

Value* bias_of(Inserter& insert, const Weights& w) {
  if (ir::is_none(w.bias))
    return insert.call("aten::zeros_like",
                       {insert.call("aten::select.int", {w.weight, insert.integer(1), insert.integer(0)})});
  return w.bias;
}

void add_weights(QuantisedRewrite& rewrite, Inserter& insert, const Node& ih, const Node& hh,
                 std::vector<Value*>& params) {
  const Weights input = weights_in(rewrite, insert, ih), hidden = weights_in(rewrite, insert, hh);
  params.insert(params.end(), {input.weight, hidden.weight, bias_of(insert, input), bias_of(insert, hidden)});
}

// The items of a list that is only appended to, all in the block of `node` and before it; throws otherwise.
std::vector<Value*> items_before(const Node& node, const Value* list) {
  const auto not_known = [] {
    return Unquantisable{"the cells of argument 'params' are not known before the model runs"};
  };
  const Node* producer = list->node();
  if (aten::traits_of(*producer).container != aten::Container::List || producer->parent() != node.parent())
    throw not_known();
  std::vector<Value*> items(producer->inputs().begin(), producer->inputs().end());
  std::size_t appended = 0;
  bool is_before = true;
  for (const Node* other : node.parent()->nodes()) {
    is_before = is_before && other != &node;
    if (!is_before || aten::traits_of(*other).container != aten::Container::Append || other->input(0) != list) continue;
    items.push_back(other->input(1));
    ++appended;
  }
  const auto writes =
      std::ranges::count_if(list->uses(), [](const ir::Use& use) { return ir::writes_argument(*use.node, use.index); });
  if (static_cast<std::size_t>(writes) != appended) throw not_known();
  return items;
}

Cells cells_of(QuantisedRewrite& rewrite, Inserter& insert, const Node& node) {
  Cells cells;
  for (const Value* cell : items_before(node, rewrite.argument(node, "params"))) {
    const Node& producer = *cell->node();
    const aten::QuantisedTraits& traits = aten::quantised_traits_of(producer);
    if (traits.form != PackCells) throw Unquantisable{"its cells are not packed by a known operator"};
    const bool is_dynamic = !traits.halves;
    const bool reduces_range = is_dynamic && rewrite.integer(producer, "reduce_range") != 0;
    if (!cells.params.empty() && (is_dynamic != cells.is_dynamic || reduces_range != cells.reduces_range))
      throw Unquantisable{"its cells are packed in different ways"};
    cells.is_dynamic = is_dynamic;
    cells.reduces_range = reduces_range;
    add_weights(rewrite, insert, rewrite.packed(producer, "w_ih"), rewrite.packed(producer, "w_hh"), cells.params);
  }
  if (cells.params.empty()) throw Unquantisable{"it has no cells"};
  return cells;
}

Value* tensors(Inserter& insert, std::span<Value* const> items) {
  return insert.list(Type::list(Type::of(Type::Kind::Tensor)), items);
}

// quantized_lstm.input(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first),
// quantized_gru.input; quantized_lstm.data(data, batch_sizes, hx, ... bidirectional), quantized_gru.data
void recurrent(QuantisedRewrite& rewrite, Node& node) {
  const bool is_packed = node.schema()->overload == "data";
  if (!is_packed && node.schema()->overload != "input")
    throw Unquantisable{"it has an ONNX form with packed cells only"};
  if (rewrite.integer(node, "train") != 0 && rewrite.number(node, "dropout") > 0)
    throw Unquantisable{"it drops elements, as in training"};
  Inserter insert(&node);
  const Cells cells = cells_of(rewrite, insert, node);
  const auto argument = [&](std::string_view name) { return rewrite.argument(node, name); };
  const aten::QuantisedTraits& traits = aten::quantised_traits_of(node);
  std::vector<Value*> arguments{argument(is_packed ? "data" : "input")};
  if (is_packed) arguments.push_back(argument("batch_sizes"));
  arguments.insert(arguments.end(), {argument("hx"), tensors(insert, cells.params)});
  if (!cells.is_dynamic) arguments.push_back(insert.boolean(true));
  arguments.push_back(argument("num_layers"));
  if (!cells.is_dynamic) arguments.insert(arguments.end(), {insert.constant({0.0}), insert.boolean(false)});
  arguments.push_back(argument("bidirectional"));
  if (!is_packed) arguments.push_back(argument("batch_first"));
  if (cells.is_dynamic) arguments.push_back(insert.boolean(cells.reduces_range));
  Value* y = insert.call(cells.is_dynamic ? traits.dynamic : traits.real, arguments);
  for (std::size_t i = 0; i < node.output_count(); ++i) rewrite.replace(node, i, y->node()->output(i));
  rewrite.remove(node);
}

struct Cell {
  std::vector<Value*> params;
  bool is_dynamic;
};

Cell cell_of(QuantisedRewrite& rewrite, Inserter& insert, const Node& node) {
  const Node &ih = rewrite.packed(node, "w_ih"), &hh = rewrite.packed(node, "w_hh");
  Cell cell{{}, !aten::quantised_traits_of(ih).halves};
  add_weights(rewrite, insert, ih, hh, cell.params);
  return cell;
}

Value* operand(QuantisedRewrite& rewrite, Inserter& insert, const Cell& cell, Value* x) {
  return cell.is_dynamic ? quantise_dynamically(rewrite, insert, x, ir::DType::UInt8, true).real : x;
}

std::string_view real_of(const Node& node) { return aten::quantised_traits_of(node).real; }

// quantized_lstm_cell_dynamic(input, hx, w_ih, w_hh, b_ih, b_hh)
void lstm_cell(QuantisedRewrite& rewrite, Node& node) {
  const Node* states = rewrite.argument(node, "hx")->node();
  if (aten::traits_of(*states).container != aten::Container::List || states->input_count() != 2)
    throw Unquantisable{"its states are not known to be two tensors"};
  Inserter insert(&node);
  const Cell cell = cell_of(rewrite, insert, node);
  const auto& p = cell.params;
  Value* const rounded[] = {operand(rewrite, insert, cell, states->input(0)), states->input(1)};
  Value* x = operand(rewrite, insert, cell, rewrite.argument(node, "input"));
  Value* y = insert.call(real_of(node), {x, tensors(insert, rounded), p[0], p[1], p[2], p[3]});
  rewrite.replace(node, 0, y);
  rewrite.replace(node, 1, y->node()->output(1));
  rewrite.remove(node);
}

// The new state of a GRU also uses the unquantised old state, as the layer does: calls the layer for one step.
void gru_cell(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Cell cell = cell_of(rewrite, insert, node);
  const auto& p = cell.params;
  Value *x = rewrite.argument(node, "input"), *state = rewrite.argument(node, "hx");
  if (!cell.is_dynamic) return rewrite.replace(node, insert.call(real_of(node), {x, state, p[0], p[1], p[2], p[3]}));
  const auto first = [&](Value* v) { return insert.call("aten::unsqueeze", {v, insert.integer(0)}); };
  Value* y = insert.call(aten::quantised_traits_of(node).dynamic,
                         {first(x), first(state), tensors(insert, p), insert.integer(1), insert.boolean(false),
                          insert.boolean(false), insert.boolean(true)});
  rewrite.replace(node, insert.call("aten::squeeze.dim", {y, insert.integer(0)}));
}

void rnn_cell(QuantisedRewrite& rewrite, Node& node) {
  Inserter insert(&node);
  const Cell cell = cell_of(rewrite, insert, node);
  const auto& p = cell.params;
  Value* x = operand(rewrite, insert, cell, rewrite.argument(node, "input"));
  Value* state = operand(rewrite, insert, cell, rewrite.argument(node, "hx"));
  rewrite.replace(node, insert.call(real_of(node), {x, state, p[0], p[1], p[2], p[3]}));
}

constexpr QuantisedForm kQuantisedRecurrent[] = {
    {Recurrent, recurrent}, {LstmCell, lstm_cell}, {GruCell, gru_cell}, {RnnCell, rnn_cell}};

}  // namespace

std::span<const QuantisedForm> quantised_recurrent() { return kQuantisedRecurrent; }

}  // namespace tonnx::program

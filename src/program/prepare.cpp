#include "program/prepare.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>

#include "ir/writes.h"
#include "program/compare_texts.h"
#include "program/complete_facts.h"
#include "program/contract.h"
#include "program/edit.h"
#include "program/find_fixed_sizes.h"
#include "program/functionalise.h"
#include "program/outputs.h"
#include "program/replace_quantised.h"
#include "program/settle.h"
#include "program/simplify.h"

namespace tonnx::program {

namespace {

constexpr std::int64_t kLargestFiller = 65536;  // elements
constexpr int kBranchRounds = 3;
constexpr int kRounds = 16;  // a folded branch or loop may decide the next; longer chains stay as they are

void verify_after([[maybe_unused]] const ir::Graph& graph, [[maybe_unused]] const char* pass) {
#ifndef NDEBUG
  verify(graph, pass);
#endif
}

// What is known of the branch's result or of the loop's value that the value read there is on one way, or of what that
// becomes.
ir::Facts facts_of_reader(const ir::Use& use) {
  ir::Facts facts;
  const auto learn = [&](const ir::Facts& more) {
    if (!facts.has_rank() && (more.has_rank() || facts.dtype == ir::DType::Undefined)) facts = more;
  };
  if (use.node->is("prim::Loop") && use.index >= 2) {
    learn(use.node->block(0)->inputs()[use.index - 1]->facts());
    return facts;
  }
  const ir::Node* owner = use.node->edge_of() ? use.node->edge_of()->owner() : nullptr;
  if (owner && owner->is("prim::If")) {
    const ir::Value* result = owner->output(use.index);
    learn(result->facts());
    for (const ir::Block* side : owner->blocks()) learn(side->outputs()[use.index]->facts());
    for (const ir::Use& next : result->uses())
      if (!facts.has_rank()) learn(facts_of_reader(next));
  } else if (owner && owner->is("prim::Loop") && use.index >= 1) {
    learn(owner->block(0)->inputs()[use.index]->facts());
  }
  return facts;
}

// The sizes as a list where each is fixed or an input's; else null.
ir::Value* input_sizes(Inserter& insert, const ir::Graph& graph, const std::vector<ir::Dim>& dims) {
  std::vector<std::pair<ir::Value*, std::size_t>> places;  // null: fixed
  for (const ir::Dim& dim : dims) {
    places.emplace_back(nullptr, 0);
    for (ir::Value* input : graph.inputs())
      for (std::size_t axis = 0; dim.is_symbolic() && input->facts().dims && axis < input->facts().dims->size(); ++axis)
        if ((*input->facts().dims)[axis].same(dim)) places.back() = {input, axis};
    if (!dim.is_fixed() && !places.back().first) return nullptr;
  }
  std::vector<ir::Value*> sizes;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const auto [input, axis] = places[i];
    ir::Value* number = insert.integer(input ? static_cast<std::int64_t>(axis) : dims[i].size());
    sizes.push_back(input ? insert.call("aten::size.int", {input, number}) : number);
  }
  return insert.list(ir::Type::list(ir::Type::of(ir::Type::Kind::Int)), sizes);
}

// A value of this type; a tensor of the dtype, rank and sizes that `facts` tell.
ir::Value* filler(Inserter& insert, const ir::Graph& graph, const ir::Type& type, const ir::Facts& facts) {
  switch (type.kind) {
    case ir::Type::Kind::Int:
    case ir::Type::Kind::Number:
      return insert.integer(0);
    case ir::Type::Kind::Float:
      return insert.constant({0.0});
    case ir::Type::Kind::Bool:
      return insert.boolean(false);
    case ir::Type::Kind::List:
      return insert.list(type, {});
    case ir::Type::Kind::Tensor:
      break;
    default:
      return insert.none();
  }
  const ir::DType dtype = facts.dtype == ir::DType::Undefined ? ir::DType::Float32 : facts.dtype;
  // ONNX Runtime wants the sizes that the other way has, where they are fixed.
  std::vector<std::int64_t> dims;
  for (const ir::Dim& dim : facts.dims.value_or(std::vector<ir::Dim>())) dims.push_back(dim.is_fixed() ? dim.size() : 1);
  const auto numel = [&] { return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>()); };
  if (numel() > kLargestFiller) dims.assign(dims.size(), 1);
  const std::vector<std::byte> zero(std::max<std::size_t>(1, static_cast<std::size_t>(numel()) * size_of(dtype)));
  const std::size_t bytes = static_cast<std::size_t>(numel()) * size_of(dtype);
  ir::Value* constant = insert.constant({ir::Tensor::from_bytes(dtype, dims, zero.data(), bytes)});
  const bool is_whole = !facts.dims || facts.fixed_dims() == dims;
  ir::Value* sizes = is_whole ? nullptr : input_sizes(insert, graph, *facts.dims);
  if (!sizes) return constant;
  ir::Value* expanded = insert.call("aten::expand", {constant, sizes});
  expanded->set_facts(facts);
  return expanded;
}

bool has_control_flow(const ir::Graph& graph) {
  bool any = false;
  for_each_node(graph.block(), [&](const ir::Node* node) { any = any || !node->blocks().empty(); });
  return any;
}

// An operator that reads what no run reads is not run either.
void drop_never_run(ir::Graph& graph) {
  std::vector<ir::Node*> operators;
  for_each_node(graph.block(), [&](ir::Node* node) {
    if (node->schema() && node->blocks().empty()) operators.push_back(node);
  });
  for (ir::Node* node : operators) {
    if (std::ranges::none_of(node->inputs(), is_never)) continue;
    Inserter insert(node);
    for (ir::Value* out : node->outputs()) out->replace_uses(insert.never(out->type()));
    node->erase();
  }
}

// Gives the values that no run reads some content, for a model has no other way to hold them.
void fill_uninitialised(ir::Graph& graph) {
  drop_never_run(graph);
  std::vector<ir::Node*> nodes;
  for_each_node(graph.block(), [&](ir::Node* node) {
    if (node->is("prim::Uninitialized")) nodes.push_back(node);
  });
  for (ir::Node* node : nodes) {
    Inserter insert(node);
    for (const ir::Value* out : node->outputs()) {
      const std::vector<ir::Use> uses(out->uses().begin(), out->uses().end());
      for (const ir::Use& use : uses) use.node->set_input(use.index, filler(insert, graph, out->type(), facts_of_reader(use)));
    }
    node->erase();
  }
}

std::vector<std::string> value_names(std::span<ir::Value* const> values) {
  std::vector<std::string> names;
  for (const ir::Value* value : values) names.push_back(value->name());
  return names;
}

// Axes that the user named apart and whose sizes the program wants to follow from each other.
void warn_of_related(const std::vector<InputAxis>& open, const std::vector<InputAxis>& dynamic,
                     std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < open.size(); ++i) {
    const std::string& name = dynamic[i].symbol;
    const ir::Polynomial size = open[i].size();
    const std::string* symbol = size.symbol();
    if (!symbol) {
      warnings.push_back("dynamic axis " + name + " is " + size.text() + " wherever the program runs");
    } else if (*symbol != name) {
      warnings.push_back("dynamic axes " + *symbol + " and " + name +
                         " have one size wherever the program runs; give both one name");
    }
  }
}

void restore_names(ir::Graph& graph, const std::vector<std::string>& names) {
  if (graph.outputs().size() != names.size()) return;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (graph.outputs()[i]->name().empty()) graph.outputs()[i]->set_name(names[i]);
}

// The passes; `infer` gives facts to the values that lack them.
void run_passes(ir::Graph& graph, const std::function<void()>& infer, std::vector<std::string>& output_names,
                std::vector<std::string>& warnings, const Kept& kept) {
  // Dead code and tuples first: all that follows is the cheaper.
  simplify(graph, Raising::Keep);
  verify_after(graph, "simplify");
  replace_quantised(graph, output_names, kept);
  verify_after(graph, "replace_quantised");
  // Before facts: ranks and dtypes may depend on flags.
  while (choose_flags(graph, kept)) verify_after(graph, "choose_flags");
  // Branches and loops that constants decide, before the aliases in them are asked for. Programs without control flow
  // and writes need no facts yet.
  for (int round = 0; round < kRounds && has_control_flow(graph); ++round) {
    infer();
    if (!simplify(graph)) break;
    verify_after(graph, "simplify");
  }
  // Functionalising asks for dtypes and for what shares memory.
  if (has_writes(graph)) {
    spell_views(graph);
    branch_views(graph);
    copy_kept(graph);
    read_appended(graph);
    append_late(graph);
    if (split_changed_lists(graph)) simplify(graph);
    // What is set in branches may be written to behind them.
    for (int round = 0; round < kBranchRounds; ++round) {
      const bool branched = branch_changes(graph);
      if (!list_dicts(graph) && !branched) break;
      simplify(graph);
    }
    infer();
    if (spell_views(graph)) infer();  // equations that needed a rank
    view_reshaped(graph);
    functionalise(graph);
    verify_after(graph, "functionalise");
    // Without writes lists are what they were built from, and more is dead.
    simplify(graph);
    verify_after(graph, "simplify");
  }
  // The facts lowering reads: of every value, functional nodes included.
  infer();
  // What these facts make constant, and what they tell of the outputs. It ends: a round that wants another one took away a
  // branch, a result of one, a loop or an output that was a container, and what they leave behind, copies that peeling and
  // sinking make included, is nested less deep.
  const auto change = [&] {
    const bool folded = simplify(graph);
    const bool flattened = flatten_outputs(graph, output_names, warnings);
    return choose_axes(graph, kept) || choose_flags(graph, kept) || branch_lookups(graph) || branch_changes(graph) ||
           compare_texts(graph) || number_texts(graph) || branch_texts(graph) || repeat_lists(graph) || sink_readers(graph) ||
           peel_loops(graph) || widen_skipped(graph, warnings) || folded || flattened || flat_lists(graph) ||
           part_outputs(graph, output_names);
  };
  std::size_t limit = 1000;
  ir::for_each_node(graph.block(), [&](const ir::Node*) { limit += 4; });
  settle(change, infer, limit);
  split_where_read(graph);
  refuse_unquantisable(graph);
  fill_uninitialised(graph);
  verify_after(graph, "simplify");
  check_contract(graph, "simplify");
}

}  // namespace

std::vector<InputAxis> prepare(ir::Graph& graph, ir::Evaluator& evaluator, std::vector<InputAxis> dynamic,
                              std::span<const ir::Constant> examples, std::vector<std::string>& output_names,
                              std::vector<std::string>& warnings, const Kept& kept) {
  const std::vector<std::string> names = value_names(graph.outputs());
  resolve_sizes(graph, dynamic);
  // What is folded before the first facts must hold at every size.
  for (const InputAxis& axis : dynamic) (*graph.inputs()[axis.input]->facts().dims)[axis.axis] = ir::Dim::symbol(axis.symbol);
  std::vector<InputAxis> open;
  run_passes(graph, [&] { open = infer_facts(graph, evaluator, dynamic, examples); }, output_names, warnings, kept);
  complete_open_facts(graph);
  for (std::string& line : find_fixed_sizes(graph, dynamic)) warnings.push_back(std::move(line));
  warn_of_related(open, dynamic, warnings);
  restore_names(graph, names);
  return open;
}

void prepare(ir::Graph& graph, std::vector<std::string>& output_names, std::vector<std::string>& warnings, const Kept& kept) {
  const std::vector<std::string> names = value_names(graph.outputs());
  run_passes(graph, [&] { complete_facts(graph); }, output_names, warnings, kept);
  restore_names(graph, names);
}

}  // namespace tonnx::program

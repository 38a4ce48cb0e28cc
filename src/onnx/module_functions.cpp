#include "onnx/module_functions.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "ir/class_name.h"
#include "ir/control_flow.h"
#include "onnx/local_names.h"
#include "onnx/module_attributes.h"

namespace tonnx::onnx {
namespace {

using Indices = std::vector<std::size_t>;

// Nodes of the graph that are written as one node: those of a call, or a single one.
struct Unit {
  const ir::Scope* call = nullptr;
  Indices nodes;
};

// The functions of a model, and options for all of them.
class Functions {
 public:
  Functions(const ir::Graph& graph, const Names& names, const ModelInfo& info, pb::ModelProto& model)
      : classes_(info.module_functions.begin(), info.module_functions.end()),
        attributes_(info.module_attributes),
        model_(model) {
    for (const ir::Value* weight : graph.weights()) weights_.insert(names.of(weight));
  }

  bool is_chosen(const ir::Scope& scope) const {
    return !scope.name.empty() && (classes_.contains("*") || classes_.contains(scope.type) ||
                                   classes_.contains(std::string(ir::class_name(scope.type))));
  }
  bool is_weight(const std::string& name) const { return weights_.contains(name); }

  // The name for a call of the module of this path.
  std::string name_of_call(const std::string& path) {
    std::string name = "/" + path;
    std::ranges::replace(name, '.', '/');
    const std::size_t times = ++called_[name];
    return times == 1 ? name : name + "_" + std::to_string(times - 1);
  }

  // Adds the function of a call; returns the operator type of the call until `merge`.
  std::string add(pb::FunctionProto function, const std::string& type, const std::string& path) {
    add_imports(function);
    std::vector<pb::AttributeProto> attributes;
    if (const auto known = attributes_.find(path); known != attributes_.end())
      for (const ir::NamedAttribute& attribute : known->second) to_proto(attribute, true, attributes.emplace_back());
    return functions_.add(std::move(function), type, std::move(attributes));
  }

  void merge() {
    if (!functions_.empty()) functions_.merge(model_);
  }

 private:
  // Imports the domains of its nodes, including nested ones.
  void add_imports(pb::FunctionProto& function) const {
    std::set<std::string> domains{""};
    visit_nodes(function.node(), [&](const pb::NodeProto& node) { domains.insert(node.domain()); });
    for (const pb::OperatorSetIdProto& import : model_.opset_import())
      if (domains.erase(import.domain())) *function.add_opset_import() = import;
    for (const std::string& domain : domains) add_opset(domain, 1, function);  // not imported by the model yet
  }

  const std::set<std::string> classes_;
  const std::map<std::string, std::vector<ir::NamedAttribute>>& attributes_;
  pb::ModelProto& model_;
  std::unordered_set<std::string> weights_;
  CallFunctions functions_;
  std::map<std::string, std::size_t> called_;
};

// Outlines the nodes of one graph, nested graphs first.
class Outliner {
 public:
  using Calls = std::vector<const ir::Scope*>;

  // `held`: the calls that contain the owner of this block; `around`: the graph of that owner, or null.
  Outliner(Functions& functions, const ir::Block& block, pb::GraphProto& graph, const Calls& held,
           const Outliner* around)
      : functions_(functions), graph_(graph), around_(around) {
    const auto& nodes = block.nodes();
    std::vector<Calls> whole;
    for (const ir::Node* node : nodes) {
      whole.push_back(calls_of(*node));
      const Calls& all = whole.back();
      const bool within = all.size() >= held.size() && std::equal(held.begin(), held.end(), all.begin());
      calls_.emplace_back(within ? all.begin() + static_cast<std::ptrdiff_t>(held.size()) : all.end(), all.end());
    }
    calls_.resize(static_cast<std::size_t>(graph.node_size()));
    for (std::size_t i = 0; i < calls_.size(); ++i)
      for (const std::string& output : proto(i).output()) producer_.emplace(output, i);
    std::size_t at = 0;
    for (const ir::Node* node : nodes) {
      run_blocks(*node, *graph.mutable_node(static_cast<int>(at)), whole[at]);
      ++at;
    }
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (is_constant(proto(i))) calls_[i].clear();
      for (const std::string& name : names_read(proto(i))) readers_[name].push_back(i);
    }
    for (const pb::ValueInfoProto& output : graph.output()) outputs_.insert(output.name());
  }

  void run() {
    Indices all(calls_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    std::vector<pb::NodeProto> left = written(all, 0);
    std::unordered_set<std::string> read = outputs_;
    for (const pb::NodeProto& node : left)
      for (const std::string& name : names_read(node)) read.insert(name);
    google::protobuf::RepeatedPtrField<pb::NodeProto> kept;
    for (pb::NodeProto& node : left)
      if (!is_constant(node) || read.contains(node.output(0))) kept.Add(std::move(node));
    graph_.mutable_node()->Swap(&kept);
    drop_types_of_what_moved();
  }

 private:
  void run_blocks(const ir::Node& node, pb::NodeProto& message, const Calls& calls) {
    for (std::size_t b = 0; b < node.blocks().size(); ++b)
      for (pb::AttributeProto& attribute : *message.mutable_attribute())
        if (attribute.has_g() && attribute.name() == ir::block_name(node, b))
          Outliner(functions_, *node.block(b), *attribute.mutable_g(), calls, this).run();
  }

  void drop_types_of_what_moved() {
    std::unordered_set<std::string> left;
    for (const pb::NodeProto& node : graph_.node()) left.insert(node.output().begin(), node.output().end());
    auto& types = *graph_.mutable_value_info();
    const auto moved = [&](const pb::ValueInfoProto& type) { return !left.contains(type.name()); };
    types.erase(std::remove_if(types.begin(), types.end(), moved), types.end());
  }

  const pb::NodeProto& proto(std::size_t i) const { return graph_.node(static_cast<int>(i)); }

  // Constants belong to no call, because calls may share one: each function gets a copy.
  static bool is_constant(const pb::NodeProto& node) { return node.domain().empty() && node.op_type() == "Constant"; }

  // The constant of this name, or null.
  const pb::NodeProto* constant(const std::string& name) const {
    const auto made = producer_.find(name);
    if (made == producer_.end()) return around_ ? around_->constant(name) : nullptr;
    return is_constant(proto(made->second)) ? &proto(made->second) : nullptr;
  }

  // The calls of the chosen modules that contain a node, the outermost first.
  Calls calls_of(const ir::Node& node) const {
    Calls calls;
    for (const ir::Scope* at = node.location().scope.get(); at; at = at->parent.get())
      if (functions_.is_chosen(*at)) calls.push_back(at);
    std::ranges::reverse(calls);
    return calls;
  }

  // The nodes as written inside `depth` calls: one node for each inner call.
  std::vector<pb::NodeProto> written(const Indices& nodes, std::size_t depth) {
    std::vector<pb::NodeProto> result;
    for (const Unit& unit : in_order(units(nodes, depth)))
      result.push_back(unit.call ? call(unit, depth + 1) : proto(unit.nodes.front()));
    return result;
  }

  std::vector<Unit> units(const Indices& nodes, std::size_t depth) const {
    std::vector<Unit> units;
    std::unordered_map<const ir::Scope*, std::size_t> begun;
    for (const std::size_t i : nodes) {
      const ir::Scope* call = depth < calls_[i].size() ? calls_[i][depth] : nullptr;
      const auto [found, fresh] = call ? begun.try_emplace(call, units.size()) : std::pair(begun.end(), true);
      if (fresh) {
        units.push_back({call, {i}});
      } else {
        units[found->second].nodes.push_back(i);
      }
    }
    return units;
  }

  // Topological order of the units. If a unit depends on itself, the first such unit is split where other nodes are
  // between its own.
  std::vector<Unit> in_order(std::vector<Unit> units) const {
    while (true) {
      const std::vector<std::size_t> order = sorted(units);
      if (order.size() == units.size()) {
        std::vector<Unit> result;
        for (const std::size_t i : order) result.push_back(std::move(units[i]));
        return result;
      }
      const std::unordered_set<std::size_t> done(order.begin(), order.end());
      std::size_t stuck = units.size();
      for (std::size_t i = 0; i < units.size(); ++i) {
        if (done.contains(i) || runs(units[i].nodes).size() == 1) continue;
        if (stuck == units.size() || units[i].nodes < units[stuck].nodes) stuck = i;
      }
      const Unit cut = std::move(units[stuck]);
      units.erase(units.begin() + static_cast<std::ptrdiff_t>(stuck));
      for (Indices& run : runs(cut.nodes)) units.push_back({cut.call, std::move(run)});
    }
  }

  // Splits nodes into runs with only constants in between.
  std::vector<Indices> runs(const Indices& nodes) const {
    std::vector<Indices> runs;
    for (const std::size_t i : nodes) {
      std::size_t before = i;
      while (before > 0 && is_constant(proto(before - 1))) --before;
      if (runs.empty() || runs.back().back() + 1 < before) runs.emplace_back();
      runs.back().push_back(i);
    }
    return runs;
  }

  // Indices of the units in topological order, by their first nodes where the order is free; without those that depend
  // on themselves, directly or not.
  std::vector<std::size_t> sorted(const std::vector<Unit>& units) const {
    std::unordered_map<std::size_t, std::size_t> unit_of;
    for (std::size_t u = 0; u < units.size(); ++u)
      for (const std::size_t i : units[u].nodes) unit_of[i] = u;
    std::vector<std::set<std::size_t>> readers(units.size());
    std::vector<std::size_t> waits(units.size(), 0);
    for (std::size_t u = 0; u < units.size(); ++u)
      for (const std::size_t i : units[u].nodes)
        for (const std::string& name : names_read(proto(i))) {
          const auto made = producer_.find(name);
          const auto from = made == producer_.end() ? unit_of.end() : unit_of.find(made->second);
          if (from != unit_of.end() && from->second != u && readers[from->second].insert(u).second) ++waits[u];
        }
    using Ready = std::pair<std::size_t, std::size_t>;  // the first node, and the unit
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    for (std::size_t u = 0; u < units.size(); ++u)
      if (waits[u] == 0) ready.emplace(units[u].nodes.front(), u);
    std::vector<std::size_t> order;
    for (; !ready.empty();) {
      const std::size_t u = ready.top().second;
      ready.pop();
      order.push_back(u);
      for (const std::size_t next : readers[u])
        if (--waits[next] == 0) ready.emplace(units[next].nodes.front(), next);
    }
    return order;
  }

  bool read_outside(const std::string& name, const std::unordered_set<std::size_t>& inside) const {
    if (outputs_.contains(name)) return true;
    const auto found = readers_.find(name);
    return found != readers_.end() &&
           std::ranges::any_of(found->second, [&](std::size_t reader) { return !inside.contains(reader); });
  }

  // Moves the unit's nodes into a function; returns the node that calls it.
  pb::NodeProto call(const Unit& unit, std::size_t depth) {
    const std::unordered_set<std::size_t> inside(unit.nodes.begin(), unit.nodes.end());
    pb::NodeProto result;
    std::vector<std::string> values, weights;
    std::unordered_set<std::string> seen;
    for (const std::size_t i : unit.nodes)
      for (const std::string& name : names_read(proto(i))) {
        const auto made = producer_.find(name);
        const bool own = constant(name) || (made != producer_.end() && inside.contains(made->second));
        if (own || !seen.insert(name).second) continue;
        (functions_.is_weight(name) ? weights : values).push_back(name);
      }
    std::vector<std::string> outputs;
    for (const std::size_t i : unit.nodes)
      for (const std::string& name : proto(i).output())
        if (!name.empty() && read_outside(name, inside)) outputs.push_back(name);

    const std::string path = unit.call->path();
    LocalNames local;
    pb::FunctionProto function;
    for (const std::string& name : values) function.add_input(local.define(name, "input"));
    for (const std::string& name : weights) {
      const bool own = name.starts_with(path + ".");
      function.add_input(local.define(name, own ? name.substr(path.size() + 1) : "weight"));
    }
    std::vector<pb::NodeProto> nodes = written(unit.nodes, depth);
    for (const pb::NodeProto& node : nodes)
      for (const std::string& name : names_read(node)) {
        const pb::NodeProto* shared = seen.insert(name).second ? constant(name) : nullptr;
        if (!shared) continue;
        local.apply(*function.add_node() = *shared);
      }
    for (pb::NodeProto& node : nodes) {
      local.apply(node);
      *function.add_node() = std::move(node);
    }
    for (const std::string& name : outputs) function.add_output(local.of(name));

    for (const std::string& name : values) result.add_input(name);
    for (const std::string& name : weights) result.add_input(name);
    for (const std::string& name : outputs) result.add_output(name);
    result.set_op_type(functions_.add(std::move(function), unit.call->type, path));
    result.set_domain(kModuleDomain);
    result.set_name(functions_.name_of_call(path));
    return result;
  }

  Functions& functions_;
  pb::GraphProto& graph_;
  const Outliner* around_;
  std::vector<Calls> calls_;  // for each node of the graph, inside those of the node that owns the block
  std::unordered_set<std::string> outputs_;
  std::unordered_map<std::string, std::size_t> producer_;
  std::unordered_map<std::string, Indices> readers_;
};

}  // namespace

void outline_modules(const ir::Graph& graph, const Names& names, const ModelInfo& info, pb::ModelProto& model) {
  Functions functions(graph, names, info, model);
  Outliner(functions, graph.block(), *model.mutable_graph(), {}, nullptr).run();
  functions.merge();
}

}  // namespace tonnx::onnx

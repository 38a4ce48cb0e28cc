#include "program/cut.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/error.h"
#include "ir/refusal.h"
#include "program/edit.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// True if the node only wraps its inputs: builds a list, or reads a tensor as a number.
bool is_wrapper(const Node& node) {
  return node.is("prim::ListConstruct") || aten::traits_of(node).number == aten::Number::Read;
}

bool is_constant(const Node& node) {
  return node.is("prim::Constant") ||
         (node.blocks().empty() && node.output_count() > 0 &&
          std::ranges::all_of(node.outputs(), [](const Value* out) { return out->constant() != nullptr; }));
}

bool is_essential(const Node& node) { return !is_constant(node) && !is_wrapper(node); }

bool is_list(const Type& type) {
  return type.is(Type::Kind::List) && type.elements.size() == 1 &&
         (type.elements[0].is(Type::Kind::Tensor) || type.elements[0].is_scalar());
}

// Visits each value that the node and its blocks read and do not define.
void for_each_read(const Node& node, const std::function<void(const Value*)>& visit) {
  for (const Value* in : node.inputs())
    if (in) visit(in);
  if (node.blocks().empty()) return;
  std::unordered_set<const Value*> own;
  const std::function<void(const Block&)> walk = [&](const Block& block) {
    own.insert(block.inputs().begin(), block.inputs().end());
    for (const Node* inner : block.nodes()) {
      for (const Value* in : inner->inputs())
        if (in && !own.contains(in)) visit(in);
      for (const Block* deeper : inner->blocks()) walk(*deeper);
      own.insert(inner->outputs().begin(), inner->outputs().end());
    }
    for (const Value* out : block.outputs())
      if (!own.contains(out)) visit(out);
  };
  for (const Block* block : node.blocks()) walk(*block);
}

Type scalar_type(const Value& value) {
  if (!value.type().is(Type::Kind::Number)) return value.type();
  const ir::DType dtype = value.facts().dtype;
  return Type::of(dtype == ir::DType::Bool ? Type::Kind::Bool
                  : ir::is_floating(dtype) ? Type::Kind::Float
                                           : Type::Kind::Int);
}

}  // namespace

Cut::Cut(const ir::Graph& program) : program_(program) {
  for (const Node* node : program.block().nodes())
    if (is_essential(*node)) {
      indices_.emplace(node, nodes_.size());
      nodes_.push_back(node);
    }
  std::unordered_map<const Value*, std::vector<const Value*>>
      wrapped_reads;  // the essential values that a wrapper reads
  const std::function<void(const Value*, std::vector<const Value*>&)> add = [&](const Value* value,
                                                                                std::vector<const Value*>& reads) {
    const Node* maker = value->node();
    if (value->weight() || (value->constant() && maker->parent())) return;
    if (maker == program.block().params() || indices_.contains(maker)) {
      if (std::ranges::find(reads, value) == reads.end()) reads.push_back(value);
      return;
    }
    if (!maker || maker->parent() != &program.block() || is_constant(*maker)) return;
    const auto [known, fresh] = wrapped_reads.try_emplace(value);
    if (fresh) {
      std::vector<const Value*> found;
      for (const Value* in : maker->inputs()) add(in, found);
      wrapped_reads[value] = std::move(found);
    }
    for (const Value* read : wrapped_reads.at(value))
      if (std::ranges::find(reads, read) == reads.end()) reads.push_back(read);
  };
  for (const Node* node : nodes_) {
    auto& reads = reads_.emplace_back();
    for_each_read(*node, [&](const Value* value) { add(value, reads); });
  }
  auto& results = reads_.emplace_back();
  for (const Value* out : program.outputs()) add(out, results);
  for (std::size_t i = 0; i < reads_.size(); ++i)
    for (const Value* value : reads_[i]) last_[value] = i;
  const auto keep = [&](const Value* value) {
    if (last_.contains(value)) values_.push_back(value);
  };
  for (const Value* in : program.inputs()) keep(in);
  for (const Node* node : nodes_)
    for (const Value* out : node->outputs()) keep(out);
  find_obstacles();
}

std::size_t Cut::producer(const Value* value) const {
  const auto found = indices_.find(value->node());
  return found == indices_.end() ? 0 : found->second + 1;
}

std::vector<const Value*> Cut::lists() const {
  std::vector<const Value*> lists;
  for (const Value* value : values_)
    if (is_list(value->type()) && producer(value) > 0) lists.push_back(value);
  return lists;
}

std::size_t Cut::width(const Value* value) const {
  if (!is_list(value->type())) return 1;
  const auto found = declared_.find(value);
  return found == declared_.end() ? 0 : found->second.size();
}

bool Cut::is_read_from(std::size_t index, const Value* value) const {
  const auto found = last_.find(value);
  return found != last_.end() && found->second >= index;
}

void Cut::declare(Lists lists) {
  declared_ = std::move(lists);
  find_obstacles();
}

void Cut::find_obstacles() {
  obstacles_.clear();
  for (const Value* value : values_) {
    const Type& type = value->type();
    const bool is_number =
        type.is_scalar() && (!type.is(Type::Kind::Number) || value->facts().dtype != ir::DType::Undefined);
    const bool passes = type.is(Type::Kind::Tensor) || is_number || (is_list(type) && declared_.contains(value));
    const bool is_memory_read =
        std::ranges::any_of(value->uses(), [](const ir::Use& use) { return aten::traits_of(*use.node).reads_memory; });
    if ((!passes || is_memory_read) && producer(value) > 0) obstacles_.push_back(value);
  }
}

std::size_t Cut::middle(std::size_t begin, std::size_t end, std::string* why) const {
  const auto obstacle = [&](std::size_t index) -> const Value* {
    for (const Value* value : obstacles_)
      if (producer(value) <= index && last_.at(value) >= index) return value;
    return nullptr;
  };
  if (end - begin < 2) return end;
  const std::size_t half = begin + (end - begin) / 2;
  const Value* first = nullptr;
  for (std::size_t step = 0; step < end - begin; ++step)
    for (const bool later : {false, true}) {
      if (later ? half + step >= end : half < begin + step + 1) continue;
      const std::size_t index = later ? half + step : half - step;
      const Value* found = obstacle(index);
      if (!found) return index;
      if (!first) first = found;
    }
  if (why && first)
    *why = "the " + ir::to_string(first->type()) + " that " + ir::describe_site(*first->node()) +
           " returns cannot be an output of one part and an input of another";
  return end;
}

class Cut::PartBuilder {
 public:
  PartBuilder(const Cut& cut, std::size_t begin, std::size_t end)
      : cut_(cut), begin_(begin), end_(end), graph_(std::make_unique<ir::Graph>()) {
    graph_->set_name(cut.program_.name());
  }

  Part build() {
    Part part;
    std::unordered_set<const Value*> read;
    for (std::size_t i = begin_; i < end_; ++i) read.insert(cut_.reads_[i].begin(), cut_.reads_[i].end());
    for (const Value* value : cut_.values_)
      if (read.contains(value) && !is_inside(value)) {
        add_input(value);
        part.inputs.push_back(value);
      }
    for (std::size_t i = begin_; i < end_; ++i) {
      for_each_read(*cut_.nodes_[i], [&](const Value* value) { import(value); });
      append(*cut_.nodes_[i]);
    }
    for (const Value* value : cut_.values_)
      if (is_inside(value) && cut_.last_.at(value) >= end_) {
        add_output(value);
        part.outputs.push_back(value);
      }
    part.graph = std::move(graph_);
    return part;
  }

 private:
  bool is_inside(const Value* value) const {
    const std::size_t index = cut_.producer(value);
    return index > begin_ && index <= end_;
  }

  void append(const Node& node) { graph_->block().append(copy_node(node, map_, *graph_)); }

  static std::string name_of(const Value* value) {
    if (!value->name().empty()) return value->name();
    const std::string op(value->node() && !value->node()->kind().empty() ? value->node()->op() : "value");
    return op + "_" + std::to_string(value->id());
  }

  void add_input(const Value* value) {
    Inserter insert(&graph_->block(), {});
    if (!is_list(value->type())) {
      Value* input = graph_->block().add_input();
      input->set_name(name_of(value));
      input->set_type(scalar_type(*value));
      input->set_facts(value->facts());
      map_[value] = input;
      return;
    }
    std::vector<Value*> items;
    for (const ir::Facts& facts : cut_.declared_.at(value)) {
      Value* item = graph_->block().add_input();
      item->set_name(name_of(value) + "." + std::to_string(items.size()));
      item->set_type(value->type().elements[0]);
      item->set_facts(facts);
      items.push_back(item);
    }
    Value* list = insert.list(value->type(), items);
    list->set_facts(value->facts());
    map_[value] = list;
  }

  void add_output(const Value* value) {
    Value* own = map_.at(value);
    if (!is_list(value->type())) {
      own->set_name(name_of(value));
      graph_->block().add_output(own);
      return;
    }
    const std::vector<ir::Facts>& items = cut_.declared_.at(value);
    if (items.empty()) return;
    const std::vector<Value*> inputs = {own};
    Node* unpack = graph_->create("prim::ListUnpack", inputs, items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      unpack->output(i)->set_type(value->type().elements[0]);
      unpack->output(i)->set_facts(items[i]);
      unpack->output(i)->set_name(name_of(value) + "." + std::to_string(i));
    }
    graph_->block().append(unpack);
    for (Value* item : unpack->outputs()) graph_->block().add_output(item);
  }

  void import(const Value* value) {
    if (map_.contains(value)) return;
    if (value->weight()) {
      Value* weight = graph_->add_weight(value->name(), *value->weight(), value->has_made_up_name());
      weight->set_type(value->type());
      weight->set_facts(value->facts());
      weight->set_origin(value->origin());
      map_[value] = weight;
      return;
    }
    const Node& maker = *value->node();
    if (value->constant() && maker.parent() && !maker.is("prim::Constant")) {
      Node* constant = graph_->create_constant(*value->constant());
      constant->output()->set_type(value->type());
      constant->output()->set_facts(value->facts());
      graph_->block().append(constant);
      map_[value] = constant->output();
      return;
    }
    if (!maker.parent() || cut_.indices_.contains(&maker))
      throw ir::Error(ir::Code::Internal,
                      "a part of the program reads " + ir::describe_site(maker) + ", which the part does not contain");
    for (const Value* in : maker.inputs())
      if (in) import(in);
    append(maker);
  }

  const Cut& cut_;
  const std::size_t begin_, end_;
  std::unique_ptr<ir::Graph> graph_;
  ValueMap map_;
};

Cut::Part Cut::part(std::size_t begin, std::size_t end) const { return PartBuilder(*this, begin, end).build(); }

}  // namespace tonnx::program

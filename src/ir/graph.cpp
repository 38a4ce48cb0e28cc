#include "ir/graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/constant_facts.h"
#include "ir/error.h"

namespace tonnx::ir {

void Value::replace_uses(Value* other) {
  if (other == this) return;
  while (!uses_.empty()) {
    const Use use = uses_.back();
    use.node->set_input(use.index, other);
  }
}

std::string_view Node::domain() const {
  const std::string_view kind = kind_;
  const std::size_t colon = kind.find("::");
  return colon == std::string_view::npos ? std::string_view() : kind.substr(0, colon);
}

std::string_view Node::op() const {
  const std::string_view kind = kind_;
  const std::size_t colon = kind.find("::");
  return colon == std::string_view::npos ? kind : kind.substr(colon + 2);
}

void Node::set_schema(SchemaPtr schema) {
  schema_ = std::move(schema);
  set_meaning(nullptr);
  if (is_writing_) --graph_->writing_;
  is_writing_ = schema_ && std::ranges::any_of(schema_->arguments, &Argument::is_write);
  if (is_writing_) ++graph_->writing_;
}

Value* Node::input(std::string_view argument) const {
  if (!schema_) return nullptr;
  const int i = schema_->index_of(argument);
  return i < 0 || static_cast<std::size_t>(i) >= inputs_.size() ? nullptr : inputs_[static_cast<std::size_t>(i)];
}

void Node::record_use(std::size_t i) {
  Value* value = inputs_[i];
  if (!value) return;
  use_slots_[i] = value->uses_.size();
  value->uses_.push_back({this, i});
}

void Node::drop_use(std::size_t i) {
  Value* value = inputs_[i];
  if (!value) return;
  const std::size_t slot = use_slots_[i];
  const Use moved = value->uses_.back();
  value->uses_[slot] = moved;
  moved.node->use_slots_[moved.index] = slot;
  value->uses_.pop_back();
}

void Node::add_input(Value* value) {
  inputs_.push_back(value);
  use_slots_.push_back(0);
  record_use(inputs_.size() - 1);
}

void Node::set_input(std::size_t i, Value* value) {
  Value*& slot = inputs_.at(i);
  drop_use(i);
  slot = value;
  record_use(i);
}

void Node::insert_input(std::size_t i, Value* value) {
  for (std::size_t k = i; k < inputs_.size(); ++k) drop_use(k);
  inputs_.insert(inputs_.begin() + static_cast<std::ptrdiff_t>(i), value);
  use_slots_.push_back(0);
  for (std::size_t k = i; k < inputs_.size(); ++k) record_use(k);
}

void Node::remove_input(std::size_t i) {
  for (std::size_t k = i; k < inputs_.size(); ++k) drop_use(k);
  inputs_.erase(inputs_.begin() + static_cast<std::ptrdiff_t>(i));
  use_slots_.pop_back();
  for (std::size_t k = i; k < inputs_.size(); ++k) record_use(k);
}

void Node::remove_inputs() {
  for (std::size_t k = 0; k < inputs_.size(); ++k) drop_use(k);
  inputs_.clear();
  use_slots_.clear();
}

Value* Node::add_output() {
  Value* value = graph_->new_value(this, outputs_.size());
  outputs_.push_back(value);
  return value;
}

void Node::remove_output(std::size_t i) {
  Value* value = outputs_.at(i);
  if (!value->is_unused()) throw Error(Code::Internal, "output of " + kind_ + " removed while it is in use");
  outputs_.erase(outputs_.begin() + static_cast<std::ptrdiff_t>(i));
  for (std::size_t k = i; k < outputs_.size(); ++k) outputs_[k]->index_ = k;
  Graph::free(graph_->values_, value);
}

const Attribute* Node::attribute(std::string_view name) const {
  for (const NamedAttribute& a : attributes_)
    if (a.name == name) return &a.value;
  return nullptr;
}

void Node::set_attribute(std::string name, Attribute value) {
  for (NamedAttribute& a : attributes_) {
    if (a.name == name) {
      a.value = std::move(value);
      return;
    }
  }
  attributes_.push_back({std::move(name), std::move(value)});
}

void Node::remove_attribute(std::string_view name) {
  std::erase_if(attributes_, [&](const NamedAttribute& a) { return a.name == name; });
}

Block* Node::add_block() {
  Block* block = graph_->new_block(this);
  blocks_.push_back(block);
  return block;
}

void Node::adopt_block(Block* block) {
  std::erase(block->owner_->blocks_, block);
  block->owner_ = this;
  blocks_.push_back(block);
}

namespace {

void require_free(const Node* node) {
  if (node->parent()) throw Error(Code::Internal, "node " + node->kind() + " inserted twice");
}

}  // namespace

void Node::insert_before(Node* other) {
  require_free(this);
  parent_ = other->parent_;
  next_ = other;
  prev_ = other->prev_;
  (prev_ ? prev_->next_ : parent_->first_) = this;
  other->prev_ = this;
}

void Node::insert_after(Node* other) {
  require_free(this);
  parent_ = other->parent_;
  prev_ = other;
  next_ = other->next_;
  (next_ ? next_->prev_ : parent_->last_) = this;
  other->next_ = this;
}

void Node::move_before(Node* other) {
  if (other == this) return;
  (prev_ ? prev_->next_ : parent_->first_) = next_;
  (next_ ? next_->prev_ : parent_->last_) = prev_;
  parent_ = nullptr;
  prev_ = next_ = nullptr;
  insert_before(other);
}

void Node::erase() {
  for (const Value* out : outputs_)
    if (!out->is_unused()) throw Error(Code::Internal, "node " + kind_ + " erased while its output is in use");
  if (parent_) {
    (prev_ ? prev_->next_ : parent_->first_) = next_;
    (next_ ? next_->prev_ : parent_->last_) = prev_;
  }
  graph_->free_node(this);
}

void Block::append(Node* node) {
  require_free(node);
  node->parent_ = this;
  node->prev_ = last_;
  (last_ ? last_->next_ : first_) = node;
  last_ = node;
}

void Block::prepend(Node* node) {
  if (first_) {
    node->insert_before(first_);
  } else {
    append(node);
  }
}

Graph::Graph() {
  block_ = new_block(nullptr);
  weights_ = new_node("prim::Weights");
}

Graph::~Graph() {
  for (Value* value : values_) delete value;
  for (Node* node : nodes_) delete node;
  for (Block* block : blocks_) delete block;
}

template <class Owned>
Owned* Graph::keep(std::vector<Owned*>& all, Owned* owned) {
  owned->slot_ = all.size();
  all.push_back(owned);
  return owned;
}

template <class Owned>
void Graph::free(std::vector<Owned*>& all, Owned* owned) {
  Owned* last = all.back();
  last->slot_ = owned->slot_;
  all[last->slot_] = last;
  all.pop_back();
  delete owned;
}

Value* Graph::new_value(Node* node, std::size_t index) {
  Value* value = keep(values_, new Value);
  value->id_ = next_id_++;
  value->node_ = node;
  value->index_ = index;
  return value;
}

Node* Graph::new_node(std::string kind) {
  Node* node = keep(nodes_, new Node);
  node->kind_ = std::move(kind);
  node->graph_ = this;
  return node;
}

Block* Graph::new_block(Node* owner) {
  Block* block = keep(blocks_, new Block);
  block->graph_ = this;
  block->owner_ = owner;
  block->params_ = new_node("prim::Param");
  block->return_ = new_node("prim::Return");
  block->params_->edge_of_ = block->return_->edge_of_ = block;
  return block;
}

void Graph::free_node(Node* node) {
  for (Block* block : node->blocks_) {
    block->return_->remove_inputs();
    for (Node* n = block->last_; n;) {
      Node* previous = n->prev_;
      free_node(n);
      n = previous;
    }
    free_node(block->return_);
    free_node(block->params_);
    free(blocks_, block);
  }
  node->remove_inputs();
  if (node->is_writing_) --writing_;
  for (Value* value : node->outputs_) free(values_, value);
  free(nodes_, node);
}

Value* Graph::add_weight(std::string name, Tensor tensor, bool made_up) {
  Value* value = weights_->add_output();
  Facts facts;
  facts.dtype = tensor.dtype;
  facts.dims.emplace();
  for (const std::int64_t d : tensor.dims) facts.dims->push_back(Dim(d));
  value->set_name(std::move(name), made_up);
  value->facts_ = std::move(facts);
  value->set_weight(std::move(tensor));
  return value;
}

bool Graph::has_writing_node() const {
  return writing_ > 0 && any_node(*block_, [](const Node& node) { return node.is_writing(); });
}

void Graph::remove_weight(Value* weight) { weights_->remove_output(weight->index()); }

bool Graph::remove_unused_weights() {
  std::vector<Value*>& all = weights_->outputs_;
  const auto unused = std::stable_partition(all.begin(), all.end(), [](const Value* v) { return !v->is_unused(); });
  const bool any = unused != all.end();
  for (auto it = unused; it != all.end(); ++it) free(values_, *it);
  all.erase(unused, all.end());
  for (std::size_t k = 0; k < all.size(); ++k) all[k]->index_ = k;
  return any;
}

Node* Graph::create(std::string kind, std::span<Value* const> inputs, std::size_t outputs) {
  Node* node = new_node(std::move(kind));
  for (Value* value : inputs) node->add_input(value);
  for (std::size_t i = 0; i < outputs; ++i) node->add_output();
  return node;
}

namespace {

Type type_of(const Constant& constant) {
  struct Visitor {
    Type operator()(const Constant::None&) const { return Type::of(Type::Kind::None); }
    Type operator()(bool) const { return Type::of(Type::Kind::Bool); }
    Type operator()(std::int64_t) const { return Type::of(Type::Kind::Int); }
    Type operator()(double) const { return Type::of(Type::Kind::Float); }
    Type operator()(const std::complex<double>&) const { return Type::of(Type::Kind::Complex); }
    Type operator()(const std::string&) const { return Type::of(Type::Kind::String); }
    Type operator()(const Tensor&) const { return Type::of(Type::Kind::Tensor); }
    Type operator()(const Constant::Device&) const { return Type::of(Type::Kind::Device); }
    Type operator()(const Constant::List& l) const {
      return Type::list(l.items.empty() ? Type::of(Type::Kind::Any) : type_of(l.items.front()));
    }
    Type operator()(const Constant::Tuple& t) const {
      Type type = Type::of(Type::Kind::Tuple);
      for (const Constant& item : t.items) type.elements.push_back(type_of(item));
      return type;
    }
    Type operator()(const Constant::Dict& d) const {
      Type type = Type::of(Type::Kind::Dict);
      if (!d.items.empty()) type.elements = {type_of(d.items.front().key), type_of(d.items.front().value)};
      return type;
    }
  };
  return std::visit(Visitor{}, constant.value);
}

}  // namespace

Node* Graph::create_constant(Constant constant) {
  Node* node = create("prim::Constant", {}, 1);
  Value* out = node->output();
  out->set_type(type_of(constant));
  out->set_facts(facts_of(std::move(constant)));
  return node;
}

namespace {

using ValueMap = std::unordered_map<const Value*, Value*>;

void copy_value(const Value& from, Value& to) {
  to.set_name(from.name(), from.has_made_up_name());
  to.set_type(from.type());
  to.set_facts(from.facts());
  to.set_origin(from.origin());
}

void copy_attributes(const Node& from, Node& to) {
  for (const NamedAttribute& a : from.attributes()) to.set_attribute(a.name, a.value);
}

void clone_block(const Block& from, Block& to, ValueMap& map) {
  copy_attributes(*from.params(), *to.params());
  copy_attributes(*from.return_node(), *to.return_node());
  for (const Value* in : from.inputs()) {
    Value* copy = to.add_input();
    copy_value(*in, *copy);
    map[in] = copy;
  }
  for (const Node* node : from.nodes()) {
    Node* copy = to.graph().create(node->kind(), {}, 0);
    for (const Value* in : node->inputs()) copy->add_input(in ? map.at(in) : nullptr);
    for (const Value* out : node->outputs()) {
      Value* value = copy->add_output();
      copy_value(*out, *value);
      map[out] = value;
    }
    copy->set_name(node->name());
    copy->set_schema(node->schema_ptr());
    copy->set_location(node->location());
    copy_attributes(*node, *copy);
    for (const Block* block : node->blocks()) clone_block(*block, *copy->add_block(), map);
    to.append(copy);
  }
  for (const Value* out : from.outputs()) to.add_output(out ? map.at(out) : nullptr);
}

}  // namespace

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>();
  copy->set_name(name_);
  ValueMap map;
  for (const Value* weight : weights()) {
    Value* value = copy->add_weight(weight->name(), *weight->weight());
    copy_value(*weight, *value);
    map[weight] = value;
  }
  clone_block(*block_, *copy->block_, map);
  return copy;
}

namespace {

class Verifier {
 public:
  explicit Verifier(std::string_view after) : after_(after) {}

  void run(const Graph& graph) {
    for (const Value* weight : graph.weights()) {
      if (!weight->weight()) fail("weight without tensor: " + weight->name());
      define(weight);
    }
    check(graph.block(), nullptr);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Code::Internal, "broken graph after " + after_ + ": " + what);
  }

  void define(const Value* value) {
    if (!visible_.insert(value).second) fail("value defined twice");
    scope_.push_back(value);
  }

  void check(const Block& block, const Node* owner) {
    if (block.owner() != owner) fail("block with a wrong owner");
    const std::size_t mark = scope_.size();
    for (const Value* in : block.inputs()) define(in);
    const Node* previous = nullptr;
    for (const Node* node = block.first(); node; node = node->next()) {
      if (node->parent() != &block || node->previous() != previous) fail("broken links at " + node->kind());
      check_inputs(*node);
      for (const Block* inner : node->blocks()) check(*inner, node);
      for (std::size_t i = 0; i < node->output_count(); ++i) {
        const Value* out = node->output(i);
        if (out->node() != node || out->index() != i) fail("output with a wrong owner at " + node->kind());
        define(out);
      }
      previous = node;
    }
    if (block.last() != previous) fail("broken end of a block");
    check_inputs(*block.return_node());
    while (scope_.size() > mark) {
      visible_.erase(scope_.back());
      scope_.pop_back();
    }
  }

  void check_inputs(const Node& node) {
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      const Value* in = node.input(i);
      if (!in) continue;
      if (!visible_.contains(in)) fail(node.kind() + " uses a value that does not dominate it");
      if (!is_listed(*in, node, i)) fail("use of " + node.kind() + " not recorded");
    }
  }

  // A value with uses all over the program would need a long search for each use; its uses are hashed instead.
  bool is_listed(const Value& value, const Node& node, std::size_t index) {
    constexpr std::size_t kFew = 16;
    const auto& uses = value.uses();
    if (uses.size() <= kFew)
      return std::any_of(uses.begin(), uses.end(), [&](const Use& u) { return u.node == &node && u.index == index; });
    const auto [it, fresh] = readers_.try_emplace(&value);
    if (fresh)
      for (const Use& u : uses) it->second[u.node].push_back(u.index);
    const auto reader = it->second.find(&node);
    return reader != it->second.end() && std::ranges::find(reader->second, index) != reader->second.end();
  }

  std::string after_;
  std::unordered_map<const Value*, std::unordered_map<const Node*, std::vector<std::size_t>>> readers_;
  std::unordered_set<const Value*> visible_;
  std::vector<const Value*> scope_;
};

}  // namespace

void verify(const Graph& graph, std::string_view after) { Verifier(after).run(graph); }

}  // namespace tonnx::ir

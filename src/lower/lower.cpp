#include "lower/lower.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

#include "aten/containers.h"
#include "aten/quantised_traits.h"
#include "aten/view_place.h"
#include "ir/callback_error.h"
#include "ir/complex.h"
#include "ir/emptied_axes.h"
#include "ir/function_region.h"
#include "ir/invalid_node.h"
#include "ir/merge.h"
#include "ir/observer.h"
#include "ir/refusal.h"
#include "ir/text.h"
#include "ir/writes.h"
#include "lower/elementwise.h"
#include "lower/emptiness.h"
#include "lower/op.h"
#include "lower/require.h"
#include "lower/sequence.h"
#include "lower/traced_functions.h"
#include "lower/typed_name.h"

namespace tonnx::lower {
namespace {

using ir::Code;
using ir::Error;
using ir::Polynomial;
using ir::Reason;

std::string_view overload_of(const ir::Node& node) {
  return node.schema() ? std::string_view(node.schema()->overload) : std::string_view();
}

// True if the node has a string input or output that is not a constant.
bool has_open_text(const ir::Node& node) {
  const auto is_open_text = [](const ir::Value* v) { return v->type().is(ir::Type::Kind::String) && !v->constant(); };
  return std::ranges::any_of(node.inputs(), is_open_text) || std::ranges::any_of(node.outputs(), is_open_text);
}

// The refusal of an operator that has no lowering at the opset.
Refusal missing(const ir::Node& node, const Registry& registry, std::int32_t opset, Form form = Form::Real) {
  if (const std::string* why = why_refused(node)) return Refusal(*why);
  if (node.is(ir::kFunction)) {
    const std::string name = ir::function_name(node), kind = ir::kFunction;
    return Refusal("the function '" + name + "' has no symbolic (" + kind + "." + name + " or " + kind +
                   ") and its operators may not be converted instead; register one, or switch autograd_inlining on");
  }
  const std::int32_t later = registry.later(node.kind(), overload_of(node), opset, form);
  const bool complex = form == Form::Complex && !registry.find(node, opset).empty();
  if (complex && !later) return Refusal("it is not supported for complex tensors");
  std::string text = "exporting the operator '" + node.kind() + "'" + (complex ? " of complex tensors" : "") +
                     " to ONNX opset version " + std::to_string(opset) + " is not supported";
  if (later) text += "; support for it was added in opset " + std::to_string(later) + ", try exporting with that one";
  if (!later && has_open_text(node))
    text += "; only constant strings, and strings made of integers (f\"k{i}\") that are only compared, are supported";
  if (aten::asks_layout(node.kind()))
    text += "; ONNX has no memory layout: call contiguous() first, or compute strides from the sizes";
  return Refusal(text, later ? ir::Missing::Opset : ir::Missing::Everywhere);
}

// Refusals, and whether a symbolic for one of their operators would help.
struct Collected {
  ir::Refusals all;
  bool symbolic_helps = false;

  void add(const ir::Node& node, const Refusal& refusal) {
    all.add(node, refusal.what(), refusal.missing());
    symbolic_helps = symbolic_helps || (node.domain() != "prim" && !why_refused(node));
  }
};

// Throws the error that reports all refusals.
void raise(const Collected& refusals, std::int32_t opset) {
  refusals.all.raise(
      "the program cannot be exported to ONNX opset " + std::to_string(opset),
      refusals.symbolic_helps
          ? "register a symbolic for an operator to convert it your own way, or change the program to avoid it"
          : "");
}

// The error of a user's symbolic; for a built-in lowering, an internal error.
Error mistake(const ir::Node& node, const Registry::Entry& entry, const std::string& text) {
  const std::string whose = (entry.is_custom() ? "the symbolic registered as " : "the lowering ") + entry.name + " ";
  return ir::refusal(node, whose + text, entry.is_custom() ? Code::Argument : Code::Internal);
}

// True if a row converts the operator, for real or complex tensors.
bool is_served(const ir::Node& node, const Registry& registry, std::int32_t opset) {
  const auto has = [&](Form form) { return !registry.find(node, opset, form).empty(); };
  return !why_refused(node) && (has(Form::Real) || has(Form::Complex));
}

class Driver final : public BlockLowering {
 public:
  // `functions`: the traced functions among the program's nodes, by their numbers.
  Driver(const ir::Graph& program, const Registry& registry, const ir::Opset& opset, const LowerOptions& options,
         const ir::Refusals& refused, const FunctionNodes& functions = {})
      : program_(program),
        functions_(functions),
        registry_(registry),
        options_(options),
        model_(std::make_unique<ir::Graph>()),
        builder_(*model_, opset, options.target, options.weights_change),
        refusals_{refused} {
    if (!refused.empty()) poisoned_ = ir::refused_values(program);
  }

  void lower_block(const ir::Block& block) override {
    const ir::Location location = builder_.location();
    lowered_blocks_.insert(&block);
    bool all = true;
    for (const ir::Node* node : block.nodes()) all = lower(*node) && all;
    builder_.set_location(location);
    for (const Value* out : block.outputs()) all = all && !poisoned_.contains(out);
    if (!all) throw RefusedInside{};
  }

  bool is_above_zero(const ir::Dim& size) const override { return least_size(size) > 0; }

  // Returns a lower bound of a size; 0 unless the size is fixed, one size times a number plus a number, or a product of
  // sizes.
  std::int64_t least_size(const ir::Dim& size) const {
    if (size.is_fixed()) return size.size();
    if (!size.polynomial()) return 0;
    const Polynomial& p = *size.polynomial();
    std::map<std::string, Polynomial> least, next, ones;
    Polynomial product = 1;
    for (const std::string& symbol : p.symbols()) {
      const auto range = options_.ranges.find(symbol);
      if (range == options_.ranges.end() || range->second.least() < 0) return 0;
      least.emplace(symbol, range->second.least());
      next.emplace(symbol, range->second.least() + 1);
      ones.emplace(symbol, 1);
      product = product * Polynomial::symbol(symbol);
    }
    const auto begin = p.with(least).constant(), step = p.with(next).constant(), factor = p.with(ones).constant();
    if (!begin || !step || !factor || *begin < 1) return 0;
    if (least.size() == 1) {
      const auto& [symbol, first] = *least.begin();
      const Polynomial slope = *step - *begin;
      if (*step >= *begin && p == slope * (Polynomial::symbol(symbol) - first) + *begin) return *begin;
    }
    return p == product * *factor ? *begin : 0;
  }

  // The functions whose symbolics declined and whose operators are to be converted instead.
  const std::set<std::size_t>& declined() const { return declined_; }

  // Null if there are such functions.
  std::unique_ptr<ir::Graph> run() {
    model_->set_name(program_.name());
    for (const ir::Value* in : program_.inputs()) {
      Value* copy = model_->block().add_input();
      copy->set_name(in->name());
      copy->set_facts(ir::with_parts(in->facts()));
      const bool is_list = in->type().is(ir::Type::Kind::List);
      if (is_list) copy->set_type(in->type());
      values_[in] = {is_list ? Lowered::Kind::Sequence : Lowered::Kind::One, copy, {}};
    }
    split_inputs();
    for (const ir::Node* node : program_.block().nodes()) lower(*node);
    if (!declined_.empty()) return nullptr;
    if (refusals_.all.empty()) lower_outputs();
    raise(refusals_, builder_.opset());
    return std::move(model_);
  }

 private:
  // Returns false if the node is refused or depends on a refused node.
  bool lower(const ir::Node& node) {
    ir::advance(1);
    if (node.is("prim::Constant")) return true;
    const auto needless = [&](const Value* v) { return v->constant() || (!node.blocks().empty() && v->is_unused()); };
    if ((node.output_count() > 0 || !node.blocks().empty()) &&
        std::all_of(node.outputs().begin(), node.outputs().end(), needless))
      return true;

    Op op(node, builder_, values_, *this, options_.training);
    const Form form = form_of(op);
    auto entries = registry_.find(node, builder_.opset(), form);
    if (why_refused(node)) entries.clear();
    const bool poisoned =
        std::any_of(node.inputs().begin(), node.inputs().end(), [&](const Value* v) { return poisoned_.contains(v); });
    const bool is_reported = ir::is_refused(node) || (poisoned && is_served(node, registry_, builder_.opset()));
    const bool has_symbolic = std::ranges::any_of(entries, [](const auto* entry) { return entry->is_custom(); });
    if (!is_reported && options_.operators == Operators::Aten && !has_symbolic && keep(node, op)) return true;
    if (!is_reported && entries.empty() && !poisoned && keep(node, op)) return true;
    if (!is_reported && entries.empty()) refusals_.add(node, missing(node, registry_, builder_.opset(), form));
    if (!is_reported && !entries.empty() && attempt(node, op, entries)) return true;
    for (const Value* out : node.outputs()) poisoned_.insert(out);
    for (const ir::Block* block : node.blocks())
      if (!lowered_blocks_.contains(block)) survey(*block);
    return false;
  }

  // Lowers a block only to find refusals in it; its nodes are discarded.
  void survey(const ir::Block& block) {
    for (const Value* in : block.inputs()) poisoned_.insert(in);
    ir::Block* const before = builder_.enter(builder_.open("If", {}, 1)->block(0));
    try {
      lower_block(block);
    } catch (const RefusedInside&) {
    }
    builder_.enter(before);
  }

  // Complex if the node has complex inputs or outputs.
  static Form form_of(const Op& op) {
    const auto complex = [&](const Value* v) { return op.is_complex(v); };
    return std::ranges::any_of(op.node().inputs(), complex) || std::ranges::any_of(op.node().outputs(), complex)
               ? Form::Complex
               : Form::Real;
  }

  bool attempt(const ir::Node& node, Op& op, const std::vector<const Registry::Entry*>& entries) {
    builder_.set_location(node.location());
    ir::Block* const block = builder_.block();
    const ir::Node* const last = block->last();
    const auto keep_instead = [&] {
      // The parts of a complex weight, which the attempt made, are used by other nodes.
      if (!may_stay(node, options_.operators) || form_of(op) == Form::Complex) return false;
      builder_.enter(block);
      while (block->last() != last) block->last()->erase();  // what the attempt appended
      return keep(node, op);
    };
    const Registry::Entry* last_entry = nullptr;
    try {
      for (const Registry::Entry* entry : entries) {
        last_entry = entry;
        std::optional<Outputs> outputs = call(op, *entry);
        if (!outputs) continue;
        bind(node, *outputs, *entry);
        log_choice(node, *entry);
        return true;
      }
      if (const auto function = functions_.find(&node); function != functions_.end() && options_.inline_functions) {
        declined_.insert(function->second);
        return false;
      }
      if (keep_instead()) return true;
      refusals_.all.add(node, "every symbolic registered for it declined");
    } catch (const RefusedInside&) {
    } catch (const Refusal& refusal) {
      if (keep_instead()) return true;
      refusals_.add(node, refusal);
    } catch (const ir::InvalidNode& invalid) {
      if (last_entry->is_custom() || options_.edge.empty())
        throw mistake(node, *last_entry, std::string("created an invalid ONNX node: ") + invalid.what());
      refusals_.add(node, beyond_facts(invalid.what()));
    } catch (const Error& error) {
      if (!error.reasons().empty()) throw;
      if (error.code() == Code::Internal && last_entry->is_custom())
        throw mistake(node, *last_entry, std::string("failed: ") + error.what());
      if (error.code() == Code::Internal)
        throw ir::refusal(node, "the lowering " + last_entry->name + " failed: " + error.what(), error.code());
      if (error.code() != Code::Callback) throw;
      const auto* callback = dynamic_cast<const ir::CallbackError*>(&error);
      throw ir::CallbackError("the symbolic for " + describe_site(node) + " failed: " + error.what(),
                              {reason_of(node, error.what())}, callback ? callback->cause() : nullptr);
    }
    return false;
  }

  // Keeps the operator itself, if the options allow that and it has such a form.
  bool keep(const ir::Node& node, const Op& op) {
    if (!may_stay(node, options_.operators)) return false;
    builder_.set_location(node.location());
    std::optional<Outputs> outputs;
    try {
      outputs = stay(op, options_.operators);
    } catch (const Refusal&) {
    }
    if (!outputs) return false;
    for (std::size_t i = 0; i < outputs->items.size(); ++i) values_[node.output(i)] = outputs->items[i];
    if (options_.stayed) options_.stayed->push_back(ir::describe_site(node));
    return true;
  }

  // Reports which lowering was used.
  static void log_choice(const ir::Node& node, const Registry::Entry& entry) {
    ir::log(entry.is_custom() ? ir::Level::Info : ir::Level::Debug, node.location(), [&] {
      return node.full_name() + " is converted by the " + (entry.is_custom() ? "symbolic " : "lowering ") + entry.name +
             " of opset " + std::to_string(entry.since);
    });
  }

  std::optional<Outputs> call(Op& op, const Registry::Entry& entry) {
    if (!entry.is_custom()) return entry.lowering(op);
    if (!serves(entry.name, op.node())) return std::nullopt;
    if (form_of(op) == Form::Real) return (*entry.symbolic)(op);
    ValueMap joined = with_joined_parts(op);
    Op real(op.node(), builder_, joined, *this, options_.training);
    return (*entry.symbolic)(real);
  }

  // The inputs as a user's symbolic receives them: complex tensors have a last axis of 2.
  ValueMap with_joined_parts(const Op& op) const {
    ValueMap joined;
    for (const Value* in : op.node().inputs()) {
      if (const Lowered* known = op.lowered(in)) joined[in] = *known;
      if (!op.is_complex(in) || in->type().is_scalar()) continue;
      if (in->type().is_tensor_list()) {
        Lowered& list = joined[in] = {Lowered::Kind::List, nullptr, {}};
        for (const Parts& item : op.parts_in(in)) list.list.push_back(item.imaginary ? op.joined(item) : item.real);
      } else {
        joined[in] = {Lowered::Kind::One, op.joined(op.parts_of(in)), {}};
      }
    }
    return joined;
  }

  Outputs lower_real(const ir::Node& node, ValueMap& values) override {
    Op op(node, builder_, values, *this, options_.training);
    for (const Registry::Entry* entry : registry_.find(node.kind(), overload_of(node), builder_.opset()))
      if (!entry->is_custom()) return entry->lowering(op);
    throw missing(node, registry_, builder_.opset());
  }

  ir::Evaluator* evaluator() override {
    if (!evaluator_ && options_.evaluator) evaluator_ = options_.evaluator();
    return evaluator_.get();
  }

  void bind(const ir::Node& node, const Outputs& outputs, const Registry::Entry& entry) {
    if (outputs.items.size() != node.output_count())
      throw mistake(node, entry,
                    "returned " + ir::counted(outputs.items.size(), "value") + " for " +
                        ir::counted(node.output_count(), "output"));
    for (std::size_t i = 0; i < outputs.items.size(); ++i) {
      Lowered item = outputs.items[i];
      const Value* source = node.output(i);
      if (item.kind == Lowered::Kind::Nothing && !source->is_unused() && !source->constant()) {
        if (entry.is_custom())
          throw mistake(node, entry, "returned no value for output " + std::to_string(i) + ", which is used");
        throw Refusal("output " + std::to_string(i) + " has no ONNX counterpart and is used");
      }
      if (item.kind == Lowered::Kind::One && entry.is_custom()) {
        if (ir::is_complex(source->facts().dtype)) item = split(item.one, *source);
        if (source->type().is_tensor_list()) {
          if (!item.one->type().is(ir::Type::Kind::List))
            throw mistake(node, entry,
                          "returned a tensor for output " + std::to_string(i) + ", which is a list of tensors");
          item.kind = Lowered::Kind::Sequence;
        } else if (item.one->type().is(ir::Type::Kind::List)) {
          throw mistake(node, entry, "returned a sequence for output " + std::to_string(i) + ", which is not a list");
        }
      }
      if (item.kind == Lowered::Kind::List && entry.is_custom()) meet_readers(node, i, item, entry);
      if (item.kind == Lowered::Kind::Complex) {
        const DType declared = source->facts().dtype;
        if (declared != DType::Undefined && !ir::is_complex(declared))
          throw Refusal("converting a complex tensor to a real one is not supported");
        for (Value* part : {item.one, item.imaginary}) join_facts(node, i, *part, entry);
      }
      if (item.kind == Lowered::Kind::One) {
        if (ir::is_complex(source->facts().dtype)) {
          throw mistake(node, entry, "returned a real tensor where LibTorch returns a complex one");
        }
        if (!source->type().is(ir::Type::Kind::List)) join_facts(node, i, *item.one, entry);
      }
      values_[source] = std::move(item);
    }
  }

  // Combines the items of a list that a user's symbolic returned with LibTorch's facts at their uses.
  void meet_readers(const ir::Node& node, std::size_t i, Lowered& list, const Registry::Entry& entry) {
    const std::size_t count = list.list.size();
    const auto take = [&](std::size_t position, const Value& reader) {
      Value* item = list.list[position];
      if (!item) return;
      if (ir::is_complex(reader.facts().dtype)) {
        list.kind = Lowered::Kind::ComplexList;
        list.imaginaries.resize(count);
        if (list.imaginaries[position]) return;
        const Lowered parts = split(item, reader);
        list.list[position] = parts.one;
        list.imaginaries[position] = parts.imaginary;
        for (Value* part : {parts.one, parts.imaginary}) join_facts(node, i, *part, entry, reader);
      } else if (!reader.type().is(ir::Type::Kind::List)) {
        join_facts(node, i, *item, entry, reader);
      }
    };
    for (const ir::Use& use : node.output(i)->uses()) {
      const bool unpacks = aten::acts_as(*use.node, aten::Container::ListUnpack);
      if (unpacks && use.node->output_count() != count)
        throw mistake(node, entry,
                      "returned a list of " + ir::counted(count, "tensor") + " where LibTorch returns " +
                          std::to_string(use.node->output_count()));
      for (std::size_t k = 0; unpacks && k < count; ++k) take(k, *use.node->output(k));
      if (!aten::acts_as(*use.node, aten::Container::Item) || use.index != 0 || !use.node->input(1)->constant())
        continue;
      const std::int64_t at = use.node->input(1)->constant()->as_int64(), size = static_cast<std::int64_t>(count);
      if (at >= -size && at < size) take(static_cast<std::size_t>(at < 0 ? at + size : at), *use.node->output());
    }
  }

  // Combines LibTorch's facts of output `i` with those that ONNX infers for its value.
  void join_facts(const ir::Node& node, std::size_t i, Value& value, const Registry::Entry& entry) {
    join_facts(node, i, value, entry, *node.output(i));
  }

  // The same for an item that `reader` extracts from output `i`.
  void join_facts(const ir::Node& node, std::size_t i, Value& value, const Registry::Entry& entry,
                  const Value& reader) {
    const auto conflict = add_known(value, ir::of_part(reader.facts()), reader);
    if (!conflict) return;
    if (!entry.is_custom() && !options_.edge.empty()) throw beyond_facts(*conflict);
    throw mistake(node, entry,
                  "returned an output " + std::to_string(i) + " that differs from LibTorch's: " + *conflict);
  }

  // The program fixes a size for which the importer's facts do not hold, so an operator may compute something else.
  Refusal beyond_facts(const std::string& conflict) const {
    return Refusal("if " + options_.edge + ", the program differs from the archive's metadata (" + conflict +
                   "); export it in PyTorch with that size fixed");
  }

  // Adds LibTorch's facts of a value of the program to that of the model; its expressions of sizes win over those that
  // ONNX infers. Returns a description of a contradiction.
  [[nodiscard]] std::optional<std::string> add_known(Value& value, const ir::Facts& declared,
                                                     const Value& of_program) const {
    ir::Facts facts = declared;
    open_emptied_axes(facts, of_program);
    open_empty_slices(facts, value, [this](const ir::Dim& size) { return least_size(size); });
    facts.constant = value.facts().constant;
    if (auto conflict = ir::merge(facts, value.facts())) return conflict;
    value.set_facts(std::move(facts));
    return std::nullopt;
  }

  // Splits a tensor with a last axis of 2 into the parts of a complex tensor with these facts.
  Lowered split(Value* value, const Value& of_program) {
    const ir::Facts& declared = of_program.facts();
    if (!value->facts().has_rank()) throw Refusal("the rank of a complex tensor must be known");
    const std::int64_t last = value->facts().rank() - 1;
    Lowered parts{Lowered::Kind::Complex, nullptr, {}};
    for (const std::int64_t k : {0, 1}) {
      Value* part = builder_.gather(value, builder_.int64(k), last);
      static_cast<void>(add_known(*part, ir::of_part(declared), of_program));  // bind() reports contradictions
      (k == 0 ? parts.one : parts.imaginary) = part;
    }
    return parts;
  }

  void split_inputs() {
    for (const ir::Value* in : program_.inputs())
      if (ir::is_complex(in->facts().dtype) && !in->type().is(ir::Type::Kind::List) && !in->is_unused())
        values_[in] = split(values_[in].one, *in);
  }

  // Declares fixed sizes that are open in the model because a slice may be empty. Whatever reads the value must see
  // them open.
  static void declare_sizes(Value& output, const ir::Facts& declared) {
    if (!output.is_unused() || !output.facts().dims || !declared.dims) return;
    for (std::size_t axis = 0; axis < declared.dims->size(); ++axis)
      if (ir::Dim& dim = (*output.facts().dims)[axis]; dim.is_unknown()) dim = (*declared.dims)[axis];
  }

  // Returns a flag that is true if no set of ir::kNonemptyAxes is empty; null if the program has no such attribute.
  Value* nonempty() {
    const ir::Node& end = *program_.block().return_node();
    const auto* triples = end.attribute_as<std::vector<std::int64_t>>(ir::kNonemptyAxes);
    std::vector<Value*> sums;  // of the sizes of each set
    for (std::size_t i = 0; triples && i + 2 < triples->size(); i += 3) {
      Value* input = model_->inputs()[static_cast<std::size_t>((*triples)[i + 1])];
      Value* size = builder_.size_scalar(input, (*triples)[i + 2]);
      if (static_cast<std::size_t>((*triples)[i]) == sums.size())
        sums.push_back(size);
      else
        sums.back() = builder_.add(sums.back(), size);
    }
    Value* all = nullptr;
    for (Value* sum : sums) {
      Value* holds = less(builder_, builder_.int64(0), sum);
      all = all ? builder_.op("And", {all, holds}) : holds;
    }
    return all;
  }

  void lower_outputs() {
    builder_.set_location({});
    Value* condition = nonempty();  // the first output depends on it
    std::unordered_set<const Value*> taken(model_->inputs().begin(), model_->inputs().end());
    for (const Value* out : program_.outputs()) {
      const ir::Node& end = *program_.block().return_node();
      builder_.set_location({});
      Op op(end, builder_, values_, *this, options_.training);
      try {
        const Lowered* known = op.lowered(out);
        if (options_.flattens_lists && known && known->kind == Lowered::Kind::List) {
          for (Value* item : known->list) {
            if (condition) item = require(builder_, item, std::exchange(condition, nullptr));
            model_->block().add_output(builder_.op("Identity", {item}));
          }
          continue;
        }
        const bool complex = op.is_complex(out) && !out->type().is_scalar();
        const bool sequence = out->type().is_tensor_list();
        Value* value = sequence  ? op.sequence_of(out, DType::Float32)
                       : complex ? op.joined(op.parts_of(out))
                                 : op.value_of(out);
        if (condition)
          value = (sequence ? require_of_sequence : require)(builder_, value, std::exchange(condition, nullptr));
        const ir::Facts declared = complex ? ir::with_parts(out->facts()) : out->facts();
        const bool direct = value->weight() || !taken.insert(value).second;
        if (direct) {
          const ir::Facts facts = value->facts();
          const ir::Type type = value->type();
          value = sequence ? same_sequence(builder_, value) : builder_.op("Identity", {value});
          value->set_type(type);
          value->set_facts(facts);
        }
        if (const auto conflict = add_known(*value, declared, *out); conflict && !options_.edge.empty())
          throw beyond_facts(*conflict);
        else if (conflict)
          throw Error(Code::Internal, "output " + out->name() + " of the model differs from LibTorch's: " + *conflict);
        declare_sizes(*value, declared);
        taken.insert(value);
        model_->block().add_output(value);
        value->set_name(out->name());
      } catch (const Refusal& refusal) {
        refusals_.all.add(end, std::string("output ") + out->name() + ": " + refusal.what());
      }
    }
  }

  const ir::Graph& program_;
  FunctionNodes functions_;
  std::set<std::size_t> declined_;
  const Registry& registry_;
  LowerOptions options_;
  std::unique_ptr<ir::Graph> model_;
  Builder builder_;
  ValueMap values_;
  std::unordered_set<const Value*> poisoned_;
  std::unordered_set<const ir::Block*> lowered_blocks_;
  Collected refusals_;
  std::shared_ptr<ir::Evaluator> evaluator_;  // made on first use
};

// True if passes that have not run may still remove or replace the node.
bool may_go(const ir::Node& node) {
  if (node.domain() == "prim" || node.output_count() == 0) return true;
  if (aten::is_quantised_alone(aten::quantised_traits_of(node).form)) return true;
  return ir::writes(node) || std::ranges::none_of(node.outputs(), [](const Value* out) {
           return out->type().is(ir::Type::Kind::Tensor) && !out->constant() && !out->is_unused();
         });
}

}  // namespace

void refuse_all(const ir::Graph& program, const Registry& registry, const ir::Opset& opset, ir::Refusals refused) {
  Collected collected{std::move(refused)};
  const FunctionForm form = with_function_nodes(program, {});
  ir::for_each_node(form.graph ? form.graph->block() : program.block(), [&](const ir::Node* node) {
    if ((may_go(*node) && !node->is(ir::kFunction)) || ir::is_refused(*node) ||
        is_served(*node, registry, opset.version()))
      return;
    collected.add(*node, missing(*node, registry, opset.version()));
  });
  raise(collected, opset.version());
}

std::unique_ptr<ir::Graph> lower_program(const ir::Graph& program, const Registry& registry, const ir::Opset& opset,
                                         const LowerOptions& options, const ir::Refusals& refused) {
  std::set<std::size_t> inlined;
  for (;;) {
    const FunctionForm form = with_function_nodes(program, inlined);
    Driver driver(form.graph ? *form.graph : program, registry, opset, options, refused, form.nodes);
    if (auto model = driver.run()) return model;
    inlined.insert(driver.declined().begin(), driver.declined().end());
  }
}

}  // namespace tonnx::lower

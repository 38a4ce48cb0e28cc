#include "program/nested/replace_nested.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "aten/containers.h"
#include "aten/identity.h"
#include "aten/nested_traits.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/observer.h"
#include "ir/refusal.h"
#include "ir/writes.h"
#include "program/containers/carried_parts.h"
#include "program/edit.h"
#include "program/nested/branch_alignment.h"
#include "program/nested/padded_rows.h"

namespace tonnx::program {

using Kind = aten::NestedForm;
using ir::Block;
using ir::DType;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::string_view kNoNestedForm = "it has no ONNX form for nested tensors; call to_padded_tensor() before it";
constexpr std::string_view kCreates =
    "it creates or fills a nested tensor in a way that has no ONNX form; pad the rows, or create the nested tensor "
    "from "
    "a padded one and a mask";
constexpr std::string_view kStored =
    "a nested tensor is stored in a list or a tuple, or returned by the program, which has no ONNX form; call "
    "to_padded_tensor() before";
constexpr const char* kChecked =
    ": if the mask is not left-aligned, the program raises, but the model takes the first elements of each row, as "
    "many as the mask has true ones";
constexpr const char* kUnchecked =
    ": if the mask is not left-aligned, the model takes the first elements of each row, as many as the mask has true "
    "ones, as the trace does; the traced module may compute something else";
constexpr std::string_view kMasked = "it has no ONNX form for nested tensors with a mask";

bool is_true(const Value* flag) { return ir::constant_truth(flag).value_or(false); }

bool is_same(const Value* a, const Value* b) { return a == b || (is_true(a) && is_true(b)); }

class NestedRewrite final : public CarriedParts {
 public:
  NestedRewrite(ir::Graph& graph, std::vector<std::string>& warnings, const Kept& kept)
      : graph_(graph), warnings_(warnings), kept_(kept) {}

  void run() {
    while (find(graph_.block())) {
    }
    if (!has_any_) return;
    walk(graph_.block());
    refuse_stored(*graph_.block().return_node());
  }

 private:
  // The flag of a padded tensor that may be nested, and the mask of its elements, (batch, row).
  struct Nested {
    Value* is_nested;
    Value* valid;
  };

  Nested nested(const Value* value) const {
    const Parts& parts = parts_.at(value);
    return {parts[0], parts[1]};
  }

  Kind kind_of(const Node& node) const {
    const Kind form = aten::nested_form_of(node);
    const bool is_for_nested_only = form >= Kind::FromMask;
    if (is_for_nested_only && kept_ && kept_(node)) return Kind::None;
    const aten::Traits& traits = aten::traits_of(node);
    const bool passes = traits.alias == aten::Alias::Same || traits.alias == aten::Alias::SometimesSame;
    if (form == Kind::None && (passes || traits.passes)) return Kind::ByRow;
    if (form == Kind::None && aten::identity_of(node.kind()) != aten::Identity::None) return Kind::Reads;
    return form;
  }

  bool is_whole(const Value& value) const override { return nested_.contains(&value); }
  std::vector<Type> part_types(const Value&) const override {
    return {Type::of(Type::Kind::Bool), Type::of(Type::Kind::Tensor)};
  }
  Parts parts_of(Value& value, const Value&, Inserter& insert) override {
    if (is_whole(value)) return parts_.at(&value);
    return {insert.boolean(false), insert.never(Type::of(Type::Kind::Tensor))};
  }

  bool has_nested(const Node& node) const { return any_whole(node.inputs()); }

  // Finds values that may be nested. True if it found more; repeated until a fixpoint.
  bool find(const Block& block) {
    const std::size_t before = nested_.size();
    for (const Node* node : block.nodes()) {
      for (const Block* inner : node->blocks()) find(*inner);
      if (node->is("prim::If")) {
        for (const Value* out : node->outputs())
          for (const Block* branch : node->blocks())
            if (is_whole(*branch->outputs()[out->index()])) nested_.insert(out);
      } else if (node->is("prim::Loop")) {
        for (const Value* out : node->outputs()) {
          const Value* inside = node->block(0)->inputs()[out->index() + 1];
          if (!is_whole(*node->input(out->index() + 2)) && !is_whole(*node->block(0)->outputs()[out->index() + 1]))
            continue;
          nested_.insert(out);
          nested_.insert(inside);
        }
      } else {
        find(*node);
      }
    }
    return nested_.size() > before;
  }

  void find(const Node& node) {
    switch (kind_of(node)) {
      case Kind::FromMask:
        nested_.insert(node.output());
        has_any_ = true;
        break;
      case Kind::IsLeftAligned: tests_alignment_ = has_any_ = true; break;
      case Kind::ToPadded:
      case Kind::IsNested:
      case Kind::Refused: has_any_ = true; break;
      case Kind::ByRow:
      case Kind::FirstByRow:
      case Kind::LastAxis:
      case Kind::EncoderLayer:
      case Kind::Attention:
        if (has_nested(node) && !node.outputs().empty()) nested_.insert(node.output());
        break;
      default: break;
    }
  }

  void rewrite(Node& node) override {
    const Kind form = kind_of(node);
    switch (form) {
      case Kind::FromMask: return from_mask(node);
      case Kind::IsLeftAligned: return is_left_aligned(node);
      case Kind::IsNested: return is_nested(node);
      default: break;
    }
    // Its facts cannot be inferred. In a branch it may never run.
    if (form == Kind::Refused && node.parent() == &graph_.block()) throw ir::refusal(node, std::string(kCreates));
    if (!has_nested(node)) {
      for (const Value* out : node.outputs()) nested_.erase(out);
      return;
    }
    switch (form) {
      case Kind::ByRow: return by_row(node);
      case Kind::FirstByRow: return first_by_row(node);
      case Kind::LastAxis: return along_last_axis(node);
      case Kind::Reads: return;
      case Kind::Size: return size(node);
      case Kind::ToPadded: return to_padded(node);
      case Kind::EncoderLayer: return encoder_layer(node);
      case Kind::Attention: return attention(node);
      default:
        return node.schema() && node.blocks().empty() ? refuse(node, std::string(kNoNestedForm)) : refuse_stored(node);
    }
  }

  void mark(Value* value, const Nested& parts) {
    nested_.insert(value);
    parts_[value] = {parts.is_nested, parts.valid};
  }

  void replace(Node& node, Value* by) {
    Value* out = node.output();
    out->replace_uses(by);
    nested_.erase(out);  // a new value may have its address
    parts_.erase(out);
    clean_.erase(out);
    sources_.erase(out);
    node.erase();
  }

  // _nested_tensor_from_mask(t, mask, mask_check)
  void from_mask(Node& node) {
    Inserter insert(&node);
    Value *t = node.input("t"), *mask = node.input("mask");
    Value* valid = first_elements(insert, t, mask);
    warn_of_condition(node);
    Value* padded = with_padding(insert, t, valid, insert.integer(0));
    mark(padded, {insert.boolean(true), valid});
    sources_[valid] = t;
    clean_.insert(padded);
    replace(node, padded);
  }

  void warn_of_condition(const Node& node) {
    if (tests_alignment_) return;
    const bool is_checked = ir::constant_truth(node.input("mask_check")).value_or(true);
    std::string warning = ir::describe_site(node) + (is_checked ? kChecked : kUnchecked);
    if (std::ranges::find(warnings_, warning) == warnings_.end())
      ir::warn(warnings_, ir::Category::Sizes, node.location(), std::move(warning));
  }

  // _nested_tensor_from_mask_left_aligned(t, mask)
  void is_left_aligned(Node& node) {
    Inserter insert(&node);
    Value* mask = node.input("mask");
    Value* answer = insert.call("aten::equal", {mask, first_elements(insert, node.input("t"), mask)});
    answer->node()->set_attribute(kDecidesNested, std::int64_t{1});
    replace(node, answer);
  }

  void is_nested(Node& node) {
    Inserter insert(&node);
    replace(node, is_whole(*node.input()) ? nested(node.input()).is_nested : insert.boolean(false));
  }

  // The flag and mask of all nested operands; empty if they differ.
  std::optional<Nested> common(const Node& node) const {
    std::optional<Nested> found;
    for (const Value* in : node.inputs()) {
      if (!is_whole(*in)) continue;
      const Nested parts = nested(in);
      if (found && (found->valid != parts.valid || !is_same(found->is_nested, parts.is_nested))) return std::nullopt;
      found = parts;
    }
    return found;
  }

  void by_row(Node& node) {
    const auto parts = common(node);
    if (!parts) return refuse(node, "its nested operands may have rows of different lengths");
    mark(node.output(), *parts);
  }

  void first_by_row(Node& node) {
    for (std::size_t i = 1; i < node.output_count(); ++i)
      if (!node.output(i)->is_unused()) return refuse(node, std::string(kNoNestedForm));
    by_row(node);
  }

  void along_last_axis(Node& node) {
    const auto axis = axis_of(node);
    const Value* keepdim = node.input("keepdim");
    if (!axis || (*axis != -1 && *axis != kNestedRank - 1) || (keepdim && !is_true(keepdim)))
      return refuse(node, "for nested tensors it has an ONNX form along the last axis only, with keepdim=True");
    by_row(node);
  }

  void size(Node& node) {
    const auto axis = ir::constant_integer(node.input("dim"));
    if (!axis || *axis == 1 || *axis == 1 - kNestedRank)
      refuse(node, "the rows of a nested tensor have different sizes along this axis");
  }

  // The tensor from which a mask was computed; null if it is not known.
  const Value* source_of(const Value* valid) const {
    if (const auto found = sources_.find(valid); found != sources_.end()) return found->second;
    const Node* branch = valid->node();
    if (!branch || !branch->is("prim::If")) return nullptr;
    const Value* source = nullptr;
    for (const Block* block : branch->blocks()) {
      const Value* output = block->outputs()[valid->index()];
      if (is_never(output)) continue;
      const Value* found = source_of(output);
      if (!found || (source && found != source)) return nullptr;
      source = found;
    }
    return source;
  }

  // Attention multiplies padding by 0, so it must be finite.
  Value* with_zero_padding(Inserter& insert, Value* x, const Nested& parts) {
    return clean_.contains(x) ? x : with_padding(insert, x, parts.valid, insert.integer(0));
  }

  // to_padded_tensor(self, padding, output_size)
  void to_padded(Node& node) {
    Inserter insert(&node);
    Value* x = node.input("self");
    const Nested parts = nested(x);
    Value* padding = node.input("padding");
    Value* y = with_padding(insert, x, parts.valid, padding);
    Value* sizes = node.input("output_size");
    const auto is_known = [&](const Value* of, std::int64_t axis) {
      return is_size_of(of, source_of(parts.valid), axis);
    };
    y = !sizes || ir::is_none(sizes) ? up_to_longest(insert, y, parts.valid)
                                     : resized(insert, y, sizes, padding, is_known);
    replace(node, y);
  }

  static void set_input(Node& node, std::string_view argument, Value* value) {
    node.set_input(static_cast<std::size_t>(node.schema()->index_of(argument)), value);
  }

  // Masks the padding among the keys.
  static Value* mask_padding(Node& node, Value* valid) {
    Inserter insert(&node);
    constexpr std::int64_t of_keys = 1;
    set_input(node, "mask", insert.call("aten::logical_not", {valid}));
    set_input(node, "mask_type", insert.integer(of_keys));
    return node.output();
  }

  // _transformer_encoder_layer_fwd(src, ..., mask, mask_type)
  void encoder_layer(Node& node) {
    const Nested parts = nested(node.input("src"));
    replace_if_nested(node, parts, [&](Node& own) {
      Inserter insert(&own);
      set_input(own, "src", with_zero_padding(insert, own.input("src"), parts));
      return mask_padding(own, parts.valid);
    });
  }

  // _native_multi_head_attention(query, key, value, ..., mask, need_weights, average_attn_weights, mask_type)
  void attention(Node& node) {
    if (!node.output(1)->is_unused())
      return refuse(node, "it returns no attention weights for nested tensors; pass need_weights=False");
    for (const char* operand : {"query", "key", "value"})
      if (!is_whole(*node.input(operand)))
        return refuse(node, "one of query, key and value is nested and another is not");
    const Nested query = nested(node.input("query")), key = nested(node.input("key")),
                 value = nested(node.input("value"));
    if (key.valid != value.valid || !is_same(query.is_nested, key.is_nested) ||
        !is_same(key.is_nested, value.is_nested))
      return refuse(node, "its key and value may have rows of different lengths");
    replace_if_nested(node, query, [&](Node& own) {
      Inserter insert(&own);
      Value* const operands[] = {own.input("query"), own.input("key"), own.input("value")};
      for (std::size_t i = 0; i < std::size(operands); ++i) {
        const bool is_repeated = i > 0 && operands[i] == operands[i - 1];
        own.set_input(i, is_repeated ? own.input(i - 1) : with_zero_padding(insert, operands[i], i == 0 ? query : key));
      }
      return mask_padding(own, key.valid);
    });
  }

  // Returns the result of a node, or a value inserted before it.
  using Form = std::function<Value*(Node&)>;

  // Replaces the node by `form` if its operand is nested. Refuses it then if it also has a mask.
  void replace_if_nested(Node& node, const Nested& parts, const Form& form) {
    const auto result_of = [&](Node& own) {
      return is_true(parts.is_nested) ? form(own) : in_branch(own, parts.is_nested, form, unchanged);
    };
    Value* mask = node.input("mask");
    Inserter insert(&node);
    Value* result = nullptr;
    if (ir::is_none(mask)) {
      result = result_of(node);
    } else {
      const auto is_masked = [&](Inserter& inside) { return inside.call("aten::__isnot__", {mask, inside.none()}); };
      Value* is_refused = insert.branch(parts.is_nested, Type::of(Type::Kind::Bool), is_masked,
                                        [](Inserter& inside) { return inside.boolean(false); });
      result = in_branch(node, is_refused, refused(std::string(kMasked)), result_of);
    }
    if (result != node.output()) replace(node, result);
    mark(result, parts);
    clean_.insert(result);
  }

  static Value* unchanged(Node& node) { return node.output(); }

  static Form refused(const std::string& why) {
    return [why](Node& node) {
      ir::set_why_refused(node, why);
      return node.output();
    };
  }

  // An If of two copies of the node: `yes` if the flag is true, else `no`.
  static Value* in_branch(Node& node, Value* flag, const Form& yes, const Form& no) {
    const auto branch = [&](const Form& form) {
      return [&node, &form](Inserter& inside) {
        ValueMap map;
        Node* copy = copy_node(node, map);
        inside.insert(copy);
        return form(*copy);
      };
    };
    return Inserter(&node).branch(flag, node.output()->type(), branch(yes), branch(no));
  }

  // The flag of the first nested operand.
  Value* flag_of(const Node& node) const {
    const auto operand = std::ranges::find_if(node.inputs(), [&](const Value* in) { return is_whole(*in); });
    return nested(*operand).is_nested;
  }

  // Refuses an operator if its operand is nested.
  void refuse(Node& node, const std::string& why) {
    Value* flag = flag_of(node);
    for (const Value* out : node.outputs()) nested_.erase(out);
    if (is_true(flag) || node.output_count() != 1 || ir::writes(node)) return ir::set_why_refused(node, why);
    replace(node, in_branch(node, flag, refused(why), unchanged));
  }

  // Refuses a node that uses nested tensors and is not an operator.
  void refuse_stored(Node& node) {
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      Value* in = node.input(i);
      if (!is_whole(*in)) continue;
      Inserter insert = node.parent() ? Inserter(&node) : Inserter(node.edge_of(), in->node()->location());
      const auto refuses = [&](Inserter& inside) {
        Value* copy = inside.call("aten::clone", {in});
        ir::set_why_refused(*copy->node(), std::string(kStored));
        return copy;
      };
      Value* flag = nested(in).is_nested;
      node.set_input(
          i, is_true(flag) ? refuses(insert) : insert.branch(flag, in->type(), refuses, [&](Inserter&) { return in; }));
    }
  }

  ir::Graph& graph_;
  std::vector<std::string>& warnings_;
  const Kept& kept_;
  bool has_any_ = false;
  bool tests_alignment_ = false;
  std::unordered_set<const Value*> nested_;
  std::unordered_set<const Value*> clean_;                  // padding is finite in each row that has an element
  std::unordered_map<const Value*, const Value*> sources_;  // from a mask to the tensor it was computed for
};

}  // namespace

void replace_nested(ir::Graph& graph, std::vector<std::string>& warnings, const Kept& kept) {
  NestedRewrite(graph, warnings, kept).run();
}

}  // namespace tonnx::program

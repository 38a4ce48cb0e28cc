#include "onnx/message.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "ir/control_flow.h"
#include "ir/error.h"
#include "ir/observer.h"
#include "ir/open_ranks.h"
#include "ir/weight_order.h"
#include "onnx/module_functions.h"
#include "onnx/opset.h"

namespace tonnx::onnx {
namespace {

constexpr int kFirstWithOptionalInitializers = 4;
constexpr int kFirstWithNodeMetadata = 10;

class GraphWriter {
 public:
  GraphWriter(const ir::Graph& graph, const ModelInfo& info, const Names& names) : info_(info), names_(names) {
    const auto add_symbols = [&](const ir::Value* value) {
      if (value->facts().dims)
        for (const ir::Dim& dim : *value->facts().dims)
          if (dim.is_symbolic()) symbols_.insert(dim.text());
    };
    for (const ir::Value* input : graph.inputs()) add_symbols(input);
    const auto is_open = [](const ir::Value* value) {
      const auto& dims = value->facts().dims;
      return !dims || std::ranges::any_of(*dims, [](const ir::Dim& dim) { return !dim.is_fixed(); });
    };
    has_open_sizes_ = std::ranges::any_of(graph.inputs(), is_open);
    ir::for_each_node(graph.block(), [&](const ir::Node* node) {
      has_open_sizes_ = has_open_sizes_ || std::ranges::any_of(node->outputs(), is_open);
      std::ranges::for_each(node->outputs(), add_symbols);
    });
  }

  const std::vector<std::string>& domains() const { return domains_; }

  void write(const ir::Block& block, const std::string& name, pb::GraphProto& out) {
    out.set_name(name);
    for (const ir::Value* input : block.inputs()) {
      to_proto(*input, names_, *out.add_input());
      if (!block.owner()) name_dims(*out.mutable_input()->rbegin());
    }
    for (const ir::Node* node : block.nodes()) {
      ir::checkpoint();
      write(*node, *out.add_node());
    }
    for (std::size_t i = 0; i < block.outputs().size(); ++i) {
      const ir::Value* output = block.outputs()[i];
      if (!output) throw ir::Error(ir::Code::Internal, "a graph output of " + name + " has no value");
      pb::ValueInfoProto& info = *out.add_output();
      to_proto(*output, names_, info);
      if (is_open_slice(*output)) name_sizes(*output, true, info);
      if (!block.owner() && !ir::has_open_rank(block, i)) name_dims(info);
      if (block.owner() && has_open_sizes_ && !output->constant()) open_ones(info);
      if (const std::string* copy = names_.copy(block, i)) {
        pb::NodeProto& identity = *out.add_node();
        identity.add_input(info.name());
        identity.add_output(*copy);
        identity.set_op_type("Identity");
        info.set_name(*copy);
      }
    }
    const std::unordered_set<const ir::Value*> results(block.outputs().begin(), block.outputs().end());
    for (const ir::Node* node : block.nodes()) {
      const bool is_custom = node->domain() != "onnx";  // a runtime cannot infer its types
      for (const ir::Value* value : node->outputs()) {
        const bool open = is_open_slice(*value);
        const bool is_declared = is_custom || (info_.value_infos && !is_undeclared(*value));
        if (!is_declared && !open && !(block.owner() && gives_sizes(*value))) continue;
        pb::TypeProto type;
        if (results.contains(value) || !to_proto(*value, type)) continue;
        to_proto(*value, names_, *out.add_value_info());
        if (open) name_sizes(*value, false, *out.mutable_value_info()->rbegin());
        name_dims(*out.mutable_value_info()->rbegin(), has_open_sizes_ && !value->constant());
      }
    }
  }

 private:
  // ONNX's inference does not see outer constants in a block, and treats the sizes of a Resize as absent if their
  // number is unknown.
  static bool gives_sizes(const ir::Value& value) {
    constexpr std::size_t kSizes = 3;
    return std::ranges::any_of(value.uses(),
                               [](const ir::Use& use) { return use.node->is("onnx::Resize") && use.index == kSizes; });
  }

  // True if the value's sizes must not be declared, because it is empty (Defect::DeclaredEmptyExpand).
  bool is_undeclared(const ir::Value& value) const {
    if (!info_.target.has(ir::Defect::DeclaredEmptyExpand, info_.opset)) return false;
    const auto& dims = value.facts().dims;
    return dims && std::ranges::any_of(*dims, [](const ir::Dim& dim) { return dim.is_fixed() && dim.size() == 0; });
  }

  // At opset 10 ONNX's inference assumes that a slice of a dynamic axis has the size of that axis, unless the model
  // declares another.
  bool is_open_slice(const ir::Value& value) const {
    return info_.opset == 10 && value.node()->is("onnx::Slice") && !value.node()->input(0)->facts().fixed_dims();
  }

  // The declared sizes of an output are kept. Inner values get a symbolic name only, because a size that facts assume
  // to be 1 may be 0.
  static void name_sizes(const ir::Value& slice, bool is_output, pb::ValueInfoProto& info) {
    const auto &to = slice.facts().dims, &from = slice.node()->input(0)->facts().dims;
    if (!to || !from) return;
    for (std::size_t axis = 0; axis < to->size(); ++axis) {
      if ((*from)[axis].is_fixed() || (*from)[axis].same((*to)[axis])) continue;
      if (is_output && !(*to)[axis].is_unknown()) continue;
      auto& shape = *info.mutable_type()->mutable_tensor_type()->mutable_shape();
      shape.mutable_dim(static_cast<int>(axis))->set_dim_param(info.name() + "_" + std::to_string(axis));
    }
  }

  // Removes sizes of 1 of a block's output. A size that facts assume to be 1 may be 0, and ONNX Runtime allocates the
  // outputs of If and Loop by their declared sizes.
  static void open_ones(pb::ValueInfoProto& info) {
    if (!info.type().tensor_type().has_shape()) return;
    for (auto& dim : *info.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim())
      if (dim.dim_value() == 1) dim.Clear();
  }

  // Names the dims without a size after value and axis. Items of a sequence may differ in size, so they get no names.
  // `may_be_empty`: so do sizes of 1, because a size that facts assume to be 1 may be 0, and ONNX Runtime relies on a
  // declared size. It infers itself those that an operator implies.
  void name_dims(pb::ValueInfoProto& info, bool may_be_empty = false) const {
    if (!info_.value_infos || !info.type().tensor_type().has_shape()) return;
    pb::TensorShapeProto& shape = *info.mutable_type()->mutable_tensor_type()->mutable_shape();
    for (int axis = 0; axis < shape.dim_size(); ++axis) {
      const bool is_one = may_be_empty && shape.dim(axis).dim_value() == 1;
      if (!is_one && shape.dim(axis).value_case() != pb::TensorShapeProto_Dimension::VALUE_NOT_SET) continue;
      std::string name = info.name() + "_dim_" + std::to_string(axis);
      while (symbols_.contains(name)) name += '_';
      shape.mutable_dim(axis)->set_dim_param(name);
    }
  }

  void write(const ir::Node& node, pb::NodeProto& out) {
    for (const ir::Value* input : node.inputs()) out.add_input(names_.of(input));
    for (const ir::Value* output : node.outputs()) out.add_output(names_.of(output));
    if (info_.node_names && !node.name().empty()) out.set_name(node.name());
    out.set_op_type(std::string(node.op()));
    const std::string domain = domain_of(node);
    if (!domain.empty()) {
      out.set_domain(domain);
      if (std::ranges::find(domains_, domain) == domains_.end()) domains_.push_back(domain);
    }
    write_attributes(node, out);
    write_location(node, out);
  }

  void write_attributes(const ir::Node& node, pb::NodeProto& out) {
    struct Entry {
      std::string name;
      const ir::NamedAttribute* attribute;
      const ir::Block* block;
    };
    std::vector<Entry> entries;
    for (const ir::NamedAttribute& attribute : node.attributes())
      if (attribute.name != ir::kBlockNames) entries.push_back({attribute.name, &attribute, nullptr});
    for (std::size_t i = 0; i < node.blocks().size(); ++i) {
      entries.push_back({ir::block_name(node, i), nullptr, node.block(i)});
    }
    std::ranges::sort(entries, {}, &Entry::name);
    for (const Entry& entry : entries) {
      pb::AttributeProto& attribute = *out.add_attribute();
      if (entry.attribute) {
        to_proto(*entry.attribute, true, attribute);
      } else {
        attribute.set_name(entry.name);
        attribute.set_type(pb::AttributeProto::GRAPH);
        write(*entry.block, entry.name, *attribute.mutable_g());
      }
    }
  }

  void write_location(const ir::Node& node, pb::NodeProto& out) const {
    const ir::Location& location = node.location();
    if (info_.doc_strings) {
      if (std::string source = location.source(); !source.empty()) out.set_doc_string(std::move(source));
    }
    if (!info_.node_metadata || effective_ir_version(info_) < kFirstWithNodeMetadata) return;
    const auto add = [&out](const char* key, const std::string& value) {
      if (value.empty()) return;
      pb::StringStringEntryProto& entry = *out.add_metadata_props();
      entry.set_key(key);
      entry.set_value(value);
    };
    add("module", location.module_path());
    add("source", location.source());
  }

  const ModelInfo& info_;
  const Names& names_;
  std::vector<std::string> domains_;
  std::unordered_set<std::string> symbols_;  // of the sizes of inputs
  bool has_open_sizes_ = false;              // some size is known only at run time
};

}  // namespace

int effective_ir_version(const ModelInfo& info) { return info.ir_version ? info.ir_version : ir_version(info.opset); }

void to_proto(const ir::Value& value, const Names& names, pb::ValueInfoProto& out) {
  out.set_name(names.of(&value));
  to_proto(value, *out.mutable_type());
}

void to_proto(const ir::Value& weight, const Names& names, pb::TensorProto& out) {
  const ir::Tensor* tensor = weight.weight();
  if (!tensor) throw ir::Error(ir::Code::Internal, "weight " + names.of(&weight) + " has no tensor");
  to_proto(*tensor, false, out);
  if (ir::bits_per_element(tensor->dtype) == 0) {
    throw ir::Error(ir::Code::Unsupported, "weight " + names.of(&weight) + " is of " +
                                               std::string(ir::name_of(tensor->dtype)) +
                                               ", which has no byte representation");
  }
  out.set_name(names.of(&weight));
}

void to_proto(const ir::Graph& graph, const ModelInfo& info, const Names& names, pb::ModelProto& out) {
  const int version = effective_ir_version(info);
  out.set_ir_version(version);
  if (!info.producer_name.empty()) out.set_producer_name(info.producer_name);
  if (!info.producer_version.empty()) out.set_producer_version(info.producer_version);
  if (!info.domain.empty()) out.set_domain(info.domain);
  if (info.model_version) out.set_model_version(info.model_version);
  if (!info.doc.empty()) out.set_doc_string(info.doc);

  GraphWriter writer(graph, info, names);
  writer.write(graph.block(), info.graph_name.empty() ? "main_graph" : info.graph_name, *out.mutable_graph());
  if (info.initializers_as_inputs || version < kFirstWithOptionalInitializers) {
    for (const ir::Value* weight : ir::weights_as_inputs(graph)) {
      // The input has the type of the tensor, whatever the facts are.
      pb::ValueInfoProto& input = *out.mutable_graph()->add_input();
      input.set_name(names.of(weight));
      pb::TypeProto_Tensor& type = *input.mutable_type()->mutable_tensor_type();
      type.set_elem_type(ir::onnx_type(weight->weight()->dtype));
      type.mutable_shape();
      for (const std::int64_t size : weight->weight()->dims) type.mutable_shape()->add_dim()->set_dim_value(size);
    }
  }

  add_opset("", info.opset, out);
  for (const auto& [domain, number] : info.domains) add_opset(domain, number, out);
  for (const std::string& domain : writer.domains()) {
    if (std::ranges::find(info.domains, domain, &std::pair<std::string, std::int64_t>::first) == info.domains.end()) {
      add_opset(domain, 1, out);
    }
  }
  for (const std::string& function : info.functions) out.add_functions()->ParsePartialFromString(function);
  if (!info.module_functions.empty()) outline_modules(graph, names, info, out);
  for (const auto& [key, value] : info.metadata) {
    pb::StringStringEntryProto& entry = *out.add_metadata_props();
    entry.set_key(key);
    entry.set_value(value);
  }
}

}  // namespace tonnx::onnx

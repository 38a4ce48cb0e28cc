#pragma once

// Converts between the IR and ONNX messages. Internal to src/onnx: includes protobuf headers.

#include <cstdint>
#include <functional>
#include <string>

#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include "ir/attribute.h"
#include "ir/graph.h"

namespace tonnx::onnx {

namespace pb = ::onnx;

// "" for "onnx", else the domain.
std::string domain_of(const ir::Node& node);

// The tensor's type and name; also its bytes if `data`. Throws Error(Code::Unsupported) for a dtype that ONNX lacks.
void to_proto(const ir::Tensor& tensor, bool data, pb::TensorProto& out);

// `data`: with the bytes of tensors.
void to_proto(const ir::NamedAttribute& attribute, bool data, pb::AttributeProto& out);

void to_proto(const ir::TypeAttribute& type, pb::TypeProto& out);

// The type and facts of a value; false if nothing is known. A list becomes a sequence; the value's facts are those of
// its elements.
bool to_proto(const ir::Value& value, pb::TypeProto& out);

// The facts and type in a message. An invalid dim is unknown; `size_of` maps a symbolic name to a dim.
struct Described {
  ir::Type type;
  ir::Facts facts;
};
using SizeOf = std::function<ir::Dim(const std::string& name)>;
Described from_proto(const pb::TypeProto& type, const SizeOf& size_of = ir::Dim::symbol);

// The node as one line of a message.
std::string describe(const ir::Node& node);

// Adds the import of a domain to a model or function.
void add_opset(const std::string& domain, std::int64_t version, auto& out) {
  pb::OperatorSetIdProto& import = *out.add_opset_import();
  import.set_domain(domain);
  import.set_version(version);
}

// Calls `visit` for every node, those of sub-graphs included.
template <class Nodes, class Visit>
void visit_nodes(Nodes& nodes, const Visit& visit) {
  for (auto& node : nodes) {
    visit(node);
    for (auto& attribute : node.attribute())
      if (attribute.has_g()) visit_nodes(attribute.g().node(), visit);
  }
}

// The same for nodes that `visit` changes.
template <class Visit>
void change_nodes(google::protobuf::RepeatedPtrField<pb::NodeProto>& nodes, const Visit& visit) {
  for (pb::NodeProto& node : nodes) {
    visit(node);
    for (pb::AttributeProto& attribute : *node.mutable_attribute())
      if (attribute.has_g()) change_nodes(*attribute.mutable_g()->mutable_node(), visit);
  }
}

}  // namespace tonnx::onnx

#include "onnx/opset.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "ir/error.h"
#include "ir/invalid_node.h"
#include "onnx/function_calls.h"
#include "onnx/infer.h"
#include "onnx/proto.h"

namespace tonnx::onnx {
namespace {

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

ir::OpSlot slot_of(const pb::OpSchema& schema, const pb::OpSchema::FormalParameter& formal) {
  ir::OpSlot slot;
  slot.name = formal.GetName();
  if (schema.typeConstraintMap().contains(formal.GetTypeStr())) slot.type_variable = formal.GetTypeStr();
  slot.optional = formal.GetOption() == pb::OpSchema::Optional;
  slot.variadic = formal.GetOption() == pb::OpSchema::Variadic;
  bool sequence = false;
  for (const pb::DataType type : formal.GetTypes()) {
    const pb::TypeProto& proto = pb::Utils::DataTypeUtils::ToTypeProto(type);
    sequence = sequence || proto.has_sequence_type();
    if (!proto.has_tensor_type()) continue;
    const ir::DType dtype = ir::dtype_from_onnx(proto.tensor_type().elem_type());
    if (dtype != ir::DType::Undefined) slot.dtypes.push_back(dtype);
  }
  std::ranges::sort(slot.dtypes);
  slot.sequence = sequence && slot.dtypes.empty();
  return slot;
}

class SchemaOpset final : public ir::Opset {
 public:
  explicit SchemaOpset(int version, const ir::Functions& functions = {})
      : version_(version), calls_(functions, version) {}

  std::int32_t version() const override { return version_; }

  const ir::OpDef* find(std::string_view op) const override {
    const Operator* found = look_up(op);
    return found ? &found->definition : nullptr;
  }

  std::int32_t introduced(std::string_view op) const override {
    const std::string name(op);
    for (int version = 1; version <= newest_opset(); ++version) {
      const pb::OpSchema* schema = pb::OpSchemaRegistry::Schema(name, version);
      if (schema && !schema->deprecated()) return schema->since_version();
    }
    return 0;
  }

  void infer(ir::Node& node) const override {
    if (node.domain() != "onnx") {
      calls_.infer(node, *this);
      return;
    }
    const Operator* op = look_up(node.op());
    if (!op) {
      throw ir::InvalidNode("opset " + std::to_string(version_) + " has no operator " + std::string(node.op()) + ": " +
                            describe(node));
    }
    onnx::infer(node, *op, *this);
  }

 private:
  const Operator* look_up(std::string_view op) const {
    {
      const std::shared_lock lock(mutex_);
      const auto known = operators_.find(op);
      if (known != operators_.end()) return known->second.get();
    }
    const std::string name(op);
    auto made = make(name);
    const std::unique_lock lock(mutex_);
    return operators_.try_emplace(name, std::move(made)).first->second.get();
  }

  std::unique_ptr<const Operator> make(const std::string& name) const {
    const pb::OpSchema* schema = pb::OpSchemaRegistry::Schema(name, version_);
    if (!schema || schema->deprecated()) return nullptr;
    auto op = std::make_unique<Operator>();
    op->schema = schema;
    op->definition.name = name;
    op->definition.since_version = schema->since_version();
    for (const auto& formal : schema->inputs()) {
      op->definition.inputs.push_back(slot_of(*schema, formal));
      op->homogeneous.push_back(formal.GetIsHomogeneous());
    }
    for (const auto& formal : schema->outputs()) op->definition.outputs.push_back(slot_of(*schema, formal));
    if ((name == "If" && op->definition.since_version < 11) ||
        (name == "Slice" && op->definition.since_version == 10)) {
      // The older rule of If uses one branch's shape for both, and that of Slice a dynamic size for its slices.
      op->inference = pb::OpSchemaRegistry::Schema(name, 11)->GetTypeAndShapeInferenceFunction();
    } else if (schema->has_type_and_shape_inference_function()) {
      op->inference = schema->GetTypeAndShapeInferenceFunction();
    } else {
      op->inference = own_rule(name);
    }
    return op;
  }

  std::int32_t version_;
  FunctionCalls calls_;
  mutable std::shared_mutex mutex_;
  mutable std::unordered_map<std::string, std::unique_ptr<const Operator>, Hash, std::equal_to<>> operators_;
};

}  // namespace

int newest_opset() {
  static const int newest = pb::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second;
  return newest;
}

namespace {

void check_version(int version) {
  if (version < kOldestOpset || version > newest_opset()) {
    throw ir::Error(ir::Code::Argument, "opset " + std::to_string(version) +
                                            " is not supported: " + std::to_string(kOldestOpset) + " to " +
                                            std::to_string(newest_opset()) + " are");
  }
}

}  // namespace

std::shared_ptr<const ir::Opset> opset(int version) {
  check_version(version);
  static std::mutex mutex;
  static std::map<int, std::shared_ptr<const ir::Opset>> made;
  const std::lock_guard lock(mutex);
  auto& entry = made[version];
  if (!entry) entry = std::make_shared<SchemaOpset>(version);
  return entry;
}

std::shared_ptr<const ir::Opset> opset(int version, const ir::Functions& functions) {
  if (functions.empty()) return opset(version);
  check_version(version);
  return std::make_shared<SchemaOpset>(version, functions);
}

int ir_version(int opset) {
  struct Row {
    int opset, ir_version;
  };
  static constexpr std::array<Row, 12> kFirst{{
      {28, 14},
      {25, 13},
      {24, 12},
      {23, 11},
      {21, 10},
      {19, 9},
      {15, 8},
      {12, 7},
      {11, 6},
      {10, 5},
      {9, 4},
      {1, 3},
  }};
  for (const Row& row : kFirst)
    if (opset >= row.opset) return row.ir_version;
  return 3;
}

}  // namespace tonnx::onnx

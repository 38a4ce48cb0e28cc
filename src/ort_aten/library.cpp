// libtonnx_ort_aten.so: custom operators for ONNX Runtime that run operators of LibTorch, which models have if they
// were exported with --operators aten, aten-fallback or fallthrough:
//   domain org.pytorch.aten, operator ATen: the operator in its attributes `operator` and `overload_name`
//   domains aten, torchvision, ...: one operator for each operator of LibTorch
// LibTorch is found as tonnx itself finds it (docs/libtorch.md).

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <onnxruntime_c_api.h>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "aten/schemas.h"
#include "backend/libtorch.h"
#include "backend/running_call.h"
#include "backend/scope.h"
#include "ir/error.h"
#include "ort_aten/call.h"

namespace tonnx::ort_aten {
namespace {

using ir::Code;
using ir::Error;
using ir::Tensor;

constexpr std::uint32_t kOldestApi = 16;  // the first with functions that return a status
constexpr const char* kAtenDomain = "org.pytorch.aten";
constexpr std::size_t kMostInputs = 256;  // of a node with any number of inputs that may be absent

const OrtApi* runtime = nullptr;
std::uint32_t runtime_version = 0;

void check(OrtStatus* status) {
  if (!status) return;
  const std::string text = runtime->GetErrorMessage(status);
  runtime->ReleaseStatus(status);
  throw Error(Code::Verification, text);
}

bool succeeds(OrtStatus* status) {
  if (!status) return true;
  runtime->ReleaseStatus(status);
  return false;
}

// Runs a callback of ONNX Runtime. No exception leaves it.
template <class Body>
OrtStatus* answer(const Body& body) noexcept {
  const backend::RunningCall running;
  const backend::Quiet quiet;
  try {
    body();
    return nullptr;
  } catch (const std::exception& error) {
    return runtime->CreateStatus(ORT_FAIL, error.what());
  } catch (...) {
    return runtime->CreateStatus(ORT_FAIL, "an exception that is not a std::exception");
  }
}

class KernelAttributes final : public Attributes {
 public:
  explicit KernelAttributes(const OrtKernelInfo* info) : info_(info) {}

  std::optional<std::int64_t> integer(const std::string& name) const override {
    std::int64_t value = 0;
    return succeeds(runtime->KernelInfoGetAttribute_int64(info_, name.c_str(), &value)) ? std::optional(value)
                                                                                        : std::nullopt;
  }
  std::optional<double> real(const std::string& name) const override {
    float value = 0;
    return succeeds(runtime->KernelInfoGetAttribute_float(info_, name.c_str(), &value)) ? std::optional<double>(value)
                                                                                        : std::nullopt;
  }
  std::optional<std::string> text(const std::string& name) const override {
    std::size_t size = 0;
    if (!succeeds(runtime->KernelInfoGetAttribute_string(info_, name.c_str(), nullptr, &size))) return std::nullopt;
    std::string value(size, '\0');
    if (!succeeds(runtime->KernelInfoGetAttribute_string(info_, name.c_str(), value.data(), &size)))
      return std::nullopt;
    value.resize(size > 0 ? size - 1 : 0);  // without its end
    return value;
  }
  std::optional<std::vector<std::int64_t>> integers(const std::string& name) const override {
    return list<std::int64_t>(name, runtime->KernelInfoGetAttributeArray_int64);
  }
  std::optional<std::vector<double>> reals(const std::string& name) const override {
    const auto values = list<float>(name, runtime->KernelInfoGetAttributeArray_float);
    return values ? std::optional(std::vector<double>(values->begin(), values->end())) : std::nullopt;
  }

 private:
  template <class T, class Get>
  std::optional<std::vector<T>> list(const std::string& name, const Get& get) const {
    std::size_t size = 0;
    if (!succeeds(get(info_, name.c_str(), nullptr, &size))) return std::nullopt;
    std::vector<T> values(size);
    if (size > 0 && !succeeds(get(info_, name.c_str(), values.data(), &size))) return std::nullopt;
    return values;
  }

  const OrtKernelInfo* info_;
};

// The tensor of a value, whose memory is borrowed.
Tensor borrowed(const OrtValue* value, std::size_t index) {
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  check(runtime->GetValueType(value, &kind));
  const std::string name = "input " + std::to_string(index);
  if (kind != ONNX_TYPE_TENSOR) throw Error(Code::Unsupported, name + " is not a tensor");
  OrtTensorTypeAndShapeInfo* info = nullptr;
  check(runtime->GetTensorTypeAndShape(value, &info));
  const std::unique_ptr<OrtTensorTypeAndShapeInfo, decltype(runtime->ReleaseTensorTypeAndShapeInfo)> owner(
      info, runtime->ReleaseTensorTypeAndShapeInfo);
  ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  check(runtime->GetTensorElementType(info, &element));
  std::size_t rank = 0;
  check(runtime->GetDimensionsCount(info, &rank));
  Tensor tensor;
  tensor.dtype = ir::dtype_from_onnx(static_cast<std::int32_t>(element));
  if (tensor.dtype == ir::DType::Undefined)
    throw Error(Code::Unsupported, name + " has a dtype that LibTorch does not have");
  tensor.dims.resize(rank);
  check(runtime->GetDimensions(info, tensor.dims.data(), rank));
  tensor.strides.resize(rank);
  std::int64_t stride = 1;
  for (std::size_t axis = rank; axis-- > 0; stride *= std::max<std::int64_t>(tensor.dims[axis], 1))
    tensor.strides[axis] = stride;
  void* data = nullptr;
  check(runtime->GetTensorMutableData(const_cast<OrtValue*>(value), &data));
  tensor.storage = ir::Storage::borrow(data, tensor.bytes(), nullptr);
  return tensor;
}

void write(OrtKernelContext* context, std::size_t index, const Tensor& result) {
  const Tensor dense = result.contiguous();
  OrtValue* value = nullptr;
  check(runtime->KernelContext_GetOutput(context, index, dense.dims.data(), dense.dims.size(), &value));
  if (!value) return;  // the model does not use it
  const Tensor into = borrowed(value, index);
  if (into.dtype != dense.dtype)
    throw Error(Code::Verification, "output " + std::to_string(index) + " is " + std::string(ir::name_of(into.dtype)) +
                                        " in the model, and LibTorch returns " + std::string(ir::name_of(dense.dtype)));
  if (dense.bytes() > 0) std::copy_n(dense.data(), dense.bytes(), const_cast<std::byte*>(into.data()));
}

void compute(const Call& call, OrtKernelContext* context) {
  std::size_t count = 0;
  check(runtime->KernelContext_GetInputCount(context, &count));
  Call::Inputs inputs(count);
  for (std::size_t i = 0; i < count; ++i) {
    const OrtValue* value = nullptr;
    check(runtime->KernelContext_GetInput(context, i, &value));
    if (value) inputs[i] = borrowed(value, i);
  }
  const std::vector<Tensor> results = call.run(inputs);
  check(runtime->KernelContext_GetOutputCount(context, &count));
  if (count > results.size())
    throw Error(Code::Verification, "the node has " + std::to_string(count) + " outputs, and LibTorch returns " +
                                        std::to_string(results.size()) + " tensors");
  for (std::size_t i = 0; i < count; ++i) write(context, i, results[i]);
}

// A custom operator: `kind` is "aten::triu", or empty for the operator that is named by attributes.
struct Operator : OrtCustomOp {
  Operator(std::string of, std::size_t optional) : OrtCustomOp{}, kind(std::move(of)), optional_inputs(optional) {
    version = runtime_version;
    GetName = [](const OrtCustomOp* op) { return self(op).name(); };
    GetExecutionProviderType = [](const OrtCustomOp*) -> const char* { return nullptr; };  // the CPU
    GetInputType = GetOutputType = [](const OrtCustomOp*, std::size_t) {
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;  // any
    };
    // ONNX Runtime accepts an absent input only for an optional one, and none of these before a list.
    GetInputTypeCount = [](const OrtCustomOp* op) { return std::max<std::size_t>(self(op).optional_inputs, 1); };
    GetInputCharacteristic = [](const OrtCustomOp* op, std::size_t) {
      return self(op).optional_inputs > 0 ? INPUT_OUTPUT_OPTIONAL : INPUT_OUTPUT_VARIADIC;
    };
    GetOutputTypeCount = [](const OrtCustomOp*) -> std::size_t { return 1; };
    GetOutputCharacteristic = [](const OrtCustomOp*, std::size_t) { return INPUT_OUTPUT_VARIADIC; };
    GetInputMemoryType = [](const OrtCustomOp*, std::size_t) { return OrtMemTypeDefault; };
    GetVariadicInputMinArity = [](const OrtCustomOp*) { return 0; };
    GetVariadicOutputMinArity = [](const OrtCustomOp*) { return 1; };
    GetVariadicInputHomogeneity = GetVariadicOutputHomogeneity = [](const OrtCustomOp*) { return 0; };
    CreateKernelV2 = [](const OrtCustomOp* op, const OrtApi*, const OrtKernelInfo* info, void** kernel) {
      return answer([&] { *kernel = self(op).make(KernelAttributes(info)).release(); });
    };
    KernelComputeV2 = [](void* kernel, OrtKernelContext* context) {
      return answer([&] { compute(*static_cast<const Call*>(kernel), context); });
    };
    KernelDestroy = [](void* kernel) { delete static_cast<Call*>(kernel); };
  }

  const char* name() const { return kind.empty() ? "ATen" : kind.c_str() + kind.find("::") + 2; }

  std::unique_ptr<Call> make(const Attributes& attributes) const {
    const auto overload = attributes.text("overload_name");
    if (!kind.empty()) return std::make_unique<Call>(kind, overload, attributes, false);
    const auto chosen = attributes.text("operator");
    if (!chosen) throw Error(Code::Unsupported, "a node ATen has no attribute 'operator'");
    return std::make_unique<Call>("aten::" + *chosen, overload, attributes, true);
  }

  static const Operator& self(const OrtCustomOp* op) { return *static_cast<const Operator*>(op); }

  std::string kind;
  std::size_t optional_inputs;  // 0: any number, and none is absent
};

// The most inputs of a call of the operator; 0 if a list of tensors without None is among them.
std::size_t count_inputs(const std::string& kind) {
  std::size_t most = 1;
  bool has_list = false;
  for (const aten::SchemaLine& line : aten::overloads_of(kind)) {
    const auto& arguments = aten::find_schema(line.full_name)->arguments;
    for (const ir::Argument& argument : arguments) {
      if (argument.type.is(ir::Type::Kind::List) && argument.type.is_tensor_list())
        has_list = true;
      else if (is_list_of_tensors(argument.type))
        most = kMostInputs;
    }
    most = std::max(most, arguments.size());
  }
  return has_list && most < kMostInputs ? 0 : most;
}

// All operators, by domain. Never freed: sessions use them until the process ends.
const std::map<std::string, std::deque<Operator>>& operators() {
  static const auto& all = *[] {
    std::set<std::string> kinds;
    aten::for_each_line([&](const aten::SchemaLine& line) {
      const std::string_view domain = line.full_name.substr(0, line.full_name.find("::"));
      if (domain == "onnx" || domain == "tonnx" || domain == "prim") return;
      kinds.emplace(line.full_name.substr(0, line.full_name.find('.', domain.size() + 2)));
    });
    auto* made = new std::map<std::string, std::deque<Operator>>;
    for (const std::string& kind : kinds)
      (*made)[kind.substr(0, kind.find("::"))].emplace_back(kind, count_inputs(kind));
    (*made)[kAtenDomain].emplace_back("", kMostInputs);
    return made;
  }();
  return all;
}

std::vector<OrtCustomOpDomain*> make_domains() {
  std::vector<OrtCustomOpDomain*> domains;
  for (const auto& [name, members] : operators()) {
    check(runtime->CreateCustomOpDomain(name.c_str(), &domains.emplace_back()));
    for (const Operator& member : members) check(runtime->CustomOpDomain_Add(domains.back(), &member));
  }
  return domains;
}

void register_all(OrtSessionOptions* options) {
  static const auto& domains = *new std::vector<OrtCustomOpDomain*>(make_domains());
  for (OrtCustomOpDomain* domain : domains) check(runtime->AddCustomOpDomain(options, domain));
}

}  // namespace
}  // namespace tonnx::ort_aten

// ONNX Runtime's entry point. Returns a status if it is older than 1.16.
extern "C" [[gnu::visibility("default")]] OrtStatus* RegisterCustomOps(OrtSessionOptions* options,
                                                                       const OrtApiBase* base) {
  using namespace tonnx::ort_aten;
  static const bool is_found = [&] {
    for (std::uint32_t version = ORT_API_VERSION; version >= kOldestApi && !runtime; --version) {
      runtime = base->GetApi(version);
      if (runtime) runtime_version = version;
    }
    return runtime != nullptr;
  }();
  if (!is_found) {
    const OrtApi* oldest = base->GetApi(1);
    return oldest ? oldest->CreateStatus(ORT_FAIL, "ONNX Runtime 1.16 or newer is needed") : nullptr;
  }
  tonnx::backend::be_guest();
  return answer([&] { register_all(options); });
}

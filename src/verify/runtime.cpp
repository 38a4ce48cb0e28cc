#include "verify/runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <future>
#include <onnxruntime_c_api.h>
#include <utility>

#include "ir/dependency_error.h"
#include "ir/error.h"
#include "ir/observer.h"
#include "ir/text.h"

namespace tonnx::verify {
namespace {

using ir::Code;
using ir::DependencyError;
using ir::DType;
using ir::Error;
using ir::Tensor;

struct Library {
  const OrtApi* api = nullptr;
  OrtEnv* environment = nullptr;
  std::string version;
};

void ORT_API_CALL drop_log(void*, OrtLoggingLevel, const char*, const char*, const char*, const char*) {}

// The path of ONNX Runtime in a file beside the library, as in a build folder; "" if there is none.
std::string path_of_build() {
  Dl_info here;
  if (!dladdr(reinterpret_cast<const void*>(&drop_log), &here) || !here.dli_fname) return {};
  const std::string library = here.dli_fname;
  std::ifstream file(library.substr(0, library.rfind('/') + 1) + "tonnx.onnxruntime");
  std::string path;
  std::getline(file, path);
  return path;
}

void* open_library(std::string& tried) {
  std::vector<std::string> candidates;
  if (const char* chosen = std::getenv("TONNX_ONNXRUNTIME"); chosen && *chosen) {
    candidates.push_back(chosen);
  } else {
    candidates = {"libonnxruntime.so", "libonnxruntime.so.1"};
    if (std::string path = path_of_build(); !path.empty()) candidates.insert(candidates.begin(), std::move(path));
  }
  for (const std::string& path : candidates) {
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    const char* why = dlerror();
    tried += std::string("\n  ") + (why ? why : path.c_str());
  }
  return nullptr;
}

Library open() {
  std::string tried;
  void* handle = open_library(tried);
  if (!handle)
    throw DependencyError("ONNX Runtime cannot be loaded; set TONNX_ONNXRUNTIME to the path of libonnxruntime.so:" +
                          tried);
  const auto base = reinterpret_cast<const OrtApiBase* (*)()>(dlsym(handle, "OrtGetApiBase"));
  if (!base) throw DependencyError("the library specified as ONNX Runtime has no OrtGetApiBase");
  Library library;
  library.version = base()->GetVersionString();
  library.api = base()->GetApi(ORT_API_VERSION);
  if (!library.api)
    throw DependencyError("ONNX Runtime " + library.version + " is too old: API version " +
                          std::to_string(ORT_API_VERSION) + " is needed");
  OrtStatus* status =
      library.api->CreateEnvWithCustomLogger(drop_log, nullptr, ORT_LOGGING_LEVEL_FATAL, "tonnx", &library.environment);
  if (status) throw DependencyError(std::string("ONNX Runtime: ") + library.api->GetErrorMessage(status));
  // Some builds of ONNX Runtime report to their vendor what they run.
  if (OrtStatus* ignored = library.api->DisableTelemetryEvents(library.environment))
    library.api->ReleaseStatus(ignored);
  return library;
}

const Library& library() {
  static const Library instance = open();
  return instance;
}

const OrtApi& api() { return *library().api; }

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// Throws if ONNX Runtime is too old for the model. Its status has no code for this, so its message decides.
void require_known(const std::string& text) {
  const std::string name = "ONNX Runtime " + library().version;
  // Its IR version, or the opset of a domain. The text before is a location in ONNX Runtime's code.
  for (const std::string_view said : {"Unsupported model IR version", "ONNX Runtime only *guarantees* support"})
    if (has(text, said))
      throw DependencyError(name + " is too old to verify this model; use a newer one, or export to an older opset (" +
                            text.substr(text.find(said)) + ")");
}

void check(OrtStatus* status) {
  if (!status) return;
  const OrtErrorCode code = api().GetErrorCode(status);
  std::string text = api().GetErrorMessage(status);
  // The sizes of an input that do not fit are in further lines.
  if (code == ORT_INVALID_ARGUMENT) std::ranges::replace(text, '\n', ' ');
  text = ir::first_line(text);
  api().ReleaseStatus(status);
  // For example, for convolutions of float64.
  if (code == ORT_NOT_IMPLEMENTED)
    throw ir::MissingKernelError(
        "ONNX Runtime " + library().version + ": " + text +
        "; it has no kernel for this operator and dtype, so that this model cannot be verified with it");
  require_known(text);
  if (code == ORT_NO_SUCHFILE || code == ORT_INVALID_PROTOBUF) throw Error(Code::File, "ONNX Runtime: " + text);
  throw Error(Code::Verification, "ONNX Runtime: " + text);
}

void ignore(OrtStatus* status) {
  if (status) api().ReleaseStatus(status);
}

// Runs `work`. If the call has an observer, `work` runs on another thread while this one lets the observer cancel;
// `stop` then makes `work` end.
template <class Work, class Stop>
void run_observed(const Work& work, const Stop& stop) {
  constexpr std::chrono::milliseconds kInterval{20};
  if (!ir::is_observed()) return work();
  std::future<void> running = std::async(std::launch::async, work);
  try {
    while (running.wait_for(kInterval) != std::future_status::ready) ir::checkpoint();
  } catch (...) {
    stop();
    running.wait();
    throw;
  }
  running.get();
}

template <class T, void (ORT_API_CALL* OrtApi::*release)(T*)>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Owned(Owned&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  ~Owned() {
    if (pointer_) (api().*release)(pointer_);
  }
  T** out() { return &pointer_; }
  T* get() const { return pointer_; }

 private:
  T* pointer_ = nullptr;
};

using OwnedValue = Owned<OrtValue, &OrtApi::ReleaseValue>;
using OwnedMemoryInfo = Owned<OrtMemoryInfo, &OrtApi::ReleaseMemoryInfo>;
using OwnedOptions = Owned<OrtSessionOptions, &OrtApi::ReleaseSessionOptions>;
using OwnedRunOptions = Owned<OrtRunOptions, &OrtApi::ReleaseRunOptions>;
using OwnedShape = Owned<OrtTensorTypeAndShapeInfo, &OrtApi::ReleaseTensorTypeAndShapeInfo>;

Tensor to_tensor(const OrtValue* value, const std::string& name) {
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  check(api().GetValueType(value, &kind));
  if (kind != ONNX_TYPE_TENSOR) throw Error(Code::Verification, "output '" + name + "' is not a tensor");
  OwnedShape info;
  check(api().GetTensorTypeAndShape(value, info.out()));
  ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  check(api().GetTensorElementType(info.get(), &element));
  std::size_t rank = 0;
  check(api().GetDimensionsCount(info.get(), &rank));
  std::vector<std::int64_t> dims(rank);
  check(api().GetDimensions(info.get(), dims.data(), rank));
  void* data = nullptr;
  check(api().GetTensorMutableData(const_cast<OrtValue*>(value), &data));
  // Element types are numbers of TensorProto.DataType.
  const DType dtype = ir::dtype_from_onnx(static_cast<std::int32_t>(element));
  std::int64_t count = 1;
  for (const std::int64_t d : dims) count *= d;
  return Tensor::from_bytes(dtype, std::move(dims), data, ir::bytes_for(dtype, count));
}

// Appends a tensor, or all items of a sequence; nothing for an empty optional.
void append_tensors(const OrtValue* value, const std::string& name, std::vector<Tensor>& tensors) {
  int has_value = 0;
  check(api().HasValue(value, &has_value));
  if (!has_value) return;
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  check(api().GetValueType(value, &kind));
  if (kind != ONNX_TYPE_SEQUENCE) return tensors.push_back(to_tensor(value, name));
  OrtAllocator* allocator = nullptr;
  check(api().GetAllocatorWithDefaultOptions(&allocator));
  std::size_t count = 0;
  check(api().GetValueCount(value, &count));
  for (std::size_t i = 0; i < count; ++i) {
    OwnedValue item;
    check(api().GetValue(value, static_cast<int>(i), allocator, item.out()));
    tensors.push_back(to_tensor(item.get(), name + "[" + std::to_string(i) + "]"));
  }
}

}  // namespace

struct Session::State {
  ~State() {
    if (session) api().ReleaseSession(session);
  }
  OrtSession* session = nullptr;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

namespace {

std::vector<std::string> names(const OrtSession* session, bool inputs) {
  OrtAllocator* allocator = nullptr;
  check(api().GetAllocatorWithDefaultOptions(&allocator));
  std::size_t count = 0;
  check(inputs ? api().SessionGetInputCount(session, &count) : api().SessionGetOutputCount(session, &count));
  std::vector<std::string> result;
  for (std::size_t i = 0; i < count; ++i) {
    char* name = nullptr;
    check(inputs ? api().SessionGetInputName(session, i, allocator, &name)
                 : api().SessionGetOutputName(session, i, allocator, &name));
    result.emplace_back(name);
    check(api().AllocatorFree(allocator, name));
  }
  return result;
}

bool is_sequence(const OrtSession* session, std::size_t input) {
  Owned<OrtTypeInfo, &OrtApi::ReleaseTypeInfo> info;
  check(api().SessionGetInputTypeInfo(session, input, info.out()));
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  check(api().GetOnnxTypeFromTypeInfo(info.get(), &kind));
  return kind == ONNX_TYPE_SEQUENCE;
}

void add_provider(OrtSessionOptions* options, const std::string& provider) {
  if (provider.empty() || provider == "cpu") return;
  if (provider != "cuda") throw Error(Code::Argument, "provider '" + provider + "' is unknown; known are cpu and cuda");
  Owned<OrtCUDAProviderOptionsV2, &OrtApi::ReleaseCUDAProviderOptions> cuda;
  OrtStatus* status = api().CreateCUDAProviderOptions(cuda.out());
  if (!status) status = api().SessionOptionsAppendExecutionProvider_CUDA_V2(options, cuda.get());
  if (!status) return;
  const std::string text = ir::first_line(api().GetErrorMessage(status));
  api().ReleaseStatus(status);
  throw DependencyError("ONNX Runtime " + library().version + " cannot use the provider cuda: " + text);
}

void add_library(OrtSessionOptions* options, const std::string& path) {
  OrtStatus* status = api().RegisterCustomOpsLibrary_V2(options, path.c_str());
  if (!status) return;
  const std::string text = ir::first_line(api().GetErrorMessage(status));
  api().ReleaseStatus(status);
  throw Error(Code::File, "the library '" + path + "' cannot be loaded by ONNX Runtime: " + text);
}

}  // namespace

Session::Session(const std::string& path, const SessionOptions& given) : state_(std::make_unique<State>()) {
  library();
  const auto open = [&](const std::vector<std::string>& libraries) {
    OwnedOptions options;
    check(api().CreateSessionOptions(options.out()));
    add_provider(options.get(), given.provider);
    if (given.one_thread) check(api().SetIntraOpNumThreads(options.get(), 1));
    for (const std::string& path_of_library : libraries) add_library(options.get(), path_of_library);
    run_observed(
        [&] { check(api().CreateSession(library().environment, path.c_str(), options.get(), &state_->session)); },
        [&] { ignore(api().SessionOptionsSetLoadCancellationFlag(options.get(), true)); });
  };
  try {
    open(given.libraries);
  } catch (const Error& unknown) {
    if (given.spare_library.empty() || !has(unknown.what(), "is not a registered function/op")) throw;
    std::vector<std::string> libraries = given.libraries;
    libraries.push_back(given.spare_library);
    open(libraries);
  }
  state_->inputs = names(state_->session, true);
  state_->outputs = names(state_->session, false);
}

Session::~Session() = default;

const std::vector<std::string>& Session::input_names() const { return state_->inputs; }
const std::vector<std::string>& Session::output_names() const { return state_->outputs; }

std::vector<Tensor> Session::run(const std::vector<Tensor>& inputs, const std::vector<std::size_t>& counts,
                                 std::vector<std::size_t>* given_counts) const {
  const std::size_t count = counts.empty() ? inputs.size() : counts.size();
  if (count != state_->inputs.size())
    throw Error(Code::Verification,
                "the model takes " + std::to_string(state_->inputs.size()) + " inputs, not " + std::to_string(count));
  OwnedMemoryInfo memory;
  check(api().CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, memory.out()));
  std::vector<Tensor> dense;
  std::vector<OwnedValue> values(inputs.size());
  std::vector<const OrtValue*> given;
  std::vector<const char*> input_names, output_names;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    dense.push_back(inputs[i].contiguous());
    const Tensor& t = dense.back();
    static std::byte nothing;  // an empty tensor still needs an address
    void* data = t.bytes() ? const_cast<std::byte*>(t.data()) : &nothing;
    check(api().CreateTensorWithDataAsOrtValue(memory.get(), data, t.bytes(), t.dims.data(), t.dims.size(),
                                               static_cast<ONNXTensorElementDataType>(ir::onnx_type(t.dtype)),
                                               values[i].out()));
  }
  std::vector<OwnedValue> sequences(count);
  for (std::size_t i = 0, at = 0; i < count; ++i) {
    const std::size_t items = counts.empty() ? 1 : counts[i];
    if (items == 0)
      throw Error(Code::Argument,
                  "ONNX Runtime's C interface cannot create an empty sequence, so the model cannot be verified with "
                  "the empty list '" +
                      state_->inputs[i] + "'");
    const OrtValue* value = values[at].get();
    if (is_sequence(state_->session, i)) {
      std::vector<const OrtValue*> parts;
      for (std::size_t k = 0; k < items; ++k) parts.push_back(values[at + k].get());
      check(api().CreateValue(parts.data(), parts.size(), ONNX_TYPE_SEQUENCE, sequences[i].out()));
      value = sequences[i].get();
    }
    at += items;
    given.push_back(value);
    input_names.push_back(state_->inputs[i].c_str());
  }
  for (const std::string& name : state_->outputs) output_names.push_back(name.c_str());
  std::vector<OrtValue*> raw(output_names.size(), nullptr);
  OwnedRunOptions options;
  check(api().CreateRunOptions(options.out()));
  run_observed(
      [&] {
        check(api().Run(state_->session, options.get(), input_names.data(), given.data(), given.size(),
                        output_names.data(), output_names.size(), raw.data()));
      },
      [&] { ignore(api().RunOptionsSetTerminate(options.get())); });
  std::vector<OwnedValue> results(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) *results[i].out() = raw[i];
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const std::size_t before = tensors.size();
    append_tensors(results[i].get(), state_->outputs[i], tensors);
    if (given_counts) given_counts->push_back(tensors.size() - before);
  }
  return tensors;
}

}  // namespace tonnx::verify

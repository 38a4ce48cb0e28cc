// The same kernel for ONNX Runtime: a library with the custom operator my_kernels::GatedSoftmax, for the CPU and, if it
// is compiled with WITH_CUDA, for CUDA.
#include <exception>
#include <mutex>
#include <new>
#include <onnxruntime_c_api.h>
#include <vector>

#include "kernel.h"

namespace {

const OrtApi* runtime = nullptr;

// Returns the first status that is an error.
#define MY_KERNELS_TRY(call) \
  if (OrtStatus* status = runtime->call) return status

struct Kernel {
  float alpha;
  bool on_device;
};

// The address of a tensor's elements, and its dims.
OrtStatus* read(const OrtValue* value, float*& data, std::vector<std::int64_t>& dims) {
  OrtTensorTypeAndShapeInfo* info = nullptr;
  std::size_t rank = 0;
  MY_KERNELS_TRY(GetTensorMutableData(const_cast<OrtValue*>(value), reinterpret_cast<void**>(&data)));
  MY_KERNELS_TRY(GetTensorTypeAndShape(value, &info));
  OrtStatus* status = runtime->GetDimensionsCount(info, &rank);
  dims.resize(rank);
  if (!status) status = runtime->GetDimensions(info, dims.data(), rank);
  runtime->ReleaseTensorTypeAndShapeInfo(info);
  return status;
}

OrtStatus* compute(const Kernel& kernel, OrtKernelContext* context) {
  const OrtValue* input = nullptr;
  OrtValue* output = nullptr;
  float *x = nullptr, *y = nullptr;
  std::vector<std::int64_t> dims;
  MY_KERNELS_TRY(KernelContext_GetInput(context, 0, &input));
  if (OrtStatus* status = read(input, x, dims)) return status;
  if (dims.empty()) return runtime->CreateStatus(ORT_INVALID_ARGUMENT, "GatedSoftmax needs an axis");
  MY_KERNELS_TRY(KernelContext_GetOutput(context, 0, dims.data(), dims.size(), &output));
  MY_KERNELS_TRY(GetTensorMutableData(output, reinterpret_cast<void**>(&y)));
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < dims.size(); ++i) rows *= dims[i];
#ifdef WITH_CUDA
  if (kernel.on_device) {
    void* stream = nullptr;
    MY_KERNELS_TRY(KernelContext_GetGPUComputeStream(context, &stream));
    const int error = gated_softmax_on_device(x, y, rows, dims.back(), kernel.alpha, stream);
    return error ? runtime->CreateStatus(ORT_FAIL, "GatedSoftmax: CUDA reports an error") : nullptr;
  }
#endif
  gated_softmax_on_host(x, y, rows, dims.back(), kernel.alpha);
  return nullptr;
}

struct Operator : OrtCustomOp {
  explicit Operator(bool on_device) : OrtCustomOp{} {
    version = ORT_API_VERSION;
    GetName = [](const OrtCustomOp*) { return "GatedSoftmax"; };
    GetExecutionProviderType = [](const OrtCustomOp*) -> const char* { return nullptr; };  // the CPU
    if (on_device) GetExecutionProviderType = [](const OrtCustomOp*) { return "CUDAExecutionProvider"; };
    GetInputTypeCount = GetOutputTypeCount = [](const OrtCustomOp*) -> std::size_t { return 1; };
    GetInputType = GetOutputType = [](const OrtCustomOp*, std::size_t) { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; };
    GetInputCharacteristic =
        GetOutputCharacteristic = [](const OrtCustomOp*, std::size_t) { return INPUT_OUTPUT_REQUIRED; };
    GetInputMemoryType = [](const OrtCustomOp*, std::size_t) { return OrtMemTypeDefault; };
    CreateKernelV2 = [](const OrtCustomOp* op, const OrtApi*, const OrtKernelInfo* info, void** kernel) -> OrtStatus* {
      Kernel made{0, op->GetExecutionProviderType(op) != nullptr};
      MY_KERNELS_TRY(KernelInfoGetAttribute_float(info, "alpha", &made.alpha));
      *kernel = new (std::nothrow) Kernel(made);
      return *kernel ? nullptr : runtime->CreateStatus(ORT_FAIL, "out of memory");
    };
    KernelComputeV2 = [](void* kernel, OrtKernelContext* context) -> OrtStatus* {
      try {
        return compute(*static_cast<const Kernel*>(kernel), context);
      } catch (const std::exception& error) {
        return runtime->CreateStatus(ORT_FAIL, error.what());
      }
    };
    KernelDestroy = [](void* kernel) { delete static_cast<Kernel*>(kernel); };
  }
};

}  // namespace

// ONNX Runtime's entry point.
extern "C" [[gnu::visibility("default")]] OrtStatus* RegisterCustomOps(OrtSessionOptions* options,
                                                                       const OrtApiBase* base) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  runtime = base->GetApi(ORT_API_VERSION);
  if (!runtime) return base->GetApi(1)->CreateStatus(ORT_FAIL, "this ONNX Runtime is too old");
  static OrtCustomOpDomain* all = nullptr;
  if (!all) {
    static const Operator host(false);
    OrtCustomOpDomain* domain = nullptr;
    MY_KERNELS_TRY(CreateCustomOpDomain("my_kernels", &domain));
    MY_KERNELS_TRY(CustomOpDomain_Add(domain, &host));
#ifdef WITH_CUDA
    static const Operator device(true);
    MY_KERNELS_TRY(CustomOpDomain_Add(domain, &device));
#endif
    all = domain;
  }
  return runtime->AddCustomOpDomain(options, all);
}

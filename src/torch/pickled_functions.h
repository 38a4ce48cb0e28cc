#pragma once

#include <cstdint>
#include <string_view>

#include <c10/core/ScalarType.h>

// What a pickle may call by name in LibTorch's unpickler. Internal: includes LibTorch.
namespace tonnx::torch::pickled {

// First returns its first argument; Object builds an opaque value.
enum class Function : std::uint8_t { Tensor, QuantisedTensor, SparseTensor, TensorOfType, First, Typed, Object, None };

struct NamedFunction {
  std::string_view module, name;
  Function function;
};

constexpr NamedFunction kFunctions[] = {
    {"torch._utils", "_rebuild_tensor_v2", Function::Tensor},
    {"torch._utils", "_rebuild_qtensor", Function::QuantisedTensor},
    {"torch._utils", "_rebuild_sparse_tensor", Function::SparseTensor},
    {"torch._utils", "_rebuild_parameter", Function::First},
    {"torch._tensor", "_rebuild_from_type_v2", Function::TensorOfType},
    {"torch.jit._pickle", "restore_type_tag", Function::Typed},
    {"torch.jit._pickle", "build_intlist", Function::First},
    {"torch.jit._pickle", "build_tensorlist", Function::First},
    {"torch.jit._pickle", "build_doublelist", Function::First},
    {"torch.jit._pickle", "build_boollist", Function::First},
    {"collections", "OrderedDict", Function::None},
    {"torch", "device", Function::Object},
    {"builtins", "complex", Function::Object},
};

struct StorageClass {
  std::string_view name;
  c10::ScalarType dtype;
};

constexpr StorageClass kStorages[] = {
#define TONNX_STORAGE(type, name) {#name "Storage", c10::ScalarType::name},
    AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS(TONNX_STORAGE)
#undef TONNX_STORAGE
};

}  // namespace tonnx::torch::pickled

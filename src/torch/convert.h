#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>

#include "ir/constant.h"
#include "ir/dtype.h"
#include "ir/schema.h"
#include "ir/tensor.h"
#include "ir/type.h"

// Conversions between LibTorch's types and those of the IR. Internal: includes LibTorch.
namespace tonnx::torch {

// Throws Error(Code::Unsupported) for an element type that the IR does not have (bits, sub-byte types).
ir::DType dtype_of(c10::ScalarType type);
// Throws Error(Code::Unsupported) for ir::DType::String.
c10::ScalarType scalar_type_of(ir::DType dtype);

// Creates one ir::Storage for tensors that share a storage. For one import on one thread.
class StorageMap {
 public:
  // Sets the file region of a LibTorch storage; the bytes of the storage in memory must not be read.
  void set_region(const c10::StorageImpl* storage, std::shared_ptr<const ir::Storage> region);
  // Returns the region if there is one, else the bytes in memory, which live as long as the result.
  std::shared_ptr<const ir::Storage> of(const at::Tensor& tensor);
  // The same for bytes on another device, without a copy; null if they must be copied at once.
  std::shared_ptr<const ir::Storage> on_device(const at::Tensor& tensor);
  // Returns the tensor over a host copy of its device storage: one copy for all tensors that share it.
  at::Tensor on_host(const at::Tensor& tensor);

 private:
  struct HostCopy {
    c10::Storage original;  // kept, so that its address is not reused
    c10::Storage copy;
  };

  std::unordered_map<const c10::StorageImpl*, HostCopy> copies_;
  std::unordered_map<const c10::StorageImpl*, std::shared_ptr<const ir::Storage>> storages_;
};

// "quantized.Conv2dPackedParamsBase" for a class of a library (TORCH_LIBRARY); empty for a class of a program.
std::string library_class(const c10::ClassType& type);

// Wraps the tensor without a copy; one on another device is copied to the host first. Throws Error(Code::Unsupported)
// for a quantised, sparse, opaque or meta tensor.
ir::Tensor to_ir(const at::Tensor& tensor);
ir::Tensor to_ir(const at::Tensor& tensor, StorageMap& storages);
// Same, but a tensor on another device stays there if it can (see ir::Storage::is_on_device). The caller must not write
// to it.
ir::Tensor to_ir_in_place(const at::Tensor& tensor, StorageMap& storages);
// Returns a tensor over the same bytes, which it keeps alive. It must not be written to: the bytes may be a read-only
// mapping.
at::Tensor to_torch(const ir::Tensor& tensor);
// Returns a copy with its own memory, and the same strides unless they overlap.
at::Tensor to_torch_copy(const ir::Tensor& tensor);
// Same, for a tensor that the caller keeps.
at::Tensor to_torch_copy_on_device(const ir::Tensor& tensor);

// Converts a plain value: None, number, string, tensor, device, and lists, tuples and dicts of these; nullopt for
// others.
std::optional<ir::Constant> to_ir(const c10::IValue& value);
std::optional<ir::Constant> to_ir(const c10::IValue& value, StorageMap& storages);
// Converts a constant. `type` is the type of lists, converts int to float, a number to a rank-0 tensor that counts as a
// number, and a one-element tensor to a number. Without it a list has the type of its items (if empty: int[]). Throws
// Error(Code::Argument) if the constant cannot have that type.
c10::IValue to_ivalue(const ir::Constant& constant, const c10::TypePtr& type = nullptr);

// Creates a tuple of other items with the field names of `like`, which LibTorch's deepcopy() loses.
c10::IValue tuple_like(const c10::IValue& like, std::vector<c10::IValue> items);
// Returns a deep copy; aliasing inside the value is preserved.
c10::IValue copy_of(const c10::IValue& value);

// Reads a one-element tensor as int, float or bool. Throws c10::Error if it has several elements or another dtype.
c10::IValue number_in(const at::Tensor& tensor, const c10::Type& type);

ir::Type to_ir(const c10::Type& type);
// Converts a schema; one object per operator, shared by all threads.
ir::SchemaPtr to_ir(const c10::FunctionSchema& schema);

}  // namespace tonnx::torch

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

// LibTorch's types to those of the IR and back. Internal: includes LibTorch.
namespace tonnx::torch {

// Throws Error(Code::Unsupported) for an element type the IR does not know (bits, sub-byte types).
ir::DType dtype_of(c10::ScalarType type);
// Throws Error(Code::Unsupported) for ir::DType::String.
c10::ScalarType scalar_type_of(ir::DType dtype);

// Gives tensors that share a storage one ir::Storage. For one import; not for several threads.
class StorageMap {
 public:
  // A region of a file that a LibTorch storage stands for; its bytes in memory are not to be read.
  void set_region(const c10::StorageImpl* storage, std::shared_ptr<const ir::Storage> region);
  // The region if there is one, else the bytes in memory, which live as long as the result does.
  std::shared_ptr<const ir::Storage> of(const at::Tensor& tensor);
  // The tensor over a copy of its device's memory on the host: one copy for all tensors that share it.
  at::Tensor on_host(const at::Tensor& tensor);

 private:
  struct HostCopy {
    c10::Storage original;  // kept, so that no other storage takes its place
    c10::Storage copy;
  };

  std::unordered_map<const c10::StorageImpl*, HostCopy> copies_;
  std::unordered_map<const c10::StorageImpl*, std::shared_ptr<const ir::Storage>> storages_;
};

// "quantized.Conv2dPackedParamsBase" for a class of a library's own code (TORCH_LIBRARY); empty for one that a program
// defines.
std::string library_class(const c10::ClassType& type);

// The tensor as a view of the same bytes; one on another device is copied to the host first. Throws
// Error(Code::Unsupported) for a quantised, sparse or opaque tensor and for a meta tensor.
ir::Tensor to_ir(const at::Tensor& tensor);
ir::Tensor to_ir(const at::Tensor& tensor, StorageMap& storages);
// A tensor over the same bytes, which it keeps alive. It must not be written to: the bytes may be a read-only mapping.
at::Tensor to_torch(const ir::Tensor& tensor);
// A copy with memory of its own, with the same strides if they do not overlap.
at::Tensor to_torch_copy(const ir::Tensor& tensor);
// The same where the caller keeps the tensor.
at::Tensor to_torch_copy_on_device(const ir::Tensor& tensor);

// A plain value: None, number, string, tensor, device, list, tuple or dict of such; empty for anything else.
std::optional<ir::Constant> to_ir(const c10::IValue& value);
std::optional<ir::Constant> to_ir(const c10::IValue& value, StorageMap& storages);
// `type` says what lists hold, turns int into float, makes a 0-d tensor that counts as a number where it is
// Tensor and the constant is one, and a number where the constant is a tensor of one element; without it the type of a
// list is that of its items (an empty one: int[]). Throws Error(Code::Argument) if the constant cannot be of that type.
c10::IValue to_ivalue(const ir::Constant& constant, const c10::TypePtr& type = nullptr);

// A tuple of other items with the names that `like` has for its own, which LibTorch's deepcopy() loses.
c10::IValue tuple_like(const c10::IValue& like, std::vector<c10::IValue> items);
// A copy in which nothing shares memory with the value; what shares memory in it does so in the copy.
c10::IValue copy_of(const c10::IValue& value);

// The only element of the tensor as an int, float or bool. Throws c10::Error where it has several, or one that is none.
c10::IValue number_in(const at::Tensor& tensor, const c10::Type& type);

ir::Type to_ir(const c10::Type& type);
// The schema in the IR's terms; one object per operator, shared by all threads.
ir::SchemaPtr to_ir(const c10::FunctionSchema& schema);

}  // namespace tonnx::torch

#include "dlpack.h"

#include "guard.h"
#include "shape.h"

namespace tonnx::capi {
namespace {

// The layout that the DLPack specification fixes.
struct DLDevice {
  std::int32_t device_type;
  std::int32_t device_id;
};

struct DLDataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};

constexpr std::int32_t kCpu = 1, kCudaHost = 3;

ir::DType dtype_of(const DLDataType& type) {
  using ir::DType;
  struct Entry {
    std::uint8_t code, bits;
    DType dtype;
  };
  static constexpr Entry kEntries[] = {
      {0, 8, DType::Int8},     {0, 16, DType::Int16},      {0, 32, DType::Int32},   {0, 64, DType::Int64},
      {1, 8, DType::UInt8},    {1, 16, DType::UInt16},     {1, 32, DType::UInt32},  {1, 64, DType::UInt64},
      {2, 16, DType::Float16}, {2, 32, DType::Float32},    {2, 64, DType::Float64}, {4, 16, DType::BFloat16},
      {5, 64, DType::Complex64}, {5, 128, DType::Complex128}, {6, 8, DType::Bool},
  };
  for (const Entry& e : kEntries)
    if (e.code == type.code && e.bits == type.bits && type.lanes == 1) return e.dtype;
  throw ir::Error(ir::Code::Argument, "the DLPack tensor has a dtype that is not supported (code " +
                                          std::to_string(type.code) + ", " + std::to_string(type.bits) + " bits)");
}

}  // namespace

ir::Tensor take_dlpack(void* managed_tensor) {
  auto* managed = static_cast<DLManagedTensor*>(managed_tensor);
  const std::shared_ptr<const void> owner(managed, [](DLManagedTensor* m) {
    if (m->deleter) m->deleter(m);
  });
  const DLTensor& t = managed->dl_tensor;
  if (t.device.device_type != kCpu && t.device.device_type != kCudaHost)
    throw ir::Error(ir::Code::Argument, "the DLPack tensor is on device type " +
                                            std::to_string(t.device.device_type) + "; copy it to the host first");
  ir::Tensor result;
  result.dtype = dtype_of(t.dtype);
  if (t.ndim < 0) refuse("the DLPack tensor has rank " + std::to_string(t.ndim));
  const auto rank = static_cast<std::size_t>(t.ndim);
  if (rank > 0) require(t.shape, "managed_tensor.shape");
  result.dims = checked_dims(t.shape, rank, result.dtype);
  result.strides =
      t.strides ? std::vector<std::int64_t>(t.strides, t.strides + rank) : ir::contiguous_strides(result.dims);
  const std::size_t bytes = checked_extent(result);
  if (bytes > 0) require(t.data, "managed_tensor.data");
  const auto* data = static_cast<const std::byte*>(t.data);
  result.storage = ir::Storage::borrow(data ? data + t.byte_offset : nullptr, bytes, owner);
  return result;
}

}  // namespace tonnx::capi

#include "dlpack.h"

#include <cstring>

#include "guard.h"
#include "shape.h"

// The layouts defined by the DLPack specification.

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

struct DLPackVersion {
  std::uint32_t major;
  std::uint32_t minor;
};

struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned*);
  std::uint64_t flags;
  DLTensor dl_tensor;
};

namespace tonnx::capi {
namespace {

constexpr DLPackVersion kVersion{1, 1};  // the first one with dtypes of 8 bits
constexpr std::uint64_t kIsCopied = 2;
// A larger major version is part of something else, such as the address in an unversioned struct.
constexpr std::uint32_t kLargestMajor = 100, kLargestKnownMajor = 2, kLargestMinor = 20;

constexpr std::int32_t kCpu = 1, kCudaHost = 3;

struct DtypeRow {
  std::uint8_t code, bits;
  ir::DType dtype;
  bool versioned_only = false;
};

constexpr DtypeRow kDtypes[] = {
    {0, 8, ir::DType::Int8},
    {0, 16, ir::DType::Int16},
    {0, 32, ir::DType::Int32},
    {0, 64, ir::DType::Int64},
    {1, 8, ir::DType::UInt8},
    {1, 16, ir::DType::UInt16},
    {1, 32, ir::DType::UInt32},
    {1, 64, ir::DType::UInt64},
    {2, 16, ir::DType::Float16},
    {2, 32, ir::DType::Float32},
    {2, 64, ir::DType::Float64},
    {4, 16, ir::DType::BFloat16},
    {5, 64, ir::DType::Complex64},
    {5, 128, ir::DType::Complex128},
    {6, 8, ir::DType::Bool},
    {10, 8, ir::DType::Float8E4M3FN, true},
    {11, 8, ir::DType::Float8E4M3FNUZ, true},
    {12, 8, ir::DType::Float8E5M2, true},
    {13, 8, ir::DType::Float8E5M2FNUZ, true},
};

ir::DType dtype_of(const DLDataType& type) {
  for (const DtypeRow& row : kDtypes)
    if (row.code == type.code && row.bits == type.bits && type.lanes == 1) return row.dtype;
  refuse("the DLPack tensor has a dtype that is not supported (code " + std::to_string(type.code) + ", " +
         std::to_string(type.bits) + " bits)");
}

DLDataType type_of(ir::DType dtype, bool versioned) {
  for (const DtypeRow& row : kDtypes)
    if (row.dtype == dtype && (versioned || !row.versioned_only)) return {row.code, row.bits, 1};
  refuse("DLPack has no dtype for " + std::string(ir::name_of(dtype)));
}

// The manager_ctx of a struct made by tonnx.
template <class Managed>
struct Given {
  Managed managed{};
  std::vector<std::int64_t> dims, strides;
  std::vector<std::byte> elements;
};

template <class Managed>
std::shared_ptr<const void> owner_of(Managed* managed) {
  return {managed, [](Managed* m) {
            if (m->deleter) m->deleter(m);
          }};
}

ir::Tensor take(const DLTensor& t, const std::shared_ptr<const void>& owner) {
  if (t.device.device_type != kCpu && t.device.device_type != kCudaHost)
    throw ir::Error(ir::Code::Argument, "the DLPack tensor is on device type " + std::to_string(t.device.device_type) +
                                            "; copy it to the host first");
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

template <class Managed>
std::unique_ptr<Given<Managed>> copy(const ir::Tensor& tensor, bool versioned) {
  auto given = std::make_unique<Given<Managed>>();
  DLTensor& t = given->managed.dl_tensor;
  t.dtype = type_of(tensor.dtype, versioned);
  given->dims = tensor.dims;
  given->strides = ir::contiguous_strides(tensor.dims);
  const ir::Tensor dense = tensor.contiguous();
  const std::byte* data = dense.data();
  given->elements.assign(data, data + dense.bytes());
  t.data = given->elements.data();
  t.device = {kCpu, 0};
  t.ndim = static_cast<std::int32_t>(given->dims.size());
  t.shape = given->dims.data();
  t.strides = given->strides.data();
  given->managed.manager_ctx = given.get();
  given->managed.deleter = [](Managed* self) { delete static_cast<Given<Managed>*>(self->manager_ctx); };
  return given;
}

}  // namespace

ir::Tensor take_dlpack(DLManagedTensor* managed) {
  // The first member of an unversioned struct is the address of the elements, whose low bits are not a plausible
  // version. The offset of its deleter is not certain in another struct, so it is not called.
  DLPackVersion version;
  std::memcpy(&version, managed, sizeof version);
  if (version.major > 0 && version.major <= kLargestKnownMajor && version.minor <= kLargestMinor) {
    refuse("this is a DLManagedTensorVersioned; call tonnx_tensor_from_dlpack_versioned");
  }
  const auto owner = owner_of(managed);
  return take(managed->dl_tensor, owner);
}

ir::Tensor take_dlpack(DLManagedTensorVersioned* managed) {
  const DLPackVersion version = managed->version;
  // The offset of the deleter in another struct is not known, so it is not called.
  if (version.major == 0 || version.major > kLargestMajor)
    refuse("this is not a DLManagedTensorVersioned: its version would be " + std::to_string(version.major) +
           "; call tonnx_tensor_from_dlpack for a DLManagedTensor");
  const auto owner = owner_of(managed);
  if (version.major != kVersion.major)
    refuse("the DLPack tensor has version " + std::to_string(version.major) + "." + std::to_string(version.minor) +
           "; tonnx takes version 1");
  return take(managed->dl_tensor, owner);
}

DLManagedTensor* give_dlpack(const ir::Tensor& tensor) {
  return &copy<DLManagedTensor>(tensor, false).release()->managed;
}

DLManagedTensorVersioned* give_versioned_dlpack(const ir::Tensor& tensor) {
  auto given = copy<DLManagedTensorVersioned>(tensor, true);
  given->managed.version = kVersion;
  given->managed.flags = kIsCopied;
  return &given.release()->managed;
}

}  // namespace tonnx::capi

#include "exported/enums.h"

namespace tonnx::exported {

using ir::DType;

DType dtype_of(std::int64_t number) {
  switch (number) {
    case 1: return DType::UInt8;
    case 2: return DType::Int8;
    case 3: return DType::Int16;
    case 4: return DType::Int32;
    case 5: return DType::Int64;
    case 6: return DType::Float16;
    case 7: return DType::Float32;
    case 8: return DType::Float64;
    case 9: return DType::Complex32;
    case 10: return DType::Complex64;
    case 11: return DType::Complex128;
    case 12: return DType::Bool;
    case 13: return DType::BFloat16;
    case 28: return DType::UInt16;
    case 29: return DType::Float8E4M3FN;
    case 30: return DType::Float8E5M2;
    case 31: return DType::Float8E4M3FNUZ;
    case 32: return DType::Float8E5M2FNUZ;
    default: return DType::Undefined;
  }
}

std::int64_t memory_format_of(std::int64_t number) {
  switch (number) {
    case 1: return 0;  // contiguous
    case 2: return 2;  // channels last
    case 3: return 3;  // channels last 3d
    case 4: return 1;  // preserve
    default: return -1;
  }
}

std::int64_t layout_of(std::int64_t number) {
  switch (number) {
    case kStrided: return 0;
    case 1: return 1;  // COO
    case 2: return 3;  // CSR
    case 3: return 5;  // CSC
    case 4: return 6;  // BSR
    case 5: return 7;  // BSC
    case 6: return 2;  // oneDNN
    default: return -1;
  }
}

}  // namespace tonnx::exported

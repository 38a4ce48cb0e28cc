namespace Tonnx {

/// <summary>Element types; the values below 64 are those of LibTorch's ScalarType. No tensor of LibTorch can have the
/// others: Int4 and UInt4 exist from opset 21 on, Float4E2M1 from 23, Float8E8M0 from 24, Int2 and UInt2 from
/// 25.</summary>
public enum Dtype {
#pragma warning disable 1591
  UInt8 = 0,
  Int8 = 1,
  Int16 = 2,
  Int32 = 3,
  Int64 = 4,
  Float16 = 5,
  Float32 = 6,
  Float64 = 7,
  Complex32 = 8,
  Complex64 = 9,
  Complex128 = 10,
  Bool = 11,
  QInt8 = 12,
  QUInt8 = 13,
  QInt32 = 14,
  BFloat16 = 15,
  Float8E5M2 = 23,
  Float8E4M3FN = 24,
  Float8E5M2FNUZ = 25,
  Float8E4M3FNUZ = 26,
  Undefined = 255,
  UInt16 = 27,
  UInt32 = 28,
  UInt64 = 29,
  Int4 = 65,
  UInt4 = 66,
  Int2 = 67,
  UInt2 = 68,
  Float4E2M1 = 69,
  Float8E8M0 = 70
#pragma warning restore 1591
}

}

namespace Tonnx {

/// <summary>Element types; the values are those of LibTorch's ScalarType.</summary>
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
  UInt64 = 29
#pragma warning restore 1591
}

}

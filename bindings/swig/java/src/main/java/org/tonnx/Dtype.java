package org.tonnx;

import java.util.Locale;
import org.tonnx.internal.Native;

/** Element types of tensors. */
public enum Dtype {
  /** 8-bit unsigned integer. */
  UINT8(0),
  /** 8-bit integer. */
  INT8(1),
  /** 16-bit integer. */
  INT16(2),
  /** 32-bit integer. */
  INT32(3),
  /** 64-bit integer. */
  INT64(4),
  /** 16-bit float. */
  FLOAT16(5),
  /** 32-bit float. */
  FLOAT32(6),
  /** 64-bit float. */
  FLOAT64(7),
  /** Two 16-bit floats. */
  COMPLEX32(8),
  /** Two 32-bit floats. */
  COMPLEX64(9),
  /** Two 64-bit floats. */
  COMPLEX128(10),
  /** A byte, 0 or 1. */
  BOOL(11),
  /** Quantised 8-bit integer. */
  QINT8(12),
  /** Quantised 8-bit unsigned integer. */
  QUINT8(13),
  /** Quantised 32-bit integer. */
  QINT32(14),
  /** 16-bit float with 8 bits of exponent. */
  BFLOAT16(15),
  /** 8-bit float, 5 bits of exponent. */
  FLOAT8_E5M2(23),
  /** 8-bit float, 4 bits of exponent. */
  FLOAT8_E4M3FN(24),
  /** 8-bit float, 5 bits of exponent, no infinity, no negative zero. */
  FLOAT8_E5M2FNUZ(25),
  /** 8-bit float, 4 bits of exponent, no infinity, no negative zero. */
  FLOAT8_E4M3FNUZ(26),
  /** 16-bit unsigned integer. */
  UINT16(27),
  /** 32-bit unsigned integer. */
  UINT32(28),
  /** 64-bit unsigned integer. */
  UINT64(29),
  /** 4-bit integer, from opset 21 on. No tensor of LibTorch has this type, nor those below. */
  INT4(65),
  /** 4-bit unsigned integer, from opset 21 on. */
  UINT4(66),
  /** 2-bit integer, from opset 25 on. */
  INT2(67),
  /** 2-bit unsigned integer, from opset 25 on. */
  UINT2(68),
  /** 4-bit float, 2 bits of exponent, from opset 23 on. */
  FLOAT4_E2M1(69),
  /** 8 bits of exponent, from opset 24 on. */
  FLOAT8_E8M0(70),
  /** Unknown. */
  UNDEFINED(255);

  private static final Dtype[] BY_CODE = new Dtype[256];

  static {
    for (Dtype dtype : values()) {
      BY_CODE[dtype.code] = dtype;
    }
  }

  final int code;

  Dtype(int code) {
    this.code = code;
  }

  static Dtype of(int code) {
    Dtype dtype = code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    return dtype == null ? UNDEFINED : dtype;
  }

  /**
   * Bits of an element. Elements of 4 and 2 bits are packed, the first one in the lowest bits of a byte.
   *
   * @return the bits; 0 for {@link #UNDEFINED}
   */
  public int bits() {
    NativeLibrary.require();
    return Native.dtypeBits(code);
  }

  /** The name that tonnx uses: {@code "float32"}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

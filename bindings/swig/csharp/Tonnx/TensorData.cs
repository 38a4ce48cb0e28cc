using System;
using System.Collections.Generic;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>A tensor of example inputs, constants or results. Immutable; any thread may read it.</summary>
public sealed class TensorData : IDisposable {
  /// <summary>Copies row-major elements.</summary>
  public TensorData(Dtype dtype, IReadOnlyList<long> dims, byte[] data) : this(Make(dtype, dims, data, 1)) {}

  internal TensorData(NativeTensor native) {
    Handle = new Handle<NativeTensor>(nameof(TensorData), native);
  }

  internal Handle<NativeTensor> Handle { get; }

  /// <summary>Copies row-major elements; without dims, one element makes a scalar.</summary>
  public static TensorData From(float[] data, params long[] dims) {
    return new TensorData(Make(Dtype.Float32, dims, data, sizeof(float)));
  }

  /// <summary>Copies row-major elements.</summary>
  public static TensorData From(double[] data, params long[] dims) {
    return new TensorData(Make(Dtype.Float64, dims, data, sizeof(double)));
  }

  /// <summary>Copies row-major elements.</summary>
  public static TensorData From(long[] data, params long[] dims) {
    return new TensorData(Make(Dtype.Int64, dims, data, sizeof(long)));
  }

  /// <summary>Copies row-major elements.</summary>
  public static TensorData From(int[] data, params long[] dims) {
    return new TensorData(Make(Dtype.Int32, dims, data, sizeof(int)));
  }

  /// <summary>Copies row-major elements.</summary>
  public static TensorData From(short[] data, params long[] dims) {
    return new TensorData(Make(Dtype.Int16, dims, data, sizeof(short)));
  }

  /// <summary>Copies row-major elements.</summary>
  public static TensorData From(sbyte[] data, params long[] dims) {
    return new TensorData(Make(Dtype.Int8, dims, data, sizeof(sbyte)));
  }

  /// <summary>Copies row-major elements.</summary>
  public static TensorData From(byte[] data, params long[] dims) {
    return new TensorData(Make(Dtype.UInt8, dims, data, sizeof(byte)));
  }

  /// <summary>Copies row-major elements.</summary>
  public static TensorData From(bool[] data, params long[] dims) {
    Require.NotNull(data, nameof(data));
    return new TensorData(Make(Dtype.Bool, dims, Array.ConvertAll(data, b => b ? (byte)1 : (byte)0), 1));
  }

  /// <summary>Shares the storage of an at::Tensor of the LibTorch of the process. The address
  /// (TorchSharp's <c>Tensor.Handle</c>) is borrowed for the call; the storage must not be written to while this tensor
  /// lives.</summary>
  public static TensorData FromTorch(IntPtr atTensor) {
    NativeRuntime.Start();
    return new TensorData(NativeTensor.from_torch(atTensor.ToInt64()));
  }

  /// <summary>The address of a new at::Tensor with a copy of the elements, which the caller owns:
  /// another library adopts it (TorchSharp's <c>Tensor.UnsafeCreateTensor</c>), or <see cref="DeleteTorch"/>
  /// deletes it.</summary>
  public IntPtr ToTorch() {
    return new IntPtr(Handle.Use(t => t.to_torch()));
  }

  /// <summary>Deletes an at::Tensor that no other library has adopted; zero is allowed.</summary>
  public static void DeleteTorch(IntPtr atTensor) {
    NativeRuntime.Start();
    NativeTensor.delete_torch(atTensor.ToInt64());
  }

  /// <summary>The element type.</summary>
  public Dtype Dtype => Handle.Use(t => (Dtype)t.dtype());
  /// <summary>The shape.</summary>
  public IReadOnlyList<long> Dims => Handle.Use(t => t.dims());
  /// <summary>Bytes of all elements.</summary>
  public long Size => Handle.Use(t => t.size());

  /// <summary>The elements' bytes, row-major.</summary>
  public byte[] ToBytes() {
    return Handle.Use(t => {
      var bytes = new byte[t.size()];
      using (var pinned = new Pinned(bytes)) t.read(0, pinned.Address, bytes.LongLength);
      return bytes;
    });
  }

  /// <summary>Frees the object; a second call does nothing.</summary>
  public void Dispose() {
    Handle.Close();
  }

  private static NativeTensor Make(Dtype dtype, IReadOnlyList<long> dims, Array data, long elementSize) {
    Require.NotNull(dims, nameof(dims));
    Require.NotNull(data, nameof(data));
    NativeRuntime.Start();
    var sizes = new long[dims.Count];
    for (int i = 0; i < sizes.Length; ++i) sizes[i] = dims[i];
    using (var pinned = new Pinned(data)) return new NativeTensor((int)dtype, sizes, pinned.Address,
                                                                  data.LongLength * elementSize);
  }
}

}

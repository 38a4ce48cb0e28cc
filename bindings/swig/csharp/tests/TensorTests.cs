using System;
using System.Runtime.InteropServices;

namespace Tonnx.Tests {

internal static class TensorTests {
  [Case]
  private static void KeepsDtypeDimsAndBytes() {
    using (TensorData tensor = TensorData.From(Fixture.Tokens(), 2, 4)) {
      Expect.Equal(Dtype.Float32, tensor.Dtype);
      Expect.Sequence(new long[] { 2, 4 }, tensor.Dims);
      Expect.Equal(32L, tensor.Size);
      var back = new float[8];
      Buffer.BlockCopy(tensor.ToBytes(), 0, back, 0, 32);
      Expect.Sequence(Fixture.Tokens(), back);
    }
  }

  [Case]
  private static void TakesEveryElementType() {
    Check(TensorData.From(new double[] { 1, 2 }, 2), Dtype.Float64, 16);
    Check(TensorData.From(new long[] { 1, 2 }, 2), Dtype.Int64, 16);
    Check(TensorData.From(new int[] { 1, 2 }, 2), Dtype.Int32, 8);
    Check(TensorData.From(new short[] { 1, 2 }, 2), Dtype.Int16, 4);
    Check(TensorData.From(new sbyte[] { 1, 2 }, 2), Dtype.Int8, 2);
    Check(TensorData.From(new byte[] { 1, 2 }, 2), Dtype.UInt8, 2);
    Check(TensorData.From(new bool[] { true, false }, 2), Dtype.Bool, 2);
    Check(new TensorData(Dtype.BFloat16, new long[] { 2 }, new byte[] { 0, 0, 128, 63 }), Dtype.BFloat16, 4);
  }

  [Case]
  private static void HoldsScalarsAndNothing() {
    using (TensorData scalar = TensorData.From(new[] { 7L })) {
      Expect.Equal(0, scalar.Dims.Count);
      Expect.Equal(7L, BitConverter.ToInt64(scalar.ToBytes(), 0));
    }
    using (TensorData empty = TensorData.From(new float[0], 0, 4)) Expect.Equal(0, empty.ToBytes().Length);
  }

  [Case]
  private static void RefusesWrongSizes() {
    Expect.Refused(Status.Argument, () => TensorData.From(new[] { 1f, 2f, 3f }, 2, 2));
    Expect.Refused(Status.Argument, () => TensorData.From(new[] { 1f }, -1));
    Expect.Refused(Status.Argument, () => new TensorData(Dtype.Undefined, new long[0], new byte[0]));
  }

  [Case]
  private static void SharesLibTorchsTensors() {
    using (TensorData first = TensorData.From(new[] { 1f }))  // whose LibTorch tensor loads LibTorch
        Expect.Equal(0, aoti_torch_delete_tensor_object(first.ToTorch()));
    IntPtr data = Marshal.AllocHGlobal(16);
    Marshal.Copy(new[] { 1f, 2f, 3f, 4f }, 0, data, 4);
    IntPtr handle;
    Expect.Equal(0, aoti_torch_create_tensor_from_blob(data, 2, new long[] { 2, 2 }, new long[] { 2, 1 }, 0,
                                                       (int)Dtype.Float32, 0, 0, out handle));
    using (TensorData tensor = TensorData.FromTorch(handle)) {
      Expect.Equal(0, aoti_torch_delete_tensor_object(handle));
      Expect.Sequence(new long[] { 2, 2 }, tensor.Dims);
      Expect.Equal(4f, BitConverter.ToSingle(tensor.ToBytes(), 12));
    }
    Marshal.FreeHGlobal(data);
    Expect.Refused(Status.Argument, () => TensorData.FromTorch(IntPtr.Zero));
  }

  private static void Check(TensorData tensor, Dtype dtype, long size) {
    using (tensor) {
      Expect.Equal(dtype, tensor.Dtype);
      Expect.Equal(size, tensor.Size);
      Expect.Sequence(new long[] { 2 }, tensor.Dims);
    }
  }

  // LibTorch's own C functions; their handle is an at::Tensor *, as TorchSharp's is.
  [DllImport("libtorch_cpu.so")]
  private static extern int aoti_torch_create_tensor_from_blob(IntPtr data, long rank, long[] sizes, long[] strides,
                                                               long offset, int dtype, int deviceType, int deviceIndex,
                                                               out IntPtr handle);
  [DllImport("libtorch_cpu.so")]
  private static extern int aoti_torch_delete_tensor_object(IntPtr handle);
}

}

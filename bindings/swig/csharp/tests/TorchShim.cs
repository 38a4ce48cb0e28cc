using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Tonnx.Tests {

/// LibTorch as a host beside tonnx has it: tensors are addresses of an at::Tensor, as in TorchSharp. Disposing
/// deletes all that it made.
internal sealed class TorchShim : IDisposable {
  private const string Name = "libtorch_shim.so";
  private readonly List<IntPtr> made = new List<IntPtr>();

  static TorchShim() {
    if (dlopen(Fixture.Variable("TONNX_TORCH_SHIM"), 2) == IntPtr.Zero)
      throw new DllNotFoundException(Name);
  }

  internal static long Count => torch_shim_count();

  internal IntPtr Make(string name, params long[] numbers) {
    return RunAll(name, new IntPtr[0], numbers)[0];
  }

  internal IntPtr Run(string name, params IntPtr[] tensors) {
    return RunAll(name, tensors)[0];
  }

  internal IntPtr[] RunAll(string name, IntPtr[] tensors, params long[] numbers) {
    var room = new IntPtr[4];
    int count = torch_shim_run(name, tensors, new UIntPtr((uint)tensors.Length), numbers,
                               new UIntPtr((uint)numbers.Length), room);
    if (count < 0)
      throw new ArithmeticException(Marshal.PtrToStringAnsi(torch_shim_error()));
    Array.Resize(ref room, count);
    made.AddRange(room);
    return room;
  }

  internal static long Size(IntPtr tensor, long dim) {
    return torch_shim_size(tensor, dim);
  }

  internal static float[] Floats(IntPtr tensor) {
    using (TensorData shared = TensorData.FromTorch(tensor)) {
      var elements = new float[shared.Size / sizeof(float)];
      Buffer.BlockCopy(shared.ToBytes(), 0, elements, 0, (int)shared.Size);
      return elements;
    }
  }

  public void Dispose() {
    foreach (IntPtr tensor in made) torch_shim_delete(tensor);
    made.Clear();
  }

  [DllImport(Name)]
  private static extern int torch_shim_run(string name, IntPtr[] tensors, UIntPtr tensorCount, long[] numbers,
                                           UIntPtr numberCount, [Out] IntPtr[] results);
  [DllImport(Name)]
  private static extern IntPtr torch_shim_error();
  [DllImport(Name)]
  private static extern long torch_shim_size(IntPtr tensor, long dim);
  [DllImport(Name)]
  private static extern void torch_shim_delete(IntPtr tensor);
  [DllImport(Name)]
  private static extern long torch_shim_count();
  [DllImport("libdl.so.2")]
  private static extern IntPtr dlopen(string path, int flags);
}

}

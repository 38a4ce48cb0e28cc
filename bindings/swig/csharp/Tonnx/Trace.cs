using System;
using System.Threading;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>Code that is traced: runs LibTorch on the inputs and gives the results. Both are addresses of an at::Tensor
/// (TorchSharp's <c>Tensor.Handle</c>) of the LibTorch that tonnx is linked with. The inputs are the trace's own, valid until
/// this returns. The results must live until then, too; those that do not are given to <see cref="Trace.Output"/> while they
/// do, and null is returned.</summary>
public delegate IntPtr[] TracedCode(Trace trace, IntPtr[] inputs);

/// <summary>How a trace is made. A plain object: a trace reads it when it starts.</summary>
public sealed class TraceOptions {
  /// <summary>Weights share the memory of the tensors that were declared or captured, which must then stay as they are.
  /// Default: they are copied when the code returns.</summary>
  public bool ShareWeights { get; set; }

  internal NativeTraceOptions ToNative() {
    var native = new NativeTraceOptions();
    try {
      native.share_weights(ShareWeights);
      return native;
    } catch {
      native.Dispose();
      throw;
    }
  }
}

/// <summary>A run of the code that is traced, valid until that returns, on its thread.</summary>
public sealed class Trace {
  private readonly Thread thread = Thread.CurrentThread;
  private NativeTrace native;

  private Trace(NativeTrace native) {
    this.native = native;
  }

  internal static NativeProgram Record(NativeTrace native, TracedCode code) {
    do {
      var trace = new Trace(native);
      try {
        trace.Run(code);
      } finally {
        trace.native = null;
      }
    } while (native.next());
    return native.end();
  }

  /// <summary>The same tensor as an input, at a new address that the caller owns: for hosts that delete what they wrap
  /// (TorchSharp's <c>Tensor.UnsafeCreateTensor</c>).</summary>
  public IntPtr NewInput(int index) {
    return new IntPtr(Open().new_input(index));
  }

  /// <summary>Declares a weight: where this tensor is read it becomes the named weight. To be called before the tensor is
  /// used. A tensor that is captured undeclared becomes a weight "constant_N".</summary>
  public void Weight(string name, IntPtr atTensor) {
    Require.NotNull(name, nameof(name));
    Open().weight(name, atTensor.ToInt64());
  }

  /// <summary>Adds a result, which is borrowed for the call.</summary>
  public void Output(IntPtr atTensor, string name = null) {
    Open().output(name ?? "", atTensor.ToInt64());
  }

  /// <summary>What runs until the answer is disposed of belongs to the module <paramref name="name"/> ("fc1") of class
  /// <paramref name="type"/> ("Linear"); nests.</summary>
  public IDisposable Module(string type, string name) {
    Require.NotNull(type, nameof(type));
    Require.NotNull(name, nameof(name));
    Open().enter(type, name);
    return new Entered(this);
  }

  private void Run(TracedCode code) {
    var inputs = new IntPtr[native.input_count()];
    for (int i = 0; i < inputs.Length; ++i) inputs[i] = new IntPtr(native.input(i));
    foreach (IntPtr result in code(this, inputs) ?? new IntPtr[0]) Output(result);
  }

  private NativeTrace Open() {
    if (Thread.CurrentThread != thread)
      throw new InvalidOperationException("a trace belongs to the thread that runs it");
    if (native == null) throw new ObjectDisposedException(nameof(Trace), "The code that it was given to has returned.");
    return native;
  }

  private sealed class Entered : IDisposable {
    private Trace trace;

    internal Entered(Trace trace) {
      this.trace = trace;
    }

    public void Dispose() {
      trace?.Open().leave();
      trace = null;
    }
  }
}

}

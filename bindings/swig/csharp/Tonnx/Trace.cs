using System;
using System.Collections;
using System.Collections.Generic;
using System.Threading;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>Code that is traced: runs LibTorch on the inputs and gives the results. Both are addresses of an at::Tensor
/// (TorchSharp's <c>Tensor.Handle</c>) of the LibTorch that tonnx is linked with. The inputs are the trace's own, valid
/// until this returns. The results must live until then, too; those that do not are given to <see cref="Trace.Output"/>
/// while they do, and null is returned.</summary>
public delegate IntPtr[] TracedCode(Trace trace, IntPtr[] inputs);

/// <summary>How a trace is made. A plain object: a trace reads it when it starts.</summary>
public sealed class TraceOptions {
  // Made from options.json by scripts/options.py.
  /// <summary>Weights share the memory of the tensors that were declared or captured, and nobody may write to it as
  /// long as the program or a model of it lives; otherwise they are copied when the run ends. Default: false.</summary>
  public bool ShareWeights { get; set; }
  /// <summary>Run the first recording again on its inputs before it becomes a program, and refuse it where it does not
  /// give what the code returned; the error names the first operator that differs. Further runs are compared with the
  /// first one. Without it a trace takes the time of the code alone. Default: true.</summary>
  public bool Replay { get; set; } = true;
  /// <summary>An axis that is dynamic in every export, told before the code runs: it then runs at several sizes. The
  /// input is counted among the tensors and numbers of the arguments; an axis below 0 counts from the end. Axes of one
  /// symbol have one size; without a symbol an axis has one of its own. Default: none, and no axis can be dynamic in an
  /// export unless there is a single run.</summary>
  public TraceAxes DynamicAxes { get; } = new TraceAxes();
  /// <summary>One of the sizes to run; tonnx chooses further ones. Where the code does not run at it the trace fails.
  /// At 0 tonnx runs no code that is not told to, for it may divide by the size; what the code gives there must be what
  /// the program of the other runs gives. Default: those that tonnx chooses.</summary>
  public IDictionary<string, long[]> Sizes { get; } = new Dictionary<string, long[]>();
  /// <summary>A dynamic axis along which the code runs at the example's size only, or takes another path at other
  /// sizes, is fixed in every export, and a warning names the axis, the size and the reason. Without it the trace is
  /// refused. Default: false.</summary>
  public bool AllowFixedAxes { get; set; }
  /// <summary>The largest size at which tonnx runs the code by itself: first near the example, then at powers of two
  /// and numbers beside them, one dynamic axis at a time, as long as these runs cost little beside the others (a large
  /// network is run at fewer of them). So a threshold of the code (n &gt; 512) is found, and the model follows it or
  /// the trace is refused, naming operator and size. The smallest and the largest size that were run are in the report
  /// and in the model's metadata (tonnx.sizes). An example that is larger is run at sizes near it and below. 1: near
  /// the example alone. Default: 4096.</summary>
  public int? LargestSize { get; set; }
  /// <summary>One run, whatever the axes: numbers that the code computes from sizes stay the example's, and exports may
  /// name any axis dynamic. Default: false.</summary>
  public bool SingleRun { get; set; }
  /// <summary>Run the code on other values of the same sizes as well: the example's in another order, of the other
  /// sign, and zeros; where it reads numbers by item(), equal() and their like, on the example's three times more, with
  /// low, high and no numbers in their place. Where it does not do the same, the trace is refused, naming operator and
  /// reads; where it runs on none of these values, a warning says so. Where the code runs once, warnings name each read
  /// of a number and each operator whose result's sizes depend on data (nonzero, unique): the model keeps what the code
  /// made of them. Reads by an accessor or data_ptr() are found on other values only. Default: where the code runs at
  /// several sizes, but in no single run.</summary>
  public bool? OtherValues { get; set; }
  // Made until here.
  /// <summary>Makes the inputs of the further runs: arguments like the example's, at these sizes by symbol, which the
  /// trace disposes of. What it throws is the inner exception of the TonnxException with which the trace ends. Default:
  /// the example's elements, cut off or over again.</summary>
  public Func<IReadOnlyDictionary<string, long>, Args> Resize { get; set; }

  internal NativeTraceOptions ToNative() {
    var native = new NativeTraceOptions();
    try {
      // Made from options.json by scripts/options.py.
      native.share_weights(ShareWeights);
      native.replay(Replay);
      foreach (TraceAxis axis in DynamicAxes) native.dynamic_axis(axis.Input, axis.Axis, axis.Symbol ?? "");
      foreach (var one in Sizes)
        foreach (long size in one.Value) native.size(one.Key, size);
      native.allow_fixed_axes(AllowFixedAxes);
      if (LargestSize.HasValue)
        native.largest_size(LargestSize.Value);
      native.single_run(SingleRun);
      if (OtherValues.HasValue)
        native.other_values(OtherValues.Value);
      // Made until here.
      if (Resize != null)
        native.resize(Host.Hold(Resize));
      return native;
    } catch {
      native.Dispose();
      throw;
    }
  }
}

/// <summary>Axes of a traced code's inputs, in the order they were added.</summary>
public sealed class TraceAxes : IEnumerable<TraceAxis> {
  private readonly List<TraceAxis> axes = new List<TraceAxis>();

  internal TraceAxes() {}

  /// <summary>Makes an axis dynamic. A negative axis counts from the end; axes of one symbol have one size; without a
  /// symbol it has one of its own.</summary>
  public void Add(int input, long axis, string symbol = null) {
    axes.Add(new TraceAxis(input, axis, symbol));
  }

  /// <inheritdoc/>
  public IEnumerator<TraceAxis> GetEnumerator() {
    return axes.GetEnumerator();
  }

  IEnumerator IEnumerable.GetEnumerator() {
    return GetEnumerator();
  }
}

/// <summary>One axis of a traced code's input.</summary>
public sealed class TraceAxis {
  internal TraceAxis(int input, long axis, string symbol) {
    Input = input;
    Axis = axis;
    Symbol = symbol;
  }

  /// <summary>The input, among the tensors and numbers of the arguments, in order.</summary>
  public int Input { get; }
  /// <summary>Its axis.</summary>
  public long Axis { get; }
  /// <summary>The dimension's name, or null.</summary>
  public string Symbol { get; }
}

/// <summary>A run of the code that is traced, valid until that returns, on its thread.</summary>
public sealed class Trace {
  private readonly Thread thread = Thread.CurrentThread;
  private NativeTrace native;

  private Trace(NativeTrace native) {
    this.native = native;
  }

  internal static NativeProgram Record(NativeTrace native, TracedCode code) {
    bool again = RunOnce(native, code);
    while (again) {
      try {
        again = RunOnce(native, code);
      } catch (Exception e) when (!(e is TonnxException)) {
        native.fail(e.Message.Replace("\0", "\\0"));
        again = native.next();
      }
    }
    return native.end();
  }

  /// True: the code is to run again, on other inputs.
  private static bool RunOnce(NativeTrace native, TracedCode code) {
    var trace = new Trace(native);
    try {
      trace.Run(code);
    } finally {
      trace.native = null;
    }
    return native.next();
  }

  /// <summary>The same tensor as an input, at a new address that the caller owns: for hosts that delete what they wrap
  /// (TorchSharp's <c>Tensor.UnsafeCreateTensor</c>).</summary>
  public IntPtr NewInput(int index) {
    return new IntPtr(Open().new_input(index));
  }

  /// <summary>Declares a weight: where this tensor is read it becomes the named weight. To be called before the tensor
  /// is used. A tensor that is captured undeclared becomes a weight "constant_N".</summary>
  public void Weight(string name, IntPtr atTensor) {
    Require.NotNull(name, nameof(name));
    Open().weight(name, atTensor.ToInt64());
  }

  /// <summary>Adds a result, which is borrowed for the call.</summary>
  public void Output(IntPtr atTensor, string name = null) {
    Open().output(name ?? "", atTensor.ToInt64());
  }

  /// <summary>A size of a recorded tensor as a recorded value, where one run must do: the address of an at::Tensor of
  /// rank 0 and dtype int64, valid until the code returns.</summary>
  public IntPtr Size(IntPtr atTensor, long axis) {
    return new IntPtr(Open().recorded_size(atTensor.ToInt64(), axis));
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
    if (native == null)
      throw new ObjectDisposedException(nameof(Trace), "The code that it was given to has returned.");
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

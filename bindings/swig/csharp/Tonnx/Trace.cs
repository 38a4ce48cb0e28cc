using System;
using System.Collections;
using System.Collections.Generic;
using System.Threading;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>The traced code: runs LibTorch on the inputs and returns the results. Both are addresses of an
/// at::Tensor (TorchSharp's <c>Tensor.Handle</c>) of the LibTorch of the process. The inputs belong
/// to the trace and are valid until this returns. The results must live until then, too; if they cannot, pass them to
/// <see cref="Trace.Output"/> earlier and return null.</summary>
public delegate IntPtr[] TracedCode(Trace trace, IntPtr[] inputs);

/// <summary>How to trace. A plain object: a trace reads it at its start.</summary>
public sealed class TraceOptions {
  // Made from options.json by scripts/options.py.
  /// <summary>Weights share the storage of the declared or captured tensors. The caller must not write to it while the
  /// program or a model of it lives. If off, weights are copied when the run ends. Default: false.</summary>
  public bool ShareWeights { get; set; }
  /// <summary>Run the first recording again on its inputs before it becomes a program. The trace is refused if the
  /// results differ from what the code returned; the error names the first operator that differs. Further runs are
  /// compared with the first one. If off, a trace takes only the time of the code itself. Default: true.</summary>
  public bool Replay { get; set; } = true;
  /// <summary>An axis that is dynamic in every export, declared before the code runs, so that the code runs at several
  /// sizes. The input is an index into the tensors and numbers of the arguments. Negative axes count from the end. Axes
  /// with the same symbol have the same size; an axis without a symbol has its own. Default: none; an export can then
  /// have dynamic axes only with single_run.</summary>
  public TraceAxes DynamicAxes { get; } = new TraceAxes();
  /// <summary>A size to run the code at, in addition to those that tonnx chooses. The trace fails if the code does not
  /// run at it. Size 0 is run only if it is specified here, since the code may divide by the size; the results must
  /// equal those of the program recorded by the other runs. Default: only the sizes that tonnx chooses.</summary>
  public IDictionary<string, long[]> Sizes { get; } = new Dictionary<string, long[]>();
  /// <summary>If the code runs only at the example's size of a dynamic axis, or takes another path at other sizes, fix
  /// this axis in every export, and warn with the axis, the size and the reason. If off, the trace is refused. Default:
  /// false.</summary>
  public bool AllowFixedAxes { get; set; }
  /// <summary>The largest size at which tonnx runs the code on its own: first near the example, then at powers of two
  /// and sizes next to them, one dynamic axis at a time, while these runs are cheap compared with the others (large
  /// networks are run at fewer sizes). This finds thresholds in the code (n &gt; 512): the model follows them, or the
  /// trace is refused and the error names the operator and the size. The smallest and largest size that were run are in
  /// the report and in the model's metadata (tonnx.sizes). If the example is larger, sizes near it and below are run.
  /// 1: only sizes near the example. Default: 4096.</summary>
  public int? LargestSize { get; set; }
  /// <summary>Run the code once, even with dynamic axes. Numbers that the code computes from sizes are then constants
  /// of the model, and exports may declare any axis dynamic. Default: false.</summary>
  public bool SingleRun { get; set; }
  /// <summary>Also run the code on other values of the same sizes: the example's values in another order, negated, and
  /// zeros; if the code reads numbers by item(), equal() or similar operators, also three variants of the example with
  /// low, high and no numbers in their place. The trace is refused if the code behaves differently; the error names the
  /// operator and the reads. A warning is reported if the code runs on none of these values. If the code is run only
  /// once, warnings name each read of a number, each value to whose elements the code took a pointer (data_ptr(), an
  /// accessor, DLPack), and each operator whose output sizes depend on data (nonzero, unique), since the model keeps
  /// what the code computed from them. Reads through pointers to const elements (const_data_ptr()) are found only by
  /// this option. Default: on if the code runs at several sizes and single_run is off.</summary>
  public bool? OtherValues { get; set; }
  // Made until here.
  /// <summary>Follows and cancels the traces. Default: none.</summary>
  public Observer Observer { get; set; }
  /// <summary>Creates the inputs of further runs: arguments like the example's, with these sizes by
  /// symbol; the trace disposes of them. Its exception is the inner exception of the
  /// TonnxException with which the trace ends. Default: the example's elements, cut off or repeated.</summary>
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
      Observer?.Lend(native.observer);
      return native;
    } catch {
      native.Dispose();
      throw;
    }
  }
}

/// <summary>Axes of a traced code's inputs, in the order in which they were added.</summary>
public sealed class TraceAxes : IEnumerable<TraceAxis> {
  private readonly List<TraceAxis> axes = new List<TraceAxis>();

  internal TraceAxes() {}

  /// <summary>Makes an axis dynamic. A negative axis counts from the end; axes with the same symbol have the same size;
  /// an axis without a symbol has its own.</summary>
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

  /// <summary>Index of the input among the tensors and numbers of the arguments.</summary>
  public int Input { get; }
  /// <summary>Its axis.</summary>
  public long Axis { get; }
  /// <summary>The dimension's name, or null.</summary>
  public string Symbol { get; }
}

/// <summary>A run of the traced code, valid until the code returns, on its thread.</summary>
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
        Host.Refuse(native.fail_with, e);
        again = native.next();
      }
    }
    return native.end();
  }

  /// Returns true if the code must run again, on other inputs.
  private static bool RunOnce(NativeTrace native, TracedCode code) {
    var trace = new Trace(native);
    try {
      trace.Run(code);
    } finally {
      trace.native = null;
    }
    return native.next();
  }

  /// <summary>The same tensor as an input, at a new address that the caller owns: for hosts that delete the tensors
  /// they wrap (TorchSharp's <c>Tensor.UnsafeCreateTensor</c>).</summary>
  public IntPtr NewInput(int index) {
    return new IntPtr(Open().new_input(index));
  }

  /// <summary>Declares a weight: reads of this tensor become reads of the named weight. Call it before
  /// the tensor is used. A captured tensor that is not declared becomes a weight "constant_N".</summary>
  public void Weight(string name, IntPtr atTensor) {
    Require.NotNull(name, nameof(name));
    Open().weight(name, atTensor.ToInt64());
  }

  /// <summary>Adds a result, which is borrowed for the call.</summary>
  public void Output(IntPtr atTensor, string name = null) {
    Open().output(name ?? "", atTensor.ToInt64());
  }

  /// <summary>A size of a recorded tensor as a recorded value, for traces with a single run: the address of an
  /// at::Tensor of rank 0 and dtype int64, valid until the code returns.</summary>
  public IntPtr Size(IntPtr atTensor, long axis) {
    return new IntPtr(Open().recorded_size(atTensor.ToInt64(), axis));
  }

  /// <summary>Operators until the result is disposed of belong to the module <paramref name="name"/> ("fc1") of class
  /// <paramref name="type"/> ("Linear"). Calls may be nested.</summary>
  public IDisposable Module(string type, string name) {
    Require.NotNull(type, nameof(type));
    Require.NotNull(name, nameof(name));
    return new Entered(this, Open().enter(type, name));
  }

  /// <summary>Runs code as one function: its operators are one operator, which a symbolic <c>prim::PythonOp.NAME</c> or
  /// <c>prim::PythonOp</c> converts. Without one, an export converts the operators, unless <see
  /// cref="Options.AutogradInlining"/> is off. The arguments that are not tensors may be null. The body returns the
  /// tensors that code after it reads, at least one; their objects must live until this method returns, so keep them in
  /// variables outside of the body. Functions may be nested. A function whose body throws is dropped: its operators
  /// stay in the program.</summary>
  public IntPtr[] Function(string name, IntPtr[] inputs, Attributes arguments, Func<IntPtr[]> body) {
    Require.NotNull(name, nameof(name));
    Require.NotNull(inputs, nameof(inputs));
    Require.NotNull(body, nameof(body));
    using (NativeAttributes given = arguments?.ToNative()) Open().begin_function(name, Addresses(inputs), given);
    try {
      IntPtr[] outputs = body();
      Open().end_function(Addresses(outputs));
      return outputs;
    } catch {
      try {
        native?.abandon_function();
      } catch {
        // The caller needs the exception of the body, not that of the cleanup.
      }
      throw;
    }
  }

  private static long[] Addresses(IntPtr[] tensors) {
    Require.NotNull(tensors, nameof(tensors));
    return Array.ConvertAll(tensors, tensor => tensor.ToInt64());
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
    private readonly int depth;
    private Trace trace;

    internal Entered(Trace trace, int depth) {
      this.trace = trace;
      this.depth = depth;
    }

    public void Dispose() {
      trace?.Open().leave(depth);
      trace = null;
    }
  }
}

}

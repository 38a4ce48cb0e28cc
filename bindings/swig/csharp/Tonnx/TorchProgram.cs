using System;
using System.Collections.Generic;
using System.Threading;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>A LibTorch program: a loaded archive, compiled source text, a module of the process or a trace.
/// Several threads may use it at once.</summary>
public sealed class TorchProgram : IDisposable {
  private TorchProgram(NativeProgram native) {
    Handle = new Handle<NativeProgram>(nameof(TorchProgram), native);
  }

  internal Handle<NativeProgram> Handle { get; }

  /// <summary>Loads a TorchScript archive (.pt) or an exported program (.pt2). Does not read the bytes of the weights:
  /// the file must stay in place, unchanged, while the program or a model made of it lives.</summary>
  public static TorchProgram Load(string path) {
    Require.NotNull(path, nameof(path));
    NativeRuntime.Start();
    return new TorchProgram(NativeProgram.load(path));
  }

  /// <summary>Same, from memory; the bytes are copied.</summary>
  public static TorchProgram Load(byte[] archive) {
    Require.NotNull(archive, nameof(archive));
    NativeRuntime.Start();
    using (var pinned = new Pinned(archive)) return new TorchProgram(
        NativeProgram.load_bytes(pinned.Address, archive.LongLength));
  }

  /// <summary>The same program with other weights: those of a state dict of torch.save, of a .safetensors file or of
  /// the index of several, for an exported program (.pt2). A missing weight is allowed if it is tied to one that is
  /// present. The file must stay unchanged while the program or a model made of it lives; a weight that does not fit is
  /// reported by the export.</summary>
  public TorchProgram WithWeights(string path) {
    Require.NotNull(path, nameof(path));
    return new TorchProgram(Handle.Use(p => p.with_weights(path)));
  }

  /// <summary>Compiles TorchScript source text in this process. Every function is a method of the program; an export
  /// takes "forward" by default, or the last function if none has this name. Functions with a first parameter self are
  /// methods of a module, whose attributes are the keyword arguments, or the only dict, of the attributes: tensors are
  /// the model's weights under these names, "layer1.weight" is self.layer1.weight, other values are constants.
  /// torch.NAME is LibTorch's operator; torch.nn and classes are not available.</summary> <param name="source">The
  /// text.</param> <param name="attributes">Of the module; null: none.</param> <param name="file">Name of the text in
  /// messages and locations.</param> <exception cref="TonnxException">Status.Program, with the location, if the text
  /// does not compile.</exception>
  public static TorchProgram Compile(string source, Args attributes = null, string file = "") {
    Require.NotNull(source, nameof(source));
    Require.NotNull(file, nameof(file));
    NativeRuntime.Start();
    return new TorchProgram(attributes == null ? NativeProgram.compile(source, file, null)
                                               : attributes.Handle.Use(a => NativeProgram.compile(source, file, a)));
  }

  /// <summary>Copies a TorchScript module of this process.</summary>
  /// <param name="module">A torch::jit::Module * of the LibTorch of the process, borrowed for the call. It
  /// must not be changed or run during the call.</param> <param name="shareWeights">Share the module's tensors, which
  /// must not be written to while the program or a model made of it lives; otherwise they are copied.</param>
  public static TorchProgram FromModule(IntPtr module, bool shareWeights = false) {
    NativeRuntime.Start();
    return new TorchProgram(NativeProgram.from_module(module.ToInt64(), shareWeights));
  }

  /// <summary>Records LibTorch code on the tensors of the arguments: all operators that this thread runs
  /// on tensors reached from the code's inputs, in its grad mode. The results are kept, and <see
  /// cref="Model.Verify(TorchProgram, Args)"/> compares with them. The code runs on this thread, at several sizes if
  /// the options declare dynamic axes. An exception of the first run is thrown by this call; if a later run throws,
  /// another size is tried. A nested trace is refused.</summary>
  public static TorchProgram Trace(Args args, TracedCode code, TraceOptions options = null) {
    Require.NotNull(args, nameof(args));
    Require.NotNull(code, nameof(code));
    Thread.BeginThreadAffinity();
    try {
      using (NativeTraceOptions how = options?.ToNative()) using (
          NativeTrace trace = args.Handle.Use(
              a => new NativeTrace(a, how))) return new TorchProgram(global::Tonnx.Trace.Record(trace, code));
    } finally {
      Thread.EndThreadAffinity();
    }
  }

  /// <summary>Methods that can be exported.</summary>
  public IReadOnlyList<string> Methods => Handle.Use(p => p.methods());

  /// <summary>The unconverted program, in a format other than Full.</summary>
  public string Text(Args args, Options options = null, TextFormat format = TextFormat.Short) {
    Require.NotNull(args, nameof(args));
    using (NativeOptions native =
               options?.ToNative()) return Handle.Use(p => args.Handle.Use(a => p.text(a, native, (int)format)));
  }

  /// <summary>Inputs, outputs, weights and operators of the unconverted program: of the options' method, called with
  /// these arguments; a new object. Fails like Text.</summary>
  public Contents Contents(Args args, Options options = null) {
    Require.NotNull(args, nameof(args));
    using (NativeOptions native =
               options?.ToNative()) return new Contents(Handle.Use(p => args.Handle.Use(a => p.contents(a, native))));
  }

  /// <summary>Exports the program. Several threads may export at the same time.</summary>
  /// <param name="args">Example inputs.</param>
  /// <param name="options">How to export; null: all defaults.</param>
  /// <param name="registry">The caller's symbolics; null: only built-in lowerings.</param>
  /// <exception cref="TonnxException">Why it cannot be exported, with every reason.</exception>
  public Model Export(Args args, Options options = null, Registry registry = null) {
    Require.NotNull(args, nameof(args));
    using (NativeOptions native = options?.ToNative()) return Handle.Use(
        p => args.Handle.Use(a => registry == null
                                      ? new Model(Native.export_program(p, a, native, null))
                                      : registry.Handle.Use(r => new Model(Native.export_program(p, a, native, r)))));
  }

  /// <summary>Exports the program for each group of arguments, and describes the first node at which a model differs
  /// from that of the first group; "" if all are equal. For traced code, trace it with each group, and compare the
  /// models by <see cref="Model.Difference"/>.</summary> <param name="groups">Example inputs, group by group; two or
  /// more.</param> <param name="options">How to export; null: all defaults.</param> <param name="registry">The caller's
  /// symbolics; null: only built-in lowerings.</param> <exception cref="TonnxException">Why it cannot be exported, or
  /// that there are too few groups.</exception>
  public string ExportDifference(IReadOnlyList<Args> groups, Options options = null, Registry registry = null) {
    Require.NotNull(groups, nameof(groups));
    using (NativeOptions native = options?.ToNative()) using (var given = new NativeGroups()) return Handle.Use(
        p => Lend(groups, 0, given,
                  () => registry == null ? Native.export_difference(p, given, native, null)
                                         : registry.Handle.Use(r => Native.export_difference(p, given, native, r))));
  }

  // Keeps every group open during the call.
  private static string Lend(IReadOnlyList<Args> groups, int from, NativeGroups given, Func<string> call) {
    if (from == groups.Count)
      return call();
    return Require.NotNull(groups[from], nameof(groups)).Handle.Use(args => {
      given.add(args);
      return Lend(groups, from + 1, given, call);
    });
  }

  /// <summary>Exports the program and compares its model with LibTorch. If they differ, the program is split into
  /// halves repeatedly; each half is exported and compared on its own, down to the operators that differ. A difference
  /// is not an exception: <see cref="Mismatch.Found"/> reports it.</summary> <param name="args">Example inputs; a trace
  /// needs none.</param> <param name="options">How to export; null: all defaults.</param> <param name="registry">The
  /// caller's symbolics; null: only built-in lowerings.</param> <param name="verification">How to compare; null: all
  /// defaults.</param> <exception cref="TonnxException">Why it cannot be exported, or its parts cannot be
  /// compared.</exception>
  public Mismatch FindMismatch(Args args, Options options = null, Registry registry = null,
                               VerifyOptions verification = null) {
    Require.NotNull(args, nameof(args));
    using (NativeOptions native = options?.ToNative()) using (NativeVerifyOptions how =
                                                                  verification?.ToNative()) return Handle
        .Use(p => args.Handle.Use(a => registry == null ? new Mismatch(Native.find_mismatch(p, a, native, null, how))
                                                        : registry.Handle.Use(r => new Mismatch(Native.find_mismatch(
                                                                                  p, a, native, r, how)))));
  }

  /// <summary>Frees the object; a second call does nothing. Its models stay valid.</summary>
  public void Dispose() {
    Handle.Close();
  }
}

}

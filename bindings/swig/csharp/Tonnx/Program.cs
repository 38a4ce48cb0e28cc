using System;
using System.Collections.Generic;
using System.Threading;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>A LibTorch program: a loaded archive, compiled source text, a module of the process or a recorded call. Any
/// thread may use it, several at once too.</summary>
public sealed class Program : IDisposable {
  private Program(NativeProgram native) {
    Handle = new Handle<NativeProgram>(nameof(Program), native);
  }

  internal Handle<NativeProgram> Handle { get; }

  /// <summary>Loads a TorchScript archive (.pt). The bytes of its weights are not read now: the file must stay in place
  /// and unchanged as long as the program or a model made of it lives.</summary>
  public static Program Load(string path) {
    Require.NotNull(path, nameof(path));
    NativeRuntime.Start();
    return new Program(NativeProgram.load(path));
  }

  /// <summary>The same from memory; the bytes are copied.</summary>
  public static Program Load(byte[] archive) {
    Require.NotNull(archive, nameof(archive));
    NativeRuntime.Start();
    using (var pinned =
               new Pinned(archive)) return new Program(NativeProgram.load_bytes(pinned.Address, archive.LongLength));
  }

  /// <summary>The same program with other weights: those of a state dict of torch.save, of a .safetensors file or of
  /// the index of several, for an exported program (.pt2). A weight that the file lacks follows the one it is tied to.
  /// The file must stay as it is as long as the program or a model made of it lives; that a weight does not fit is told
  /// by the export.</summary>
  public Program WithWeights(string path) {
    Require.NotNull(path, nameof(path));
    return new Program(Handle.Use(p => p.with_weights(path)));
  }

  /// <summary>Compiles TorchScript source text in this process. Every function is a method of the program: "forward",
  /// or the last one where none is called so, is what an export takes by default. Those with a first parameter self are
  /// methods of a module, whose attributes are the keywords, or the one dict, of the attributes: tensors are the
  /// model's weights under these names, "layer1.weight" is self.layer1.weight, other values are constants. torch.NAME
  /// is LibTorch's operator; torch.nn and classes are not there.</summary> <param name="source">The text.</param>
  /// <param name="attributes">Of the module; null: none.</param>
  /// <param name="file">Names the text in messages and places.</param>
  /// <exception cref="TonnxException">Status.Program with the place if the text does not compile.</exception>
  public static Program Compile(string source, Args attributes = null, string file = "") {
    Require.NotNull(source, nameof(source));
    Require.NotNull(file, nameof(file));
    NativeRuntime.Start();
    return new Program(attributes == null ? NativeProgram.compile(source, file, null)
                                          : attributes.Handle.Use(a => NativeProgram.compile(source, file, a)));
  }

  /// <summary>Copies a TorchScript module of this process.</summary>
  /// <param name="module">A torch::jit::Module * of the LibTorch that tonnx is linked with, borrowed for the call,
  /// during which nobody may change or run it.</param> <param name="shareWeights">Share the module's tensors, to which
  /// nobody may write then as long as the program or a model made of it lives; otherwise it has copies.</param>
  public static Program FromModule(IntPtr module, bool shareWeights = false) {
    NativeRuntime.Start();
    return new Program(NativeProgram.from_module(module.ToInt64(), shareWeights));
  }

  /// <summary>Records LibTorch code on the tensors of the arguments: what this thread runs on tensors reached from the
  /// code's inputs, in its grad mode. The results are kept, and <see cref="Model.Verify(Program, Args)"/> compares with
  /// them. The code runs on this thread, at several sizes where the options tell dynamic axes. What it throws comes out
  /// of this call, but in a later run another size is tried. A trace inside a trace is refused.</summary>
  public static Program Trace(Args args, TracedCode code, TraceOptions options = null) {
    Require.NotNull(args, nameof(args));
    Require.NotNull(code, nameof(code));
    Thread.BeginThreadAffinity();
    try {
      using (NativeTraceOptions how = options?.ToNative()) using (
          NativeTrace trace = args.Handle.Use(
              a => new NativeTrace(a, how))) return new Program(global::Tonnx.Trace.Record(trace, code));
    } finally {
      Thread.EndThreadAffinity();
    }
  }

  /// <summary>Methods that can be exported.</summary>
  public IReadOnlyList<string> Methods => Handle.Use(p => p.methods());

  /// <summary>The unconverted program's text form.</summary>
  public string Text(Args args, Options options = null) {
    Require.NotNull(args, nameof(args));
    using (NativeOptions native = options?.ToNative()) return Handle.Use(p => args.Handle.Use(a => p.text(a, native)));
  }

  /// <summary>Exports the program. Exports may run at once on several threads.</summary>
  /// <param name="args">Example inputs.</param>
  /// <param name="options">How to export; null: all defaults.</param>
  /// <param name="registry">The caller's symbolics; null: built-in lowerings alone.</param>
  /// <exception cref="TonnxException">Why it cannot be exported, with every reason.</exception>
  public Model Export(Args args, Options options = null, Registry registry = null) {
    Require.NotNull(args, nameof(args));
    using (NativeOptions native = options?.ToNative()) return Handle.Use(
        p => args.Handle.Use(a => registry == null
                                      ? new Model(Native.export_program(p, a, native, null))
                                      : registry.Handle.Use(r => new Model(Native.export_program(p, a, native, r)))));
  }

  /// <summary>Exports the program for each group of arguments, and tells where a model is first built otherwise than
  /// that of the first group; "" where none is. Of code that is traced, trace it with each group, and compare the
  /// models by <see cref="Model.Difference"/>.</summary> <param name="groups">Example inputs, group by group; two or
  /// more.</param> <param name="options">How to export; null: all defaults.</param> <param name="registry">The caller's
  /// symbolics; null: built-in lowerings alone.</param> <exception cref="TonnxException">Why it cannot be exported, or
  /// that there are too few groups.</exception>
  public string ExportDifference(IReadOnlyList<Args> groups, Options options = null, Registry registry = null) {
    Require.NotNull(groups, nameof(groups));
    using (NativeOptions native = options?.ToNative()) using (var given = new NativeGroups()) return Handle.Use(
        p => Lend(groups, 0, given,
                  () => registry == null ? Native.export_difference(p, given, native, null)
                                         : registry.Handle.Use(r => Native.export_difference(p, given, native, r))));
  }

  // Holds every group open during the call.
  private static string Lend(IReadOnlyList<Args> groups, int from, NativeGroups given, Func<string> call) {
    if (from == groups.Count)
      return call();
    return Require.NotNull(groups[from], nameof(groups)).Handle.Use(args => {
      given.add(args);
      return Lend(groups, from + 1, given, call);
    });
  }

  /// <summary>Exports the program and compares its model with LibTorch. Where they differ, the program is cut into
  /// halves over and over, each exported and compared on its own, down to the operators that differ. That they differ
  /// is no exception: <see cref="Mismatch.Found"/> tells.</summary> <param name="args">Example inputs; of a trace none
  /// are needed.</param> <param name="options">How to export; null: all defaults.</param> <param name="registry">The
  /// caller's symbolics; null: built-in lowerings alone.</param> <param name="verification">How to compare; null: all
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

  /// <summary>Frees it; a second time does nothing. Models made of it live on.</summary>
  public void Dispose() {
    Handle.Close();
  }
}

}

using System;
using System.Collections.Generic;
using System.Threading;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>A LibTorch program: a loaded archive or a recorded call. Any thread may use it, several at once too.</summary>
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
    using (var pinned = new Pinned(archive))
      return new Program(NativeProgram.load_bytes(pinned.Address, archive.LongLength));
  }

  /// <summary>Records LibTorch code on the tensors of the arguments: what this thread runs on tensors reached from the
  /// code's inputs, in its grad mode. The results are kept, and <see cref="Model.Verify(Program, Args)"/> compares with
  /// them. The code runs on this thread, at several sizes where the options tell dynamic axes. What it throws comes out of
  /// this call, but in a later run another size is tried. A trace inside a trace is refused.</summary>
  public static Program Trace(Args args, TracedCode code, TraceOptions options = null) {
    Require.NotNull(args, nameof(args));
    Require.NotNull(code, nameof(code));
    Thread.BeginThreadAffinity();
    try {
      using (NativeTraceOptions how = options?.ToNative())
      using (NativeTrace trace = args.Handle.Use(a => new NativeTrace(a, how)))
        return new Program(global::Tonnx.Trace.Record(trace, code));
    } finally {
      Thread.EndThreadAffinity();
    }
  }

  /// <summary>Methods that can be exported.</summary>
  public IReadOnlyList<string> Methods => Handle.Use(p => p.methods());

  /// <summary>The unconverted program's text form.</summary>
  public string Text(Args args, Options options = null) {
    Require.NotNull(args, nameof(args));
    using (NativeOptions native = options?.ToNative())
      return Handle.Use(p => args.Handle.Use(a => p.text(a, native)));
  }

  /// <summary>Exports the program. Exports may run at once on several threads.</summary>
  /// <param name="args">Example inputs.</param>
  /// <param name="options">How to export; null: all defaults.</param>
  /// <param name="registry">The caller's symbolics; null: built-in lowerings alone.</param>
  /// <exception cref="TonnxException">Why it cannot be exported, with every reason.</exception>
  public Model Export(Args args, Options options = null, Registry registry = null) {
    Require.NotNull(args, nameof(args));
    using (NativeOptions native = options?.ToNative())
      return Handle.Use(p => args.Handle.Use(a => registry == null
          ? new Model(Native.export_program(p, a, native, null))
          : registry.Handle.Use(r => new Model(Native.export_program(p, a, native, r)))));
  }

  /// <summary>Frees it; a second time does nothing. Models made of it live on.</summary>
  public void Dispose() {
    Handle.Close();
  }
}

}

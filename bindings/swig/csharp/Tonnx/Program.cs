using System;
using System.Collections.Generic;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>A LibTorch program, loaded from an archive. Any thread may use it, several at once too.</summary>
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

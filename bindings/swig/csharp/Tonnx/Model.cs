using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.ExceptionServices;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>A model's text forms.</summary>
public enum TextFormat {
  /// <summary>One line per node.</summary>
  Short = 0,
  /// <summary>The protobuf message as text, without the bytes of the weights.</summary>
  Full = 1,
  /// <summary>A picture of the graph by module.</summary>
  Svg = 2,
  /// <summary>A page for a web browser with the same picture; modules open and close.</summary>
  Html = 3
}

/// <summary>A finished ONNX model. Several threads may use it at once.</summary>
public sealed class Model : IDisposable {
  private readonly Handle<NativeModel> handle;

  internal Model(NativeModel native) {
    handle = new Handle<NativeModel>(nameof(Model), native);
  }

  /// <summary>Inputs, outputs, weights and operators of the model; a new object.</summary>
  public Contents Contents() {
    return new Contents(handle.Use(m => m.contents()));
  }

  /// <summary>Names of the inputs.</summary>
  public IReadOnlyList<string> InputNames => handle.Use(m => m.input_names());
  /// <summary>Names of the outputs.</summary>
  public IReadOnlyList<string> OutputNames => handle.Use(m => m.output_names());
  /// <summary>Opset of the default domain.</summary>
  public int Opset => handle.Use(m => m.opset());
  /// <summary>The model's IR version.</summary>
  public int IrVersion => handle.Use(m => m.ir_version());
  /// <summary>Warnings of the export.</summary>
  public IReadOnlyList<string> Warnings => handle.Use(m => m.warnings());
  /// <summary>Report of the export, a JSON object.</summary>
  public string Report => handle.Use(m => m.report());

  /// <summary>How the program is called, as a JSON object: the trees of its arguments and of its result, with the names
  /// of inputs and outputs as leaves; "" if the program does not have them. The model has it as its metadata
  /// "tonnx.call".</summary>
  public string Call => handle.Use(m => m.call());

  /// <summary>The tensors for the model's inputs that correspond to arguments of an exported program, in the order of
  /// the inputs: nested values are flattened, values that are fixed in the program are omitted, complex tensors have a
  /// last axis of 2.</summary>
  public IReadOnlyList<TensorData> FlatInputs(Args args) {
    Require.NotNull(args, nameof(args));
    return Flat(handle.Use(m => args.Handle.Use(m.flat_inputs)));
  }

  /// <summary>The tensors that the outputs are for a result of the program, which is the one argument; several are a
  /// tuple of them.</summary>
  public IReadOnlyList<TensorData> FlatOutputs(Args results) {
    Require.NotNull(results, nameof(results));
    return Flat(handle.Use(m => results.Handle.Use(m.flat_outputs)));
  }

  private static IReadOnlyList<TensorData> Flat(NativeArgs native) {
    using (var list = new Args(native)) {
      var tensors = new List<TensorData>();
      for (int i = 0; i < list.Count; ++i) tensors.Add(list.Get(i));
      return tensors;
    }
  }

  /// <summary>Writes the model to a file. Each file appears complete or not at all. If the observer of the options
  /// cancels, none appears.</summary>
  /// <param name="path">The file.</param>
  /// <param name="options">How; null: the defaults.</param>
  public void Save(string path, SaveOptions options = null) {
    Require.NotNull(path, nameof(path));
    using (NativeSaveOptions how = options?.ToNative()) handle.Use(m => m.save(path, how));
  }

  /// <summary>Writes the file's bytes to a stream; what the stream throws comes out unchanged.</summary>
  public void Write(Stream stream) {
    Require.NotNull(stream, nameof(stream));
    long number = Host.Hold(new Sink(stream));
    try {
      handle.Use(m => m.write(number));
    } catch (TonnxException e) when (e.InnerException != null) {
      ExceptionDispatchInfo.Capture(e.InnerException).Throw();
    } finally {
      Host.Release(number);
    }
  }

  /// <summary>The file's bytes.</summary>
  public byte[] ToBytes() {
    var stream = new MemoryStream();
    Write(stream);
    return stream.ToArray();
  }

  /// <summary>The model as text.</summary>
  public string Text(TextFormat format = TextFormat.Short) {
    return handle.Use(m => m.text((int)format));
  }

  /// <summary>Describes the first node at which this model and the other one differ: an operator, attribute, constant
  /// or weight, or another source of a value. "" if they are equal, whatever their sizes.</summary>
  public string Difference(Model other) {
    Require.NotNull(other, nameof(other));
    return handle.Use(m => other.handle.Use(o => m.difference(o)));
  }

  /// <summary>Runs the ONNX checker.</summary>
  public void Check() {
    handle.Use(m => m.check());
  }

  /// <summary>Runs the model in ONNX Runtime and the program in LibTorch, and compares count, dtype, shape and values,
  /// at the example's sizes and at another one of each dynamic axis. A trace is compared with the results of its code.
  /// ONNX Runtime is looked for at $TONNX_ONNXRUNTIME, then where the loader looks.</summary> <param name="program">The
  /// program of the model.</param> <param name="args">Inputs of both; null: those of the trace.</param> <exception
  /// cref="TonnxException">With <see cref="Status.Verification"/>: the first output that differs, the
  /// element, and by how much, or a dynamic axis at whose other sizes LibTorch itself does not run. With <see
  /// cref="Status.Argument"/>: the inputs that do not fit the model. With <see cref="Status.File"/>: ONNX Runtime
  /// cannot be loaded or is too old for the model.</exception>
  public void Verify(TorchProgram program, Args args = null) {
    Require.NotNull(program, nameof(program));
    handle.Use(m => program.Handle.Use(p => {
      if (args == null)
        m.verify(p, null);
      else
        args.Handle.Use(a => m.verify(p, a));
    }));
  }

  /// <summary>Same, with options.</summary>
  /// <param name="program">The program of the model.</param>
  /// <param name="args">Inputs of both; null: those of the trace.</param>
  /// <param name="options">How.</param>
  /// <returns>What could not be verified: dynamic axes at whose other sizes LibTorch itself does not run.</returns>
  public IReadOnlyList<string> Verify(TorchProgram program, Args args, VerifyOptions options) {
    Require.NotNull(program, nameof(program));
    Require.NotNull(options, nameof(options));
    using (NativeVerifyOptions how = options.ToNative()) return handle.Use(
        m => program.Handle.Use(p => args == null ? m.verify_with(p, null, how)
                                                  : args.Handle.Use(a => m.verify_with(p, a, how))));
  }

  /// <summary>Frees the object; a second call does nothing.</summary>
  public void Dispose() {
    handle.Close();
  }
}

}

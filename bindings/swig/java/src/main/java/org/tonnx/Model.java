package org.tonnx;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.tonnx.internal.NativeArgs;
import org.tonnx.internal.NativeModel;
import org.tonnx.internal.NativeProgram;
import org.tonnx.internal.NativeVerifyOptions;

/** A finished ONNX model: its graph in memory, its weights where they lie in the archive. */
public final class Model implements AutoCloseable {
  final Handle<NativeModel> handle;

  Model(NativeModel peer) {
    handle = new Handle<>(this, peer, NativeModel::delete);
  }

  /**
   * Writes the model; weights go beside it if it would pass 2 GiB. Each file appears whole or not at all.
   *
   * @param path the file
   */
  public void save(Path path) {
    save(path, ExternalData.AUTO);
  }

  /**
   * Writes the model. Each file appears whole or not at all.
   *
   * @param path the file
   * @param externalData where the weights go
   */
  public void save(Path path, ExternalData externalData) {
    Objects.requireNonNull(path, "path");
    int code = externalData.code;
    handle.run(peer -> peer.save(path.toString(), code));
  }

  /**
   * Writes the file's bytes, without holding them all in memory.
   *
   * @param stream where to; it is not closed
   * @throws IOException what the stream throws; its unchecked exceptions come out unchanged, too
   */
  public void write(OutputStream stream) throws IOException {
    Objects.requireNonNull(stream, "stream");
    Callbacks.Sink sink = new Callbacks.Sink(stream);
    long number = Callbacks.keep(sink);
    try {
      handle.run(peer -> peer.write(number));
    } catch (TonnxException e) {
      if (sink.thrown != null) {
        throw Model.<IOException>unchanged(sink.thrown);
      }
      throw e;
    } finally {
      Callbacks.dropSink(number);
    }
  }

  /**
   * The file's bytes, for a model below 2 GiB.
   *
   * @return a new array
   */
  public byte[] bytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /**
   * The model as text, one line a node.
   *
   * @return the text
   */
  public String text() {
    return text(TextFormat.SHORT);
  }

  /**
   * The model as text.
   *
   * @param format how
   * @return the text
   */
  public String text(TextFormat format) {
    int code = format.code;
    return handle.read(peer -> peer.text(code));
  }

  /**
   * Where this model and the other one are first built otherwise: an operator, attribute, constant or weight, or a
   * value read from elsewhere.
   *
   * @param other the other one
   * @return lines for people; "" where they are built alike, whatever their sizes
   */
  public String difference(Model other) {
    Objects.requireNonNull(other, "other");
    return handle.read(peer -> other.handle.read(second -> peer.difference(second)));
  }

  /** Runs the ONNX checker; a {@link TonnxException} with its text if the model is invalid. */
  public void check() {
    handle.run(NativeModel::check);
  }

  /**
   * Runs the model of a trace in ONNX Runtime and compares with what the traced code gave.
   *
   * @param program the trace that the model was made of
   * @throws TonnxException as below
   */
  public void verify(Program program) {
    verify(program, null);
  }

  /**
   * Runs the model in ONNX Runtime and the program in LibTorch, and compares count, dtype, shape and values, at the
   * example's sizes and at another one of each dynamic axis, within tolerances that suit the dtype. A trace is compared
   * with what its code gave. ONNX Runtime is looked for at the environment's TONNX_ONNXRUNTIME, then where the loader
   * looks.
   *
   * @param program what the model was made of
   * @param args the inputs; null for those of a trace
   * @throws TonnxException with {@link Status#VERIFICATION}: the first output that differs, where, and by how much, or
   *     a dynamic axis at whose other sizes LibTorch itself does not run; with {@link Status#ARGUMENT}: the inputs that
   *     do not fit the model; with {@link Status#FILE}: ONNX Runtime cannot be loaded or is too old for the model
   */
  public void verify(Program program, Args args) {
    try (Handle.Use<NativeModel> model = handle.use(); Handle.Use<NativeProgram> torch = program.handle.use();
        Handle.Use<NativeArgs> inputs = args == null ? null : args.handle.use()) {
      model.peer().verify(torch.peer(), inputs == null ? null : inputs.peer());
    }
  }

  /**
   * The same with options.
   *
   * @param program what the model was made of
   * @param args the inputs; null for those of a trace
   * @param options how
   * @return what could not be verified: dynamic axes at whose other sizes LibTorch itself does not run
   */
  public List<String> verify(Program program, Args args, VerifyOptions options) {
    NativeVerifyOptions how = options.peer();
    try (Handle.Use<NativeModel> model = handle.use(); Handle.Use<NativeProgram> torch = program.handle.use();
        Handle.Use<NativeArgs> inputs = args == null ? null : args.handle.use()) {
      return Text.list(model.peer().verifyWith(torch.peer(), inputs == null ? null : inputs.peer(), how));
    } finally {
      how.delete();
    }
  }

  /**
   * The tensors that the inputs get for arguments of an exported program, in the order of the inputs: nested values are
   * opened, what is fixed in the program is left out, complex tensors have a last axis of 2.
   *
   * @param args arguments of the program
   * @return new tensors
   */
  public List<Tensor> flatInputs(Args args) {
    try (Handle.Use<NativeModel> model = handle.use(); Handle.Use<NativeArgs> given = args.handle.use()) {
      return flat(model.peer().flatInputs(given.peer()));
    }
  }

  /**
   * The tensors that the outputs are for a result of an exported program, in the order of the outputs.
   *
   * @param results the result as the one argument; several are a tuple of them
   * @return new tensors
   */
  public List<Tensor> flatOutputs(Args results) {
    try (Handle.Use<NativeModel> model = handle.use(); Handle.Use<NativeArgs> given = results.handle.use()) {
      return flat(model.peer().flatOutputs(given.peer()));
    }
  }

  private static List<Tensor> flat(NativeArgs peer) {
    try (Args list = new Args(peer)) {
      List<Tensor> tensors = new ArrayList<>();
      for (int i = 0; i < list.count(); ++i) {
        tensors.add(list.tensor(i));
      }
      return Collections.unmodifiableList(tensors);
    }
  }

  /**
   * How the program is called: the trees of its arguments and of its result, with the names of inputs and outputs as
   * leaves. The model has it as its metadata "tonnx.call".
   *
   * @return a JSON object; "" where the program does not tell
   */
  public String call() {
    return handle.read(NativeModel::call);
  }

  /**
   * The names of the inputs.
   *
   * @return an unmodifiable list
   */
  public List<String> inputNames() {
    return Text.list(handle.read(NativeModel::inputNames));
  }

  /**
   * The names of the outputs.
   *
   * @return an unmodifiable list
   */
  public List<String> outputNames() {
    return Text.list(handle.read(NativeModel::outputNames));
  }

  /**
   * The opset of the default domain.
   *
   * @return the opset
   */
  public int opset() {
    return handle.read(NativeModel::opset);
  }

  /**
   * The version of ONNX's file format.
   *
   * @return the version
   */
  public int irVersion() {
    return handle.read(NativeModel::irVersion);
  }

  /**
   * What the export warns of.
   *
   * @return an unmodifiable list
   */
  public List<String> warnings() {
    return Text.list(handle.read(NativeModel::warnings));
  }

  /**
   * All that the export found.
   *
   * @return a JSON object
   */
  public String report() {
    return handle.read(NativeModel::report);
  }

  /** Throws it whatever its type: other languages let checked exceptions out of a stream, too. */
  @SuppressWarnings("unchecked")
  private static <T extends Throwable> T unchanged(Throwable thrown) throws T {
    throw (T) thrown;
  }

  @Override
  public void close() {
    handle.close();
  }
}

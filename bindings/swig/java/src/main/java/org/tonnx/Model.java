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
import org.tonnx.internal.NativeSaveOptions;
import org.tonnx.internal.NativeVerifyOptions;

/** A finished ONNX model: its graph is in memory, its weights stay in the archive. */
public final class Model implements AutoCloseable {
  final Handle<NativeModel> handle;

  Model(NativeModel peer) {
    handle = new Handle<>(this, peer, NativeModel::delete);
  }

  /**
   * Writes the model; weights are written beside it if it would exceed 2 GiB. Each file appears complete or not at all.
   *
   * @param path the file
   */
  public void save(Path path) {
    Objects.requireNonNull(path, "path");
    handle.run(peer -> peer.save(path.toString(), null));
  }

  /**
   * Writes the model. Each file appears complete or not at all. If the observer of the options cancels, none appears.
   *
   * @param path the file
   * @param options the options; null for the defaults
   */
  public void save(Path path, SaveOptions options) {
    Objects.requireNonNull(path, "path");
    if (options == null) {
      save(path);
      return;
    }
    NativeSaveOptions how = options.peer();
    try {
      handle.run(peer -> peer.save(path.toString(), how));
    } finally {
      how.delete();
    }
  }

  /**
   * Writes the bytes of the file, without keeping all of them in memory.
   *
   * @param stream the target; it is not closed
   * @throws IOException the exception of the stream; its unchecked exceptions are thrown unchanged, too
   */
  public void write(OutputStream stream) throws IOException {
    Objects.requireNonNull(stream, "stream");
    long number = Callbacks.keep(stream);
    try {
      handle.run(peer -> peer.write(number));
    } catch (TonnxException e) {
      if (e.getCause() != null) {
        throw Model.<IOException>unchanged(e.getCause());
      }
      throw e;
    } finally {
      Callbacks.dropSink(number);
    }
  }

  /**
   * The bytes of the file, for a model below 2 GiB.
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
   * The model as text, one line per node.
   *
   * @return the text
   */
  public String text() {
    return text(TextFormat.SHORT);
  }

  /**
   * The model as text.
   *
   * @param format the form
   * @return the text
   */
  public String text(TextFormat format) {
    int code = format.code;
    return handle.read(peer -> peer.text(code));
  }

  /**
   * Describes the first node at which this model and the other one differ:
   * an operator, attribute, constant or weight, or another source of a value.
   *
   * @param other the other model
   * @return lines for people; "" if they are equal, whatever their sizes
   */
  public String difference(Model other) {
    Objects.requireNonNull(other, "other");
    return handle.read(peer -> other.handle.read(second -> peer.difference(second)));
  }

  /** Runs the ONNX checker; throws a {@link TonnxException} with its message if the model is invalid. */
  public void check() {
    handle.run(NativeModel::check);
  }

  /**
   * Runs the model of a trace in ONNX Runtime and compares with the results of the traced code.
   *
   * @param program the trace of the model
   * @throws TonnxException as below
   */
  public void verify(Program program) {
    verify(program, null);
  }

  /**
   * Runs the model in ONNX Runtime and the program in LibTorch, and compares count, dtype, shape and values, at the
   * example's sizes and at another size of each dynamic axis, with the default tolerances of the dtype. A trace is
   * compared with the results of its code. ONNX Runtime is searched at the environment variable TONNX_ONNXRUNTIME, then
   * where the loader searches.
   *
   * @param program the program of the model
   * @param args the inputs; null for those of a trace
   * @throws TonnxException with {@link Status#VERIFICATION}: the first output that differs, the element, and by how
   *     much, or a dynamic axis at whose other sizes LibTorch itself does not run; with {@link Status#ARGUMENT}: the
   *     inputs that do not fit the model; with {@link Status#FILE}: ONNX Runtime cannot be loaded or is too old for the
   *     model
   */
  public void verify(Program program, Args args) {
    try (Handle.Use<NativeModel> model = handle.use(); Handle.Use<NativeProgram> torch = program.handle.use();
        Handle.Use<NativeArgs> inputs = args == null ? null : args.handle.use()) {
      model.peer().verify(torch.peer(), inputs == null ? null : inputs.peer());
    }
  }

  /**
   * Same, with options.
   *
   * @param program the program of the model
   * @param args the inputs; null for those of a trace
   * @param options the options
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
   * The tensors for the model's inputs that correspond to arguments of an exported program, in the order of the inputs:
   * nested values are flattened, values that are fixed in the program are omitted, complex tensors have a last axis
   * of 2.
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
   * The tensors for the model's outputs that correspond to a result of an exported program, in the order of the
   * outputs.
   *
   * @param results the result as the only argument; several results are a tuple
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
   * @return a JSON object; "" if the program does not have them
   */
  public String call() {
    return handle.read(NativeModel::call);
  }

  /**
   * Inputs, outputs, weights and operators of the model.
   *
   * @return new contents
   */
  public Contents contents() {
    return new Contents(handle.read(NativeModel::contents));
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
   * The warnings of the export.
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

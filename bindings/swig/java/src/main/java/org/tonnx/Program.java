package org.tonnx;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.tonnx.internal.Native;
import org.tonnx.internal.NativeArgs;
import org.tonnx.internal.NativeGroups;
import org.tonnx.internal.NativeProgram;
import org.tonnx.internal.NativeRegistry;
import org.tonnx.internal.NativeTrace;
import org.tonnx.internal.NativeTraceOptions;
import org.tonnx.internal.NativeVerifyOptions;

/** A LibTorch program: a TorchScript archive, compiled source text, a module of the process, or a recorded call. */
public final class Program implements AutoCloseable {
  final Handle<NativeProgram> handle;

  private Program(NativeProgram peer) {
    handle = new Handle<>(this, peer, NativeProgram::delete);
  }

  /**
   * Loads a TorchScript archive. Its weights' bytes are not read now: the file must stay in place and unchanged as long
   * as the program, or a model made of it, lives.
   *
   * @param path the .pt file
   * @return a new program
   */
  public static Program load(Path path) {
    Objects.requireNonNull(path, "path");
    NativeLibrary.require();
    return new Program(NativeProgram.load(path.toString()));
  }

  /**
   * Loads a TorchScript archive from memory.
   *
   * @param archive its bytes, which are copied
   * @return a new program
   */
  public static Program load(byte[] archive) {
    Objects.requireNonNull(archive, "archive");
    NativeLibrary.require();
    return new Program(NativeProgram.loadBytes(archive));
  }

  /**
   * The same program with other weights, for an exported program (.pt2). A missing weight is allowed if it is tied to
   * one that is present; a weight that does not fit is reported by the export. The file must stay unchanged while the
   * program, or a model made of it, lives.
   *
   * @param path a state dict of torch.save, a .safetensors file, or the index of several
   * @return a new program
   */
  public Program withWeights(Path path) {
    Objects.requireNonNull(path, "path");
    return new Program(handle.read(peer -> peer.withWeights(path.toString())));
  }

  /**
   * Compiles TorchScript source text without attributes.
   *
   * @param source the text
   * @return a new program
   */
  public static Program compile(String source) {
    return compile(source, "", null);
  }

  /**
   * Compiles TorchScript source text in this process. Every function is a method of the program: "forward", or the last
   * one where none is called so, is what an export takes by default. Those with a first parameter {@code self} are
   * methods of a module, whose attributes are the keywords, or the one dict, of {@code attributes}: tensors are the
   * model's weights under these names, "layer1.weight" is {@code self.layer1.weight}, other values are constants.
   * {@code torch.NAME} is LibTorch's operator; {@code torch.nn} and classes are not there.
   *
   * @param source the text
   * @param file names it in messages and places; may be ""
   * @param attributes of the module, or null
   * @return a new program
   * @throws TonnxException with {@link Status#PROGRAM} and the place if the text does not compile
   */
  public static Program compile(String source, String file, Args attributes) {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(file, "file");
    NativeLibrary.require();
    try (Handle.Use<NativeArgs> given = attributes == null ? null : attributes.handle.use()) {
      return new Program(NativeProgram.compile(source, file, given == null ? null : given.peer()));
    }
  }

  /**
   * Copies a TorchScript module of this process. DJL's {@code PtSymbolBlock} has its address as its handle.
   *
   * @param address of a torch::jit::Module of the LibTorch of the process, borrowed for the call; it must
   *     not be changed or run during the call
   * @param shareWeights true to share the module's tensors, which must not be written to while
   *     the program or a model made of it lives; false to copy them
   * @return a new program
   */
  public static Program fromModule(long address, boolean shareWeights) {
    NativeLibrary.require();
    return new Program(NativeProgram.fromModule(address, shareWeights));
  }

  /**
   * Records LibTorch code with the defaults.
   *
   * @param args example inputs
   * @param code the code
   * @param <E> what the code throws
   * @return a new program
   * @throws E what the code threw
   */
  public static <E extends Exception> Program trace(Args args, TracedCode<E> code) throws E {
    return trace(args, null, code);
  }

  /**
   * Records LibTorch code on the tensors of the arguments: all operators that this thread runs
   * on tensors reached from the code's inputs, in its grad mode. The results are kept, and {@link Model#verify}
   * compares with them. The code runs on this thread, at several sizes if the options declare dynamic axes; if it
   * throws in a later run, another size is tried. A nested trace is refused, and so is a virtual thread.
   *
   * @param args example inputs
   * @param options the options, or null for the defaults
   * @param code the code
   * @param <E> what the code throws
   * @return a new program
   * @throws E what the code threw
   */
  public static <E extends Exception> Program trace(Args args, TraceOptions options, TracedCode<E> code) throws E {
    Objects.requireNonNull(args, "args");
    Objects.requireNonNull(code, "code");
    PlatformThread.require("a trace");
    NativeTraceOptions how = options == null ? null : options.peer();
    NativeTrace trace = null;
    try {
      try (Handle.Use<NativeArgs> inputs = args.handle.use()) {
        trace = new NativeTrace(inputs.peer(), how);
      }
      return new Program(Trace.record(trace, code));
    } finally {
      if (trace != null) {
        trace.delete();
      }
      if (how != null) {
        how.delete();
      }
    }
  }

  /**
   * The methods that can be exported.
   *
   * @return an unmodifiable list
   */
  public List<String> methods() {
    return Text.list(handle.read(NativeProgram::methods));
  }

  /**
   * The unconverted program as text.
   *
   * @param args example inputs
   * @return the text
   */
  public String text(Args args) {
    return text(args, null, TextFormat.SHORT);
  }

  /**
   * The unconverted program as text or as a picture.
   *
   * @param args example inputs
   * @param options the options of its export, or null for the defaults
   * @param format any form but FULL
   * @return the text
   */
  public String text(Args args, Options options, TextFormat format) {
    Objects.requireNonNull(args, "args");
    final int code = format.code;
    try (Handle.Use<NativeProgram> program = handle.use(); Handle.Use<NativeArgs> inputs = args.handle.use();
        Options.Peer how = Options.peer(options)) {
      return program.peer().text(inputs.peer(), how == null ? null : how.options, code);
    }
  }

  /**
   * Inputs, outputs, weights and operators of the unconverted program: of the options' method, called with these
   * arguments. Fails like {@link #text}.
   *
   * @param args example inputs
   * @param options the options of its export, or null for the defaults
   * @return new contents
   */
  public Contents contents(Args args, Options options) {
    Objects.requireNonNull(args, "args");
    try (Handle.Use<NativeProgram> program = handle.use(); Handle.Use<NativeArgs> inputs = args.handle.use();
        Options.Peer how = Options.peer(options)) {
      return new Contents(program.peer().contents(inputs.peer(), how == null ? null : how.options));
    }
  }

  /**
   * Exports with the defaults.
   *
   * @param args example inputs
   * @return a new model
   */
  public Model export(Args args) {
    return export(args, null, null);
  }

  /**
   * Exports with the built-in lowerings.
   *
   * @param args example inputs
   * @param options the options to export, or null for the defaults
   * @return a new model
   */
  public Model export(Args args, Options options) {
    return export(args, options, null);
  }

  /**
   * Exports. Several threads may export at the same time.
   *
   * @param args example inputs
   * @param options the options to export, or null for the defaults
   * @param registry with symbolics, or null for only the built-in lowerings
   * @return a new model; it keeps what it needs of this program
   * @throws TonnxException with every reason why the program cannot be exported; its cause is what the symbolic that
   *     failed has thrown
   */
  public Model export(Args args, Options options, Registry registry) {
    Objects.requireNonNull(args, "args");
    try (Handle.Use<NativeProgram> program = handle.use(); Handle.Use<NativeArgs> inputs = args.handle.use();
        Options.Peer how = Options.peer(options);
        Handle.Use<NativeRegistry> with = registry == null ? null : registry.handle.use()) {
      return new Model(Native.exportProgram(
          program.peer(), inputs.peer(), how == null ? null : how.options, with == null ? null : with.peer()));
    }
  }

  /**
   * Exports the program for each group of arguments, and describes the first node at which a
   * model differs from that of the first group. For traced code, trace it with each group, and compare the models by
   * {@link Model#difference}.
   *
   * @param groups example inputs, group by group; two or more
   * @param options the options to export, or null for the defaults
   * @param registry with symbolics, or null for only the built-in lowerings
   * @return lines for people; "" if all are equal
   * @throws TonnxException why the program cannot be exported, or that there are too few groups
   */
  public String exportDifference(List<Args> groups, Options options, Registry registry) {
    NativeGroups given = new NativeGroups();
    try (Handle.Use<NativeProgram> program = handle.use(); Options.Peer how = Options.peer(options);
        Handle.Use<NativeRegistry> with = registry == null ? null : registry.handle.use()) {
      return lend(List.copyOf(groups), given,
          ()
              -> Native.exportDifference(
                  program.peer(), given, how == null ? null : how.options, with == null ? null : with.peer()));
    } finally {
      given.delete();
    }
  }

  /** Keeps every group open during the call. */
  private static String lend(List<Args> groups, NativeGroups given, Supplier<String> call) {
    if (groups.isEmpty()) {
      return call.get();
    }
    return groups.get(0).handle.read(args -> {
      given.add(args);
      return lend(groups.subList(1, groups.size()), given, call);
    });
  }

  /**
   * Exports the program and compares its model with LibTorch. If they differ, the program is split into halves
   * repeatedly; each half is exported and compared on its own, down to the operators that differ. A difference is not
   * an exception:
   * {@link Mismatch#found} reports it.
   *
   * @param args example inputs; of a trace none are needed
   * @param options the options to export, or null for the defaults
   * @param registry with symbolics, or null for only the built-in lowerings
   * @param verification how to compare, or null for the defaults
   * @return what was found
   * @throws TonnxException why the program cannot be exported, or its parts cannot be compared
   */
  public Mismatch findMismatch(Args args, Options options, Registry registry, VerifyOptions verification) {
    Objects.requireNonNull(args, "args");
    NativeVerifyOptions compare = verification == null ? null : verification.peer();
    try (Handle.Use<NativeProgram> program = handle.use(); Handle.Use<NativeArgs> inputs = args.handle.use();
        Options.Peer how = Options.peer(options);
        Handle.Use<NativeRegistry> with = registry == null ? null : registry.handle.use()) {
      return new Mismatch(Native.findMismatch(
          program.peer(), inputs.peer(), how == null ? null : how.options, with == null ? null : with.peer(), compare));
    } finally {
      if (compare != null) {
        compare.delete();
      }
    }
  }

  @Override
  public void close() {
    handle.close();
  }
}

package org.tonnx;

import java.nio.file.Path;
import java.util.Objects;
import org.tonnx.internal.NativeArgs;

/**
 * Example inputs of a program: positional arguments, then keyword arguments. Values are added in order; values between
 * a begin and its end go into that list, tuple or dict. Tensors are shared and may be closed after they were added.
 */
public final class Args implements AutoCloseable {
  final Handle<NativeArgs> handle;

  /** No arguments yet. */
  public Args() {
    this(make());
  }

  Args(NativeArgs peer) {
    handle = new Handle<>(this, peer, NativeArgs::delete);
  }

  private static NativeArgs make() {
    NativeLibrary.require();
    return new NativeArgs();
  }

  /**
   * Positional tensors.
   *
   * @param tensors the arguments
   * @return new arguments
   */
  public static Args of(Tensor... tensors) {
    Args args = new Args();
    for (Tensor tensor : tensors) {
      args.add(tensor);
    }
    return args;
  }

  /**
   * Loads a file written by torch.save: a tensor, or a tuple of arguments whose last item may be a dict of keyword
   * arguments.
   *
   * @param path the file
   * @return new arguments
   */
  public static Args load(Path path) {
    Objects.requireNonNull(path, "path");
    NativeLibrary.require();
    return new Args(NativeArgs.load(path.toString()));
  }

  /**
   * A positional argument.
   *
   * @param index which one
   * @return a new tensor that shares its elements; a number becomes a tensor of rank 0
   */
  public Tensor tensor(int index) {
    return new Tensor(handle.read(peer -> peer.tensor(index)));
  }

  /**
   * Names the next value: as keyword argument or, inside a dict, as the value of this key.
   *
   * @param name the name
   * @return this
   */
  public Args key(String name) {
    Objects.requireNonNull(name, "name");
    handle.change(peer -> peer.key(name));
    return this;
  }

  /**
   * Adds a tensor.
   *
   * @param tensor the value
   * @return this
   */
  public Args add(Tensor tensor) {
    Objects.requireNonNull(tensor, "tensor");
    tensor.handle.run(value -> handle.change(peer -> peer.addTensor(value)));
    return this;
  }

  /**
   * Adds an int.
   *
   * @param value the value
   * @return this
   */
  public Args add(long value) {
    handle.change(peer -> peer.addInt(value));
    return this;
  }

  /**
   * Adds a float.
   *
   * @param value the value
   * @return this
   */
  public Args add(double value) {
    handle.change(peer -> peer.addFloat(value));
    return this;
  }

  /**
   * Adds a bool.
   *
   * @param value the value
   * @return this
   */
  public Args add(boolean value) {
    handle.change(peer -> peer.addBool(value));
    return this;
  }

  /**
   * Adds a string.
   *
   * @param value the value
   * @return this
   */
  public Args add(String value) {
    Objects.requireNonNull(value, "value");
    handle.change(peer -> peer.addString(value));
    return this;
  }

  /**
   * Adds None.
   *
   * @return this
   */
  public Args addNone() {
    handle.change(NativeArgs::addNone);
    return this;
  }

  /**
   * Opens a list.
   *
   * @return this
   */
  public Args beginList() {
    handle.change(NativeArgs::beginList);
    return this;
  }

  /**
   * Opens a tuple.
   *
   * @return this
   */
  public Args beginTuple() {
    handle.change(NativeArgs::beginTuple);
    return this;
  }

  /**
   * Opens a dict.
   *
   * @return this
   */
  public Args beginDict() {
    handle.change(NativeArgs::beginDict);
    return this;
  }

  /**
   * Closes the innermost list, tuple or dict.
   *
   * @return this
   */
  public Args end() {
    handle.change(NativeArgs::end);
    return this;
  }

  /**
   * Number of positional and keyword arguments.
   *
   * @return the count
   */
  public int count() {
    return handle.read(NativeArgs::count);
  }

  @Override
  public void close() {
    handle.close();
  }
}

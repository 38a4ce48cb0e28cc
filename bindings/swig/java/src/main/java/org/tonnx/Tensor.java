package org.tonnx;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.tonnx.internal.NativeTensor;

/** A tensor of example inputs, constants or results. Immutable; what it is given to shares its elements. */
public final class Tensor implements AutoCloseable {
  final Handle<NativeTensor> handle;

  Tensor(NativeTensor peer) {
    handle = new Handle<>(this, peer, NativeTensor::delete);
  }

  /**
   * Copies elements.
   *
   * @param dtype what they are
   * @param elements row-major elements in the machine's byte order: as many bytes as dtype and dims ask for
   * @param dims the dimensions; none for a scalar
   * @return a new tensor
   */
  public static Tensor of(Dtype dtype, byte[] elements, long... dims) {
    Objects.requireNonNull(dtype, "dtype");
    Objects.requireNonNull(elements, "elements");
    Objects.requireNonNull(dims, "dims");
    NativeLibrary.require();
    return new Tensor(new NativeTensor(dtype.code, dims, elements));
  }

  /**
   * Copies float32 elements.
   *
   * @param elements row-major elements
   * @param dims the dimensions; none for a scalar
   * @return a new tensor
   */
  public static Tensor of(float[] elements, long... dims) {
    ByteBuffer bytes = room(elements.length, Float.BYTES);
    bytes.asFloatBuffer().put(elements);
    return of(Dtype.FLOAT32, bytes.array(), dims);
  }

  /**
   * Copies float64 elements.
   *
   * @param elements row-major elements
   * @param dims the dimensions; none for a scalar
   * @return a new tensor
   */
  public static Tensor of(double[] elements, long... dims) {
    ByteBuffer bytes = room(elements.length, Double.BYTES);
    bytes.asDoubleBuffer().put(elements);
    return of(Dtype.FLOAT64, bytes.array(), dims);
  }

  /**
   * Copies int32 elements.
   *
   * @param elements row-major elements
   * @param dims the dimensions; none for a scalar
   * @return a new tensor
   */
  public static Tensor of(int[] elements, long... dims) {
    ByteBuffer bytes = room(elements.length, Integer.BYTES);
    bytes.asIntBuffer().put(elements);
    return of(Dtype.INT32, bytes.array(), dims);
  }

  /**
   * Copies int64 elements.
   *
   * @param elements row-major elements
   * @param dims the dimensions; none for a scalar
   * @return a new tensor
   */
  public static Tensor of(long[] elements, long... dims) {
    ByteBuffer bytes = room(elements.length, Long.BYTES);
    bytes.asLongBuffer().put(elements);
    return of(Dtype.INT64, bytes.array(), dims);
  }

  /**
   * Copies bool elements.
   *
   * @param elements row-major elements
   * @param dims the dimensions; none for a scalar
   * @return a new tensor
   */
  public static Tensor of(boolean[] elements, long... dims) {
    byte[] bytes = new byte[elements.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (elements[i] ? 1 : 0);
    }
    return of(Dtype.BOOL, bytes, dims);
  }

  /**
   * Wraps a tensor of the LibTorch of the
   * process, as DJL holds it ({@code PtNDArray.getHandle()}).
   *
   * @param atTensor the address of an {@code at::Tensor}, borrowed for the call; a wrong one crashes the process
   * @return a new tensor that shares the storage, which must not be written to while it lives;
   *     a copy if it is on another device (a trace receives it on its device)
   */
  public static Tensor fromTorch(long atTensor) {
    NativeLibrary.require();
    return new Tensor(NativeTensor.fromTorch(atTensor));
  }

  /**
   * Creates a LibTorch tensor in the form that DJL holds ({@code new PtNDArray(manager, handle)}).
   *
   * @return the address of a new {@code at::Tensor} with a copy of the elements, which the caller owns: DJL
   *     adopts it, or {@link #deleteTorch} deletes it
   */
  public long toTorch() {
    return handle.read(NativeTensor::toTorch);
  }

  /**
   * Deletes an {@code at::Tensor} that no other library has adopted.
   *
   * @param atTensor its address; 0 for none
   */
  public static void deleteTorch(long atTensor) {
    NativeLibrary.require();
    NativeTensor.deleteTorch(atTensor);
  }

  /**
   * What the elements are.
   *
   * @return their type
   */
  public Dtype dtype() {
    return Dtype.of(handle.read(NativeTensor::dtype));
  }

  /**
   * The dimensions.
   *
   * @return a new array; empty for a scalar
   */
  public long[] dims() {
    return handle.read(NativeTensor::dims);
  }

  /**
   * Copies the elements out.
   *
   * @return a new buffer of row-major elements in the machine's byte order, to read as {@code buffer().asFloatBuffer()}
   */
  public ByteBuffer buffer() {
    return handle.read(peer -> {
      long size = peer.size();
      if (size > Integer.MAX_VALUE - 8) {
        throw new TonnxException(Status.ARGUMENT, "ArgumentError", size + " bytes pass a buffer's 2 GiB", null);
      }
      ByteBuffer bytes = room((int) size, 1);
      peer.read(0, bytes.array());
      return bytes;
    });
  }

  @Override
  public void close() {
    handle.close();
  }

  private static ByteBuffer room(int count, int size) {
    return ByteBuffer.allocate(Math.multiplyExact(count, size)).order(ByteOrder.nativeOrder());
  }
}

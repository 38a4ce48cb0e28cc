package org.tonnx;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * LibTorch as a host beside tonnx has it: tensors are addresses of an {@code at::Tensor}, as in DJL. Closing deletes
 * all that it made.
 */
final class TorchShim implements AutoCloseable {
  static {
    System.load(System.getenv("TONNX_TORCH_SHIM_JNI"));
  }

  private final List<Long> made = new ArrayList<>();

  long make(String name, long... sizes) {
    return all(name, new long[0], sizes)[0];
  }

  long call(String name, long... tensors) {
    return all(name, tensors)[0];
  }

  long[] all(String name, long[] tensors, long... numbers) {
    long[] results = run(name, tensors, numbers);
    for (long result : results) {
      made.add(result);
    }
    return results;
  }

  static float[] floats(long tensor) {
    try (Tensor shared = Tensor.fromTorch(tensor)) {
      ByteBuffer bytes = shared.buffer();
      float[] elements = new float[bytes.capacity() / Float.BYTES];
      bytes.asFloatBuffer().get(elements);
      return elements;
    }
  }

  @Override
  public void close() {
    made.forEach(TorchShim::delete);
    made.clear();
  }

  static native long size(long tensor, long dim);

  private static native long[] run(String name, long[] tensors, long[] numbers);

  private static native void delete(long tensor);
}

package org.tonnx;

import java.nio.file.Path;
import java.util.Objects;
import org.tonnx.internal.Native;

/** Operators that archives use and LibTorch does not know by itself. Process-wide. */
public final class Operators {
  private Operators() {}

  /**
   * Loads a shared library that registers operators with LibTorch (TORCH_LIBRARY).
   *
   * @param path the library
   */
  public static void load(Path path) {
    Objects.requireNonNull(path, "path");
    NativeLibrary.require();
    Native.loadOperators(path.toString());
  }

  /**
   * Registers the schema of an operator, which is enough to load and export an archive that uses it. Does nothing if
   * the operator is known.
   *
   * @param schema {@code "my_ops::foo(Tensor x, float alpha) -> Tensor"}
   */
  public static void register(String schema) {
    Objects.requireNonNull(schema, "schema");
    NativeLibrary.require();
    Native.registerOperator(schema);
  }
}

package org.tonnx;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.tonnx.internal.NativeMismatch;

/** Which operators of a program give other values in ONNX Runtime than in LibTorch. */
public final class Mismatch implements AutoCloseable {
  private final Handle<NativeMismatch> handle;

  Mismatch(NativeMismatch peer) {
    handle = new Handle<>(this, peer, NativeMismatch::delete);
  }

  /**
   * Whether the model, or an operator on its own, differs.
   *
   * @return true if one does
   */
  public boolean found() {
    return handle.read(NativeMismatch::found);
  }

  /**
   * The ids of the parts of the program that differ and have no part that does: a digit a half, "0" the first.
   *
   * @return in the program's order
   */
  public List<String> leaves() {
    return Text.list(handle.read(NativeMismatch::leaves));
  }

  /**
   * The tree of the parts, those that differ and their operators.
   *
   * @return lines for people
   */
  public String text() {
    return handle.read(NativeMismatch::text);
  }

  /**
   * The same for programs.
   *
   * @return a JSON object
   */
  public String json() {
    return handle.read(NativeMismatch::json);
  }

  /**
   * Writes a part as a folder of ONNX's own tests: model.onnx, and input_I.pb and output_I.pb in test_data_set_0.
   *
   * @param id the part's; "" is the whole
   * @param folder is made if need be
   */
  public void savePart(String id, Path folder) {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(folder, "folder");
    handle.run(peer -> peer.savePart(id, folder.toString()));
  }

  /** Frees it; a second call does nothing. */
  @Override
  public void close() {
    handle.close();
  }
}

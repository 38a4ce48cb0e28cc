package org.tonnx;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.tonnx.internal.NativeMismatch;

/** Operators of a program whose results in ONNX Runtime differ from LibTorch's. */
public final class Mismatch implements AutoCloseable {
  private final Handle<NativeMismatch> handle;

  Mismatch(NativeMismatch peer) {
    handle = new Handle<>(this, peer, NativeMismatch::delete);
  }

  /**
   * True if the model, or an operator on its own, differs.
   *
   * @return true if one does
   */
  public boolean found() {
    return handle.read(NativeMismatch::found);
  }

  /**
   * Ids of the parts that differ and that have no part that differs: one digit per half, "0" for the first.
   *
   * @return in the program's order
   */
  public List<String> leaves() {
    return Text.list(handle.read(NativeMismatch::leaves));
  }

  /**
   * The tree of the parts and the operators that differ.
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
   * Writes a part as a folder in the format of ONNX's own tests: model.onnx, and input_I.pb and output_I.pb in
   * test_data_set_0.
   *
   * @param id id of the part; "" is the whole
   * @param folder the folder; created if needed
   */
  public void savePart(String id, Path folder) {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(folder, "folder");
    handle.run(peer -> peer.savePart(id, folder.toString()));
  }

  /**
   * The operators of a part that were converted, with inputs and outputs where it was cut off.
   *
   * @param id id of the part; "" is the whole
   * @return new contents
   */
  public Contents programContents(String id) {
    Objects.requireNonNull(id, "id");
    return new Contents(handle.read(peer -> peer.programContents(id)));
  }

  /**
   * The model of a part, which is exported again.
   *
   * @param id id of the part; "" is the whole
   * @return new contents
   */
  public Contents modelContents(String id) {
    Objects.requireNonNull(id, "id");
    return new Contents(handle.read(peer -> peer.modelContents(id)));
  }

  /** Frees the object; a second call does nothing. */
  @Override
  public void close() {
    handle.close();
  }
}

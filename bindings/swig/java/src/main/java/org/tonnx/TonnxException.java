package org.tonnx;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.tonnx.internal.Native;
import org.tonnx.internal.NativeError;

/**
 * What went wrong in tonnx. {@link #getMessage} is the whole message; {@link #getCause} is what a callback of the
 * caller threw, if that is why.
 */
public final class TonnxException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Status status;
  private final String errorClass;
  private final String report;
  private final ArrayList<Reason> reasons = new ArrayList<>();

  TonnxException(Status status, String errorClass, String message, Throwable cause) {
    super(message, cause);
    this.status = status;
    this.errorClass = errorClass;
    report = "";
  }

  private TonnxException(NativeError error) {
    super(error.message(), Callbacks.cause(error.cause()));
    status = Status.of(error.status());
    errorClass = error.className();
    report = error.report();
    for (int i = 0; i < error.reasonCount(); i++) {
      reasons.add(new Reason(error, i));
    }
  }

  /** Called by the JNI library. */
  private static TonnxException of(NativeError error) {
    try {
      return new TonnxException(error);
    } finally {
      error.delete();
    }
  }

  /**
   * The kind of failure.
   *
   * @return the kind
   */
  public Status status() {
    return status;
  }

  /**
   * The name of the error's class in tonnx: {@code "UnsupportedOperatorError"}, {@code "CheckerError"}, ...
   *
   * @return the name; may be empty
   */
  public String errorClass() {
    return errorClass;
  }

  /**
   * Whether the error's class is {@code base} or derives from it: all derive from {@code "OnnxExporterError"},
   * {@code "DependencyError"} and {@code "MissingKernelError"} also from {@code "FileError"}.
   *
   * @param base the name of a class
   * @return true if it is
   */
  public boolean isA(String base) {
    Objects.requireNonNull(base, "base");
    if (!NativeLibrary.isLoaded()) { // an error of this package
      return base.equals(errorClass) || base.equals("OnnxExporterError")
          || base.equals("FileError") && errorClass.equals("DependencyError");
    }
    return Native.errorClassIs(errorClass, base);
  }

  /**
   * A report of the failure; of an export with what it had found until then.
   *
   * @return a JSON object; empty for errors of this package
   */
  public String report() {
    return report;
  }

  /**
   * The reasons why a program cannot be exported, one per operator and text; none for other failures.
   *
   * @return an unmodifiable list
   */
  public List<Reason> reasons() {
    return Collections.unmodifiableList(reasons);
  }

  /** A reason why a program cannot be exported. */
  public static final class Reason implements Serializable {
    private static final long serialVersionUID = 1;

    private final String operator;
    private final String text;
    private final String module;
    private final String source;
    private final long places;

    private Reason(NativeError error, int index) {
      operator = error.reasonOperator(index);
      text = error.reasonText(index);
      module = error.reasonModule(index);
      source = error.reasonSource(index);
      places = error.reasonPlaces(index);
    }

    /**
     * The operator, {@code "aten::foo"}.
     *
     * @return its name
     */
    public String operator() {
      return operator;
    }

    /**
     * Why.
     *
     * @return a text
     */
    public String text() {
      return text;
    }

    /**
     * The module path of the first place, {@code "layer1.0.conv1"}.
     *
     * @return the path; empty if unknown
     */
    public String module() {
      return module;
    }

    /**
     * The source line of the first place, {@code "model.py:12"}.
     *
     * @return the line; empty if unknown
     */
    public String source() {
      return source;
    }

    /**
     * Number of locations.
     *
     * @return the count
     */
    public long places() {
      return places;
    }

    @Override
    public String toString() {
      return operator + (module.isEmpty() ? "" : " at " + module) + ": " + text;
    }
  }
}

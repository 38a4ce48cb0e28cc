package org.tonnx;

/** Name and type of an input, output or weight of {@link Contents}; immutable. */
public final class ValueInfo {
  private final String name;
  private final Kind kind;
  private final Dtype dtype;
  private final boolean hasRank;
  private final long[] dims;
  private final String[] symbols;

  ValueInfo(String name, Kind kind, Dtype dtype, boolean hasRank, long[] dims, String[] symbols) {
    this.name = name;
    this.kind = kind;
    this.dtype = dtype;
    this.hasRank = hasRank;
    this.dims = dims;
    this.symbols = symbols;
  }

  /**
   * The name.
   *
   * @return the name; empty if it has none yet
   */
  public String name() {
    return name;
  }

  /**
   * What it is.
   *
   * @return the kind
   */
  public Kind kind() {
    return kind;
  }

  /**
   * The element type.
   *
   * @return the type, or {@link Dtype#UNDEFINED} if unknown
   */
  public Dtype dtype() {
    return dtype;
  }

  /**
   * True if the rank is known.
   *
   * @return whether it is
   */
  public boolean hasRank() {
    return hasRank;
  }

  /**
   * The number of dimensions.
   *
   * @return the rank; 0 if unknown
   */
  public int rank() {
    return dims.length;
  }

  /**
   * A dimension.
   *
   * @param axis from 0 on
   * @return its size, or -1 if it is dynamic or unknown
   */
  public long dim(int axis) {
    return dims[axis];
  }

  /**
   * The symbol of a dynamic dimension, {@code "batch"}.
   *
   * @param axis from 0 on
   * @return the symbol, or an empty text
   */
  public String dimSymbol(int axis) {
    return symbols[axis];
  }
}

using System;

namespace Tonnx {

/// <summary>A graph, node or value of a symbolic or of <see cref="Contents"/>. Objects of the same one are
/// equal.</summary>
public abstract class Scoped<T> : IEquatable<T>
    where T : Scoped<T> {
  internal Scoped(Scope scope, int number) {
    Scope = scope;
    Number = number;
  }

  internal Scope Scope { get; }
  internal int Number { get; }

  /// <inheritdoc/>
  public bool Equals(T other) {
    return !ReferenceEquals(other, null) && other.Scope == Scope && other.Number == Number;
  }

  /// <inheritdoc/>
  public override bool Equals(object other) {
    return Equals(other as T);
  }

  /// <summary>True if both are the same object, or both are null.</summary>
  public static bool operator ==(Scoped<T> a, Scoped<T> b) {
    return ReferenceEquals(a, null) ? ReferenceEquals(b, null) : a.Equals(b as T);
  }

  /// <summary>The opposite of ==.</summary>
  public static bool operator !=(Scoped<T> a, Scoped<T> b) {
    return !(a == b);
  }

  /// <inheritdoc/>
  public override int GetHashCode() {
    return Number;
  }
}

}

using System;
using System.Collections.Generic;
using System.Linq;

namespace Tonnx.Tests {

internal static class Expect {
  internal static void That(bool truth, string what) {
    if (!truth)
      throw new Exception("not so: " + what);
  }

  internal static void Equal<T>(T expected, T found) {
    if (!EqualityComparer<T>.Default.Equals(expected, found))
      throw new Exception("expected " + Show(expected) + ", found " + Show(found));
  }

  internal static void Sequence<T>(IEnumerable<T> expected, IEnumerable<T> found) {
    if (!expected.SequenceEqual(found))
      throw new Exception("expected [" + string.Join(", ", expected) + "], found [" + string.Join(", ", found) + "]");
  }

  internal static void Contains(string part, string text) {
    if (text == null || !text.Contains(part))
      throw new Exception("no \"" + part + "\" in " + Show(text));
  }

  internal static E Throws<E>(Action action)
      where E : Exception {
    try {
      action();
    } catch (E e) {
      return e;
    } catch (Exception e) {
      throw new Exception("expected " + typeof(E).Name + ", found " + e);
    }
    throw new Exception("expected " + typeof(E).Name + ", nothing was thrown");
  }

  internal static TonnxException Refused(Status status, Action action) {
    var e = Throws<TonnxException>(action);
    if (e.Status != status)
      throw new Exception("expected " + status + ", found " + e.Status + ": " + e.Message);
    return e;
  }

  private static string Show(object value) {
    return value == null ? "null" : "\"" + value + "\"";
  }
}

}

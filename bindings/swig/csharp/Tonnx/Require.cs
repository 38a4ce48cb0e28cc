using System;

namespace Tonnx {

internal static class Require {
  internal static T NotNull<T>(T value, string name)
      where T : class {
    if (value == null)
      throw new ArgumentNullException(name);
    return value;
  }
}

}

using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace Tonnx.Tests {

/// A test: a static method without arguments that throws when it fails. Its name in the report is SUITE.METHOD.
[AttributeUsage(AttributeTargets.Method)]
internal sealed class CaseAttribute : Attribute {}

internal static class Runner {
  /// tests.exe [PART OF A NAME]: one line a case, `ok NAME` or `not ok NAME: MESSAGE`; exits with how many failed.
  private static int Main(string[] arguments) {
    if (arguments.Length == 2 && arguments[0] == "--child")
      return Child.Run(arguments[1]);
    string part = arguments.Length > 0 ? arguments[0] : "";
    int failures = 0;
    foreach (MethodInfo method in Cases().Where(m => Name(m).Contains(part))) {
      try {
        method.Invoke(null, null);
        Console.WriteLine("ok " + Name(method));
      } catch (TargetInvocationException e) {
        ++failures;
        Console.WriteLine("not ok " + Name(method) + ": " + e.InnerException.ToString().Replace("\n", " | "));
      }
      Console.Out.Flush();
    }
    return Math.Min(failures, 100);
  }

  private static IEnumerable<MethodInfo> Cases() {
    const BindingFlags flags = BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.Public;
    return typeof(Runner)
        .Assembly.GetTypes()
        .OrderBy(t => t.Name, StringComparer.Ordinal)
        .SelectMany(t => t.GetMethods(flags))
        .Where(m => m.IsDefined(typeof(CaseAttribute), false));
  }

  private static string Name(MethodInfo method) {
    return method.DeclaringType.Name.Replace("Tests", "") + "." + method.Name;
  }
}

}

using System;
using System.Linq;

namespace Tonnx.Tests {

internal static class RegistryTests {
  [Case]
  private static void ListsBuiltInsAndSymbolics() {
    using (Registry registry = Fixture.Symbolics()) {
      Expect.That(registry.Entries.Count > 300, "there are built-ins");
      RegistryEntry mine = registry.Entries.Single(e => e.IsCustom);
      Expect.Equal(Fixture.Operator, mine.Name);
      Expect.Equal(9, mine.Since);
      Expect.That(registry.Entries.Any(e => e.Name == "aten::relu_" && !e.IsCustom && e.Kind == "write"),
                  "aten::relu is built in");
    }
  }

  [Case]
  private static void FunctionsAreCalled() {
    const string gate = "<domain: \"my\", opset_import: [\"\": 15]> Gate <alpha> (X) => (Y) {" +
                        " a = Constant <value_float: float = @alpha> () Y = Mul (X, a) }";
    using (var registry = new Registry()) {
      registry.AddFunctions(gate).AddFunctions(gate, Fixture.Operator);
      using (Model model = Fixture.Export(registry))
          Expect.That(model.Text().Contains("my::Gate[alpha=1.5]"), "the function is called");
      Expect.Refused(Status.Argument, () => registry.AddFunctions(new byte[] { 10, 3, 1 }));
    }
  }

  [Case]
  private static void RemoveTakesItAway() {
    using (Registry registry = Fixture.Symbolics()) {
      registry.Remove(Fixture.Operator, 9);
      Expect.Refused(Status.Unsupported, () => Fixture.Export(registry));
      Expect.Refused(Status.Argument, () => registry.Remove(Fixture.Operator, 9));
      registry.Add(Fixture.Operator, 9, Fixture.GatedSoftmax);
      Fixture.Export(registry).Dispose();
    }
  }

  [Case]
  private static void AddReplaces() {
    using (Registry registry = new Registry().Add(Fixture.Operator, 9, (g, n, i) => throw new Exception("the first"))) {
      Expect.Refused(Status.Callback, () => Fixture.Export(registry));
      registry.Add(Fixture.Operator, 9, Fixture.GatedSoftmax);
      Fixture.Collect();
      Fixture.Export(registry).Dispose();
      Expect.Equal(1, registry.Entries.Count(e => e.IsCustom));
    }
  }

  [Case]
  private static void BadNamesAreRefused() {
    using (var registry = new Registry()) {
      Expect.Refused(Status.Argument, () => registry.Add("no domain", 9, Fixture.GatedSoftmax));
      Expect.Refused(Status.Argument, () => registry.Add("", 9, Fixture.GatedSoftmax));
      Expect.Equal(0, registry.Entries.Count(e => e.IsCustom));
    }
  }
}

}

using System.Collections.Generic;

namespace Tonnx {

/// <summary>Turns one operator of the program into ONNX nodes.</summary>
/// <param name="graph">The ONNX graph under construction.</param>
/// <param name="node">The source operator.</param>
/// <param name="inputs">Its arguments in schema order: tensors as values of the graph, other arguments as
/// constants.</param>
/// <returns>The results, one per output of the operator (null where an output has no ONNX counterpart), or the
/// items of the only one if that is a list of tensors; or null to decline, so that the next registration is
/// asked.</returns> <remarks>Called on the thread that exports. What it gets and makes works until it returns. An
/// exception fails the export: its message is the error's text, and it is the <see
/// cref="System.Exception.InnerException"/>.</remarks>
public delegate IReadOnlyList<Value> Symbolic(Graph graph, Node node, IReadOnlyList<Value> inputs);

}

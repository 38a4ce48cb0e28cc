using System.Collections.Generic;

namespace Tonnx {

/// <summary>Converts one operator of the program to ONNX nodes.</summary>
/// <param name="graph">The ONNX graph under construction.</param>
/// <param name="node">The source operator.</param>
/// <param name="inputs">Its arguments in schema order: tensors as values of the graph, other arguments as
/// constants.</param>
/// <returns>The results, one per output of the operator (null if an output has no ONNX counterpart), or the items
/// if the only output is a list of tensors; or null
/// to decline, so that the next registration is called.</returns> <remarks>Called on the thread that exports. Its
/// arguments and the values that it creates are valid until it returns. An exception fails the export: its message is
/// part of the error, and it is the <see cref="System.Exception.InnerException"/>.</remarks>
public delegate IReadOnlyList<Value> Symbolic(Graph graph, Node node, IReadOnlyList<Value> inputs);

}

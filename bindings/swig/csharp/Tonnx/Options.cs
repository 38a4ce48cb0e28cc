using System.Collections;
using System.Collections.Generic;
using Tonnx.Internal;

namespace Tonnx {

// Made from options.json by scripts/options.py.
/// <summary>The form of dropout and batch norm in the model.</summary>
public enum Training {
  /// <summary>Inference form.</summary>
  Eval = 0,
  /// <summary>The form that the program has.</summary>
  Preserve = 1,
  /// <summary>Training form.</summary>
  Train = 2
}

/// <summary>How a script's control flow is exported.</summary>
public enum Mode {
  /// <summary>As script; as trace if the script cannot be exported and no axis is dynamic. The report says which was
  /// used.</summary>
  Auto = 0,
  /// <summary>Branches and loops that depend on run-time values are kept as If and Loop.</summary>
  Script = 1,
  /// <summary>The script is run and recorded at several sizes and on other values; control flow that depends on them is
  /// refused.</summary>
  Trace = 2
}

/// <summary>What becomes of an operator in the model.</summary>
public enum OperatorExportType {
  /// <summary>Operators of ONNX, or those that a symbolic returns. An operator without a conversion is an
  /// error.</summary>
  Onnx = 0,
  /// <summary>An operator without a conversion stays: a node of its own name in a domain named after its namespace.
  /// Tensors, and values known only at run time, are its inputs; constants are attributes with the names of the
  /// schema.</summary>
  Fallthrough = 1,
  /// <summary>Every operator of aten that returns tensors is a node ATen of the domain org.pytorch.aten, with its name
  /// in the attributes 'operator' and 'overload_name' and all arguments as inputs; numbers are constants.</summary>
  Aten = 2,
  /// <summary>The same only for operators of aten without a conversion.</summary>
  AtenFallback = 3
}

/// <summary>Whether initializers are also graph inputs.</summary>
public enum InitializersAsInputs {
  /// <summary>Only below opset 9, where ONNX requires it, and if operator_export_type is not onnx.</summary>
  Auto = 0,
  /// <summary>At every opset.</summary>
  Always = 1,
  /// <summary>Never, where the opset allows that (9 on).</summary>
  Never = 2
}

/// <summary>What to do with a dynamic axis that can have one size only.</summary>
public enum FixedDynamicAxes {
  /// <summary>Refuse the export or the trace.</summary>
  Error = 0,
  /// <summary>Fix the axis at the example's size, and warn with the axis, the size and the reason.</summary>
  Warn = 1
}

/// <summary>The runtime that a model is made for.</summary>
public enum Target {
  /// <summary>ONNX Runtime 1.31 on CPUs. Operators that it lacks or computes wrongly are replaced by others that it
  /// runs.</summary>
  Onnxruntime = 0,
  /// <summary>Any runtime that implements the ONNX standard. Operators are not replaced, so the model is smaller and
  /// keeps narrow dtypes, but ONNX Runtime may refuse it or compute other results.</summary>
  Onnx = 1
}

// Made until here.

/// <summary>Axes of inputs and outputs that are dynamic, in the order in which they were added.</summary>
public sealed class DynamicAxes : IEnumerable<DynamicAxis> {
  private readonly List<DynamicAxis> axes = new List<DynamicAxis>();

  internal DynamicAxes() {}

  /// <summary>Makes an axis dynamic. A negative axis counts from the end; without a symbol it is
  /// "NAME_dynamic_axes_K".</summary>
  public void Add(string name, long axis, string symbol = null) {
    axes.Add(new DynamicAxis(Require.NotNull(name, nameof(name)), axis, symbol));
  }

  /// <inheritdoc/>
  public IEnumerator<DynamicAxis> GetEnumerator() {
    return axes.GetEnumerator();
  }

  IEnumerator IEnumerable.GetEnumerator() {
    return GetEnumerator();
  }
}

/// <summary>One dynamic axis.</summary>
public sealed class DynamicAxis {
  internal DynamicAxis(string name, long axis, string symbol) {
    Name = name;
    Axis = axis;
    Symbol = symbol;
  }

  /// <summary>The input or output.</summary>
  public string Name { get; }
  /// <summary>Its axis.</summary>
  public long Axis { get; }
  /// <summary>The dimension's name, or null.</summary>
  public string Symbol { get; }
}

/// <summary>How to export. A plain object: an export reads it at its start, and refuses invalid values.</summary>
public sealed class Options {
  // Made from options.json by scripts/options.py.
  /// <summary>Opset version of the default ONNX domain, within the range that tonnx supports. Default: 17.</summary>
  public int? Opset { get; set; }
  /// <summary>The runtime whose missing kernels and defects the model avoids. Default: <see
  /// cref="Target.Onnxruntime"/>.</summary>
  public Target Target { get; set; } = Target.Onnxruntime;
  /// <summary>Method of the archive to export. Default: "forward".</summary>
  public string Method { get; set; }
  /// <summary>Whether a script's branches and loops are kept, or the script is run and recorded, with its loops
  /// unrolled. Default: <see cref="Mode.Auto"/>.</summary>
  public Mode Mode { get; set; } = Mode.Auto;
  /// <summary>Export dropout and batch norm in inference or training form. Default: <see
  /// cref="Training.Eval"/>.</summary>
  public Training Training { get; set; } = Training.Eval;
  /// <summary>Compute operators on weights at export time, and fold normalisations with fixed statistics into the
  /// weights of the layer before them (opset 9 on). In training mode this changes parameters, so it is a warning there.
  /// Operators on constants are always folded. An operator with an operand or result above 8 MiB stays, unless it is an
  /// elementwise operator on floating-point weights, a reduction, a Concat along the first axis, or a view of a weight.
  /// So does a product of large matrices, and an operator on a weight with other uses if the model would grow. Default:
  /// on in eval mode, off in other modes.</summary>
  public bool? ConstantFolding { get; set; }
  /// <summary>Store weights of equal dtype, shape and content once, under the name of the first one. Only in eval mode
  /// with stored weights that are not inputs of the graph. Default: false.</summary>
  public bool MergeEqualWeights { get; set; }
  /// <summary>Store the values of the weights. If off, weights become inputs after the user's inputs. Default:
  /// true.</summary>
  public bool ExportParams { get; set; } = true;
  /// <summary>List initializers among the graph's inputs, too. Default: <see
  /// cref="InitializersAsInputs.Auto"/>.</summary>
  public InitializersAsInputs InitializersAsInputs { get; set; } = InitializersAsInputs.Auto;
  /// <summary>Whether operators stay unconverted in the model, which then needs a runtime that has them. Each one that
  /// stays although it should be converted is a warning. Default: <see cref="OperatorExportType.Onnx"/>.</summary>
  public OperatorExportType OperatorExportType { get; set; } = OperatorExportType.Onnx;
  /// <summary>Convert the operators of a function that the host named in its trace and that has no symbolic. If off,
  /// such a function is one operator prim::PythonOp, which is an error, or stays unconverted as operator_export_type
  /// says. Archives have no such functions. Default: on; off if operator_export_type is fallthrough or
  /// aten_fallback.</summary>
  public bool? AutogradInlining { get; set; }
  /// <summary>Run the ONNX checker on the result. Default: true.</summary>
  public bool Check { get; set; } = true;
  /// <summary>File to which the model is written if the ONNX checker rejects it. The export fails all the same. Empty:
  /// none is written. Default: "".</summary>
  public string InvalidModel { get; set; }
  /// <summary>Write each node's source line as its doc_string. Default: false.</summary>
  public bool DocStrings { get; set; }
  /// <summary>Write the names of nodes. Values keep their names. Default: true.</summary>
  public bool NodeNames { get; set; } = true;
  /// <summary>Call weights by their state-dict keys. If off, they are called weight_0, weight_1 in the order of the
  /// state dict, unless input names replace them. Default: true.</summary>
  public bool WeightNames { get; set; } = true;
  /// <summary>Write the type and the shape of each intermediate value. A dynamic size has its expression as dim_param;
  /// a size that is known only at run time has the name of its value and axis, and so has a size of 1 that may be 0.
  /// Default: true.</summary>
  public bool ValueInfo { get; set; } = true;
  /// <summary>Class of modules whose calls become local functions of the model: its name without its Python module
  /// ('Linear') or with it ('torch.nn.modules.linear.Linear'), or '*' for all classes. The Python module is the domain
  /// of the function. Opset 15 on. Default: none: the model is one graph.</summary>
  public IList<string> ModuleFunctions { get; } = new List<string>();
  /// <summary>Add outputs NAME_written with the new values of everything that the program writes to and that outlives
  /// the call: inputs, buffers, parameters, attributes, captured tensors. If off, each such write is a warning.
  /// Default: false.</summary>
  public bool WrittenOutputs { get; set; }
  /// <summary>Fail with status warning (class WarningError) if the export warns; the warnings are the reasons of the
  /// error. Default: false.</summary>
  public bool WarningsAsErrors { get; set; }
  /// <summary>Export a List[Tensor] argument of a script as one ONNX sequence input with the name of the argument
  /// (opset 11 on). It may have any length that the code accepts, and a dynamic axis of it applies to every item. If
  /// off, each item of the example becomes an input: NAME.0, NAME.1. Default: false.</summary>
  public bool SequenceInputs { get; set; }
  /// <summary>Export a List[Tensor] result of a script as one ONNX sequence output with the name of the list (opset 11
  /// on), also if its length is known. An empty list is a sequence of float32. If off, each item of a list of known
  /// length becomes an output, NAME.0, NAME.1 if the list is an entry NAME of a dict, and an empty list has none.
  /// Default: false.</summary>
  public bool SequenceOutputs { get; set; }
  /// <summary>Name of the next input: first the user's inputs, then the weights in state-dict order. An empty name
  /// keeps the default. A quantised input has one name here; its scale and zero point are called NAME_scale and
  /// NAME_zero_point. Default: the argument names of forward, and state-dict keys.</summary>
  public IList<string> InputNames { get; } = new List<string>();
  /// <summary>Name of the next output: one for each tensor, number, list of numbers or list of dynamic length that the
  /// program returns; tuples, dicts and other lists count item by item. An empty name keeps the default. A quantised
  /// output has one name here; its scale and zero point are called NAME_scale and NAME_zero_point. Default: the
  /// program's names, or output_N.</summary>
  public IList<string> OutputNames { get; } = new List<string>();
  /// <summary>A dynamic axis of an input or output. Negative axes count from the end. Without a symbol the axis is
  /// called NAME_dynamic_axes_K. Default: every axis is fixed to the example's size.</summary>
  public DynamicAxes DynamicAxes { get; } = new DynamicAxes();
  /// <summary>Make every axis of every input dynamic. Axes that the program fixes keep the example's size, with a
  /// warning (as with fixed_dynamic_axes). Axes of a torch.export program that its archive fixes stay fixed; so do
  /// those of a trace that were not declared to it. Default: false.</summary>
  public bool AllAxesDynamic { get; set; }
  /// <summary>What to do with a dynamic axis that the program fixes: its size is decided by a weight, a count or a
  /// check in the program, so the program runs only at the example's size; or torch.export exported it with a fixed
  /// size; or it is an axis of an output whose size is known. Other dynamic axes stay dynamic. Default: <see
  /// cref="FixedDynamicAxes.Error"/>.</summary>
  public FixedDynamicAxes FixedDynamicAxes { get; set; } = FixedDynamicAxes.Error;
  /// <summary>Fix a dynamic size of a torch.export program to a constant: NAME:AXIS=SIZE for an axis of an input
  /// (negative axes count from the end), NAME=SIZE for an integer argument, which is then not an input, or SYMBOL=SIZE
  /// for a symbol of the model. Without =SIZE the size is the example's (the archive's own inputs if no arguments are
  /// given). '*' fixes all sizes that no dynamic axis names. Sizes derived from fixed sizes become constants, too.
  /// Refused if the ranges and conditions of the program do not allow the size. For a script, whose axes are fixed
  /// unless declared dynamic, NAME fixes an integer argument at the example's value and removes the input; '*' fixes
  /// all of them. Default: none: dynamic sizes of torch.export stay dynamic.</summary>
  public IList<string> FixedAxes { get; } = new List<string>();
  /// <summary>Version of a custom domain in the opset imports of the model. Default: 1.</summary>
  public IDictionary<string, long> CustomOpsets { get; } = new Dictionary<string, long>();
  /// <summary>Seconds after which the export ends with status cancelled, at most 0.2 s later unless one operator of
  /// LibTorch, or its compilation of a long script, takes longer; 0: no limit. Default: 0.</summary>
  public int? MaxSeconds { get; set; }
  /// <summary>Operators that the export may run in LibTorch or import before it is cancelled; each iteration of a loop
  /// that is unrolled or recorded counts. 0: no limit. Default: 0.</summary>
  public int? MaxSteps { get; set; }
  /// <summary>MiB that one constant may take that LibTorch computes from the constants of the program; if it is larger,
  /// the export is cancelled before it is computed. 0: no limit. Default: 0.</summary>
  public int? MaxConstantMib { get; set; }
  /// <summary>Nested calls that a TorchScript program may make, from 1 to 400. A program with more ends the export with
  /// status cancelled if the limit is below 400, else with status unsupported. Default: 400.</summary>
  public int? MaxCallDepth { get; set; }
  /// <summary>Program pass after which the program is printed to standard error, whether the pass changed it or not;
  /// 'all' for every pass. docs/passes.md lists the passes. Default: none.</summary>
  public IList<string> PrintAfter { get; } = new List<string>();
  /// <summary>Print the program to standard error after each program pass that changed it. Default: false.</summary>
  public bool PrintChanges { get; set; }
  /// <summary>Add to the report how often each program pass ran, how often it changed the program and how many seconds
  /// it took ('passes'), and which bounds of repeated passes were reached ('bounds'). The export is slower. Default:
  /// false.</summary>
  public bool PassStatistics { get; set; }
  // Made until here.
  /// <summary>Follows and cancels the exports. Default: none.</summary>
  public Observer Observer { get; set; }

  internal NativeOptions ToNative() {
    var native = new NativeOptions();
    try {
      // Made from options.json by scripts/options.py.
      if (Opset.HasValue)
        native.opset(Opset.Value);
      native.target((int)Target);
      if (Method != null)
        native.method(Method);
      native.mode((int)Mode);
      native.training((int)Training);
      if (ConstantFolding.HasValue)
        native.constant_folding(ConstantFolding.Value);
      native.merge_equal_weights(MergeEqualWeights);
      native.export_params(ExportParams);
      native.initializers_as_inputs((int)InitializersAsInputs);
      native.operator_export_type((int)OperatorExportType);
      if (AutogradInlining.HasValue)
        native.autograd_inlining(AutogradInlining.Value);
      native.check(Check);
      if (InvalidModel != null)
        native.invalid_model(InvalidModel);
      native.doc_strings(DocStrings);
      native.node_names(NodeNames);
      native.weight_names(WeightNames);
      native.value_info(ValueInfo);
      foreach (string name in ModuleFunctions) native.module_function(name);
      native.written_outputs(WrittenOutputs);
      native.warnings_as_errors(WarningsAsErrors);
      native.sequence_inputs(SequenceInputs);
      native.sequence_outputs(SequenceOutputs);
      foreach (string name in InputNames) native.input_name(name);
      foreach (string name in OutputNames) native.output_name(name);
      foreach (DynamicAxis axis in DynamicAxes) native.dynamic_axis(axis.Name, axis.Axis, axis.Symbol ?? "");
      native.all_axes_dynamic(AllAxesDynamic);
      native.fixed_dynamic_axes((int)FixedDynamicAxes);
      foreach (string name in FixedAxes) native.fixed_axis(name);
      foreach (var one in CustomOpsets) native.custom_opset(one.Key, one.Value);
      if (MaxSeconds.HasValue)
        native.max_seconds(MaxSeconds.Value);
      if (MaxSteps.HasValue)
        native.max_steps(MaxSteps.Value);
      if (MaxConstantMib.HasValue)
        native.max_constant_mib(MaxConstantMib.Value);
      if (MaxCallDepth.HasValue)
        native.max_call_depth(MaxCallDepth.Value);
      foreach (string name in PrintAfter) native.print_after(name);
      native.print_changes(PrintChanges);
      native.pass_statistics(PassStatistics);
      // Made until here.
      Observer?.Lend(native.observer);
      return native;
    } catch {
      native.Dispose();
      throw;
    }
  }
}

}

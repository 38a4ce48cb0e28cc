using System;
using System.Collections.Generic;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>The kind of failure.</summary>
public enum Status {
  /// <summary>The program cannot be exported; <see cref="TonnxException.Reasons"/> lists all causes.</summary>
  Unsupported = 1,
  /// <summary>Wrong use: unknown name, wrong count, dtype or shape.</summary>
  Argument = 2,
  /// <summary>The model disagrees with LibTorch.</summary>
  Verification = 3,
  /// <summary>A file or library: missing, damaged, of another format, not writable, or the disk is full.</summary>
  File = 4,
  /// <summary>A delegate of the caller threw; that is the <see cref="Exception.InnerException"/>.</summary>
  Callback = 5,
  /// <summary>The ONNX checker rejected the model.</summary>
  Checker = 6,
  /// <summary>The program itself fails when run on the example inputs.</summary>
  Program = 7,
  /// <summary>Out of memory.</summary>
  Memory = 8,
  /// <summary>A bug in tonnx.</summary>
  Internal = 9,
  /// <summary>The export warns, and warnings are errors; <see cref="TonnxException.Reasons"/> lists the
  /// warnings.</summary>
  Warning = 10,
  /// <summary>An observer's token cancelled the call.</summary>
  Cancelled = 11
}

/// <summary>A reason why a program cannot be exported.</summary>
public sealed class Reason {
  internal Reason(string op, string text, string module, string source, long places) {
    Operator = op;
    Text = text;
    Module = module;
    Source = source;
    Places = places;
  }

  /// <summary>The operator, "aten::add".</summary>
  public string Operator { get; }
  /// <summary>Why it is refused.</summary>
  public string Text { get; }
  /// <summary>Module path of the first location, "layer1.0.conv1"; empty if unknown.</summary>
  public string Module { get; }
  /// <summary>Source line of the first location, "model.py:12"; empty if unknown.</summary>
  public string Source { get; }
  /// <summary>Number of locations.</summary>
  public long Places { get; }

  /// <summary>"OPERATOR at MODULE: TEXT".</summary>
  public override string ToString() {
    return Operator + (Module.Length == 0 ? "" : " at " + Module) + ": " + Text;
  }
}

/// <summary>Thrown by a failed call of tonnx. <see cref="Exception.Message"/> is the whole message.</summary>
public sealed class TonnxException : Exception {
  internal TonnxException(Status status, string className, string message, IReadOnlyList<Reason> reasons, string report,
                          Exception cause)
      : base(message, cause) {
    Status = status;
    ClassName = className;
    Reasons = reasons;
    Report = report;
  }

  internal TonnxException(Status status, string className, string message, Exception cause)
      : this(status, className, message, new Reason[0], "", cause) {}

  /// <summary>The kind of failure.</summary>
  public Status Status { get; }
  /// <summary>The name of the error's class: "UnsupportedOperatorError", "ArgumentError", ...</summary>
  public string ClassName { get; }
  /// <summary>True if the error's class is the given one or derives from it: all derive from "OnnxExporterError",
  /// "DependencyError" and "MissingKernelError" also from "FileError".</summary>
  public bool IsA(string className) {
    Require.NotNull(className, nameof(className));
    if (!NativeRuntime.IsStarted)  // an error of this assembly
      return className == ClassName || className == "OnnxExporterError" ||
             (className == "FileError" && ClassName == "DependencyError");
    return Native.error_class_is(ClassName, className);
  }
  /// <summary>The reasons why a program cannot be exported; empty for other errors.</summary>
  public IReadOnlyList<Reason> Reasons { get; }
  /// <summary>Report of the failure, a JSON object. For an export it includes everything found before the
  /// failure.</summary>
  public string Report { get; }
}

}

using System;
using System.Threading;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>The kind of an event.</summary>
public enum EventKind {
  /// <summary>A decision: which lowering was used, why a loop stayed, what was folded.</summary>
  Log = 0,
  /// <summary>A warning, when it is found, also if the call fails later.</summary>
  Warning = 1,
  /// <summary>How far a stage is.</summary>
  Progress = 2
}

/// <summary>The level of a log message.</summary>
public enum Level {
  /// <summary>Each operator.</summary>
  Debug = 0,
  /// <summary>Each larger step.</summary>
  Info = 1,
  /// <summary>Warnings.</summary>
  Warning = 2
}

/// <summary>What a warning is about.</summary>
public enum Category {
  /// <summary>The event is not a warning.</summary>
  None = 0,
  /// <summary>Anything else.</summary>
  Other = 1,
  /// <summary>A construct of the program was changed or dropped.</summary>
  Program = 2,
  /// <summary>The program writes to memory that outlives the call.</summary>
  State = 3,
  /// <summary>Modules are not in the mode of the export.</summary>
  Training = 4,
  /// <summary>An axis is fixed, or the model is wrong at some sizes.</summary>
  Sizes = 5,
  /// <summary>What a recording does not contain.</summary>
  Trace = 6,
  /// <summary>An option has no effect, or another one.</summary>
  Options = 7,
  /// <summary>A symbolic returned an incomplete result.</summary>
  Symbolic = 8,
  /// <summary>ONNX Runtime has no kernel for an operator of the model.</summary>
  Kernel = 9,
  /// <summary>What could not be verified.</summary>
  Verification = 10
}

/// <summary>What an observer receives. Immutable.</summary>
public sealed class Event {
  internal Event(NativeEvent native) {
    Kind = (EventKind)native.kind();
    Level = (Level)native.level();
    Category = (Category)native.category();
    Stage = native.stage();
    Done = native.done();
    Total = native.total();
    IsBytes = native.is_bytes();
    Text = native.text();
    Module = native.module_path();
    Source = native.source();
  }

  /// <summary>Log, warning or progress.</summary>
  public EventKind Kind { get; }
  /// <summary>The level of a log message.</summary>
  public Level Level { get; }
  /// <summary>What a warning is about.</summary>
  public Category Category { get; }
  /// <summary>The stage of the call: "import", "lowering", "writing", ...</summary>
  public string Stage { get; }
  /// <summary>Steps of the stage that are done, or bytes.</summary>
  public long Done { get; }
  /// <summary>How many steps or bytes the stage has; 0 if unknown.</summary>
  public long Total { get; }
  /// <summary>True if the steps are bytes of a file.</summary>
  public bool IsBytes { get; }
  /// <summary>The message of a log or a warning; empty for progress.</summary>
  public string Text { get; }
  /// <summary>Module path of the operator that it is about, "layer1.0.conv1"; empty if unknown.</summary>
  public string Module { get; }
  /// <summary>Source line of the operator that it is about, "model.py:12"; empty if unknown.</summary>
  public string Source { get; }
}

/// <summary>Follows calls and cancels them: <see cref="Options.Observer"/>, <see cref="TraceOptions.Observer"/>, <see
/// cref="VerifyOptions.Observer"/>, <see cref="SaveOptions.Observer"/>. There is an event about
/// every 50 ms. A call that is cancelled throws with <see cref="Status.Cancelled"/> within 0.2 s. It must not change
/// while a call uses it.</summary>
public sealed class Observer {
  /// <summary>Receives the events on the thread of the call. Its exception ends the call with <see
  /// cref="Status.Callback"/>, and is the <see cref="Exception.InnerException"/>. It may call tonnx, but not with the
  /// program of that call.</summary>
  public Action<Event> Received { get; set; }
  /// <summary>Receives the events after <see cref="Received"/>.</summary>
  public IProgress<Event> Progress { get; set; }
  /// <summary>Cancels the calls.</summary>
  public CancellationToken Cancellation { get; set; }
  /// <summary>The lowest level of log messages. Default: <see cref="Level.Info"/>.</summary>
  public Level Level { get; set; } = Level.Info;

  /// <summary>Returns false to cancel the call.</summary>
  internal bool Receive(Event given) {
    if (Cancellation.IsCancellationRequested)
      return false;
    Received?.Invoke(given);
    Progress?.Report(given);
    return !Cancellation.IsCancellationRequested;
  }

  /// <summary>Passes a native observer, which lives during the call.</summary>
  internal void Lend(Action<NativeObserver> call) {
    NativeRuntime.Start();
    // Native code releases the number, also on failure.
    using (var native = new NativeObserver(Host.Hold(this), (int)Level)) call(native);
  }
}

}

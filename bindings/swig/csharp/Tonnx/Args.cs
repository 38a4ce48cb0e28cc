using System;
using Tonnx.Internal;

namespace Tonnx {

/// <summary>Example inputs of a program: positional arguments, then keyword arguments. Values are added
/// in order; values between a Begin and its End go into that list,
/// tuple or dict. Adding while another call uses them throws InvalidOperationException.</summary>
public sealed class Args : IDisposable {
  /// <summary>No arguments yet.</summary>
  public Args() : this(Make()) {}

  internal Args(NativeArgs native) {
    Handle = new Handle<NativeArgs>(nameof(Args), native);
  }

  internal Handle<NativeArgs> Handle { get; }

  /// <summary>Loads a file written by torch.save: a tensor, or a tuple of arguments whose last item may be a dict of
  /// keyword arguments.</summary>
  public static Args Load(string path) {
    Require.NotNull(path, nameof(path));
    NativeRuntime.Start();
    return new Args(NativeArgs.load(path));
  }

  /// <summary>Number of positional and keyword arguments.</summary>
  public int Count => Handle.Use(a => a.count());

  /// <summary>The positional argument of this index; a number becomes a tensor of rank 0.</summary>
  public TensorData Get(int index) {
    if (index < 0)
      throw new ArgumentOutOfRangeException(nameof(index));
    return new TensorData(Handle.Use(a => a.tensor(index)));
  }

  /// <summary>Names the next value: as keyword argument or, inside a dict, as the value of that key.</summary>
  public Args Key(string name) {
    Require.NotNull(name, nameof(name));
    return Run(a => a.key(name));
  }

  /// <summary>Adds a tensor, which is shared; it may be disposed of afterwards.</summary>
  public Args Add(TensorData tensor) {
    Require.NotNull(tensor, nameof(tensor));
    return Run(a => tensor.Handle.Use(a.add_tensor));
  }

  /// <summary>Adds an int.</summary>
  public Args Add(long value) {
    return Run(a => a.add_int(value));
  }

  /// <summary>Adds a float.</summary>
  public Args Add(double value) {
    return Run(a => a.add_float(value));
  }

  /// <summary>Adds a bool.</summary>
  public Args Add(bool value) {
    return Run(a => a.add_bool(value));
  }

  /// <summary>Adds a string.</summary>
  public Args Add(string value) {
    Require.NotNull(value, nameof(value));
    return Run(a => a.add_string(value));
  }

  /// <summary>Adds None.</summary>
  public Args AddNone() {
    return Run(a => a.add_none());
  }

  /// <summary>Opens a list.</summary>
  public Args BeginList() {
    return Run(a => a.begin_list());
  }

  /// <summary>Opens a tuple.</summary>
  public Args BeginTuple() {
    return Run(a => a.begin_tuple());
  }

  /// <summary>Opens a dict.</summary>
  public Args BeginDict() {
    return Run(a => a.begin_dict());
  }

  /// <summary>Closes what was opened last.</summary>
  public Args End() {
    return Run(a => a.end());
  }

  /// <summary>Frees the object; a second call does nothing.</summary>
  public void Dispose() {
    Handle.Close();
  }

  private static NativeArgs Make() {
    NativeRuntime.Start();
    return new NativeArgs();
  }

  private Args Run(Action<NativeArgs> body) {
    Handle.Change(body);
    return this;
  }
}

}

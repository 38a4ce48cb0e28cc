package org.tonnx;

/** Whether initializers are listed among the graph's inputs. */
public enum InitializersAsInputs {
  /** Below opset 9 only. */
  AUTO(0),
  /** Always. */
  YES(1),
  /** Never. */
  NO(2);

  final int code;

  InitializersAsInputs(int code) {
    this.code = code;
  }
}

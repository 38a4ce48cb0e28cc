/** Exports LibTorch programs as ONNX models, without Python. */
module org.tonnx {
  exports org.tonnx;
}

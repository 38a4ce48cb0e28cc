// Compilers call this function to have a static object destroyed at exit(). In a library that contains this definition
// no static object is ever destroyed: other threads may still use those of tonnx, protobuf and ONNX.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" [[gnu::visibility("hidden")]] int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }

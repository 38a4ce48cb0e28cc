// Replaces driver.cpp in programs without it: code compiled with -fsanitize-coverage=trace-pc calls this function.
extern "C" __attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc() {}

// Where a program has no driver.cpp, code that is compiled with -fsanitize-coverage=trace-pc calls this.
extern "C" __attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc() {}

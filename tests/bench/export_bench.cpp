// Times the export call alone, with the libraries loaded: export_bench MODEL.pt ARGS.pt OUT.onnx RUNS [external-data
// mode] Prints one line a run, load, export and save in seconds, each measured apart: `LOAD EXPORT SAVE`.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "tonnx.hpp"

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: export_bench MODEL.pt ARGS.pt OUT.onnx RUNS [external-data mode]\n");
    return 2;
  }
  const int runs = std::atoi(argv[4]);
  const int external_data = argc > 5 ? std::atoi(argv[5]) : TONNX_EXTERNAL_DATA_AUTO;
  try {
    const tonnx::Args args = tonnx::Args::load(argv[2]);
    for (int i = 0; i < runs; ++i) {
      const auto start = std::chrono::steady_clock::now();
      const tonnx::Program program = tonnx::Program::load(argv[1]);
      const double load = seconds_since(start);
      const auto middle = std::chrono::steady_clock::now();
      const tonnx::Model model = tonnx::export_program(program, args);
      const double exporting = seconds_since(middle);
      const auto last = std::chrono::steady_clock::now();
      model.save(argv[3], external_data);
      std::printf("%.6f %.6f %.6f\n", load, exporting, seconds_since(last));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}

// The main function of a fuzz target, for compilers without libFuzzer:
//
//   fuzz_NAME CORPUS                             runs the target on each file of the folder CORPUS
//   fuzz_NAME CORPUS --seconds N [--seed S]      and then on changed copies of them, for N seconds
//
// An input is kept for further changes if it reaches new code, in a build with -fsanitize-coverage=trace-pc. An input
// that ends the process, or that takes more than ten seconds of processor time, is written to the file crash_NAME in
// the current folder.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/time.h>
#include <unistd.h>
#include <vector>

#include "mutator.h"
#include "pieces.h"
#include "target.h"

namespace {

constexpr long kMaxSeconds = 10;

constexpr std::size_t kPlaces = 1 << 18;

// Plain arrays, because an instrumented function of the standard library would call tonnx_fuzz_reach again.
std::uint8_t seen[kPlaces];  // code that inputs reached
std::size_t places = 0;      // how much of it
std::string current;         // the input in progress
char crash_file[256];

}  // namespace

// Called by coverage.cpp, also from libraries.
extern "C" void tonnx_fuzz_reach(std::uintptr_t address);
void tonnx_fuzz_reach(std::uintptr_t address) {
  std::uint8_t& place = seen[(address ^ (address >> 18)) % kPlaces];
  places += !place;
  place = 1;
}

namespace {

void write_crash(int signal) {
  const int file = open(crash_file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0 && write(file, current.data(), current.size()) >= 0) close(file);
  const char text[] = "the input is in the file crash_NAME\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// On a stack of its own, for inputs that exhaust the other one.
void handle_signals() {
  static char memory[1 << 16];
  const stack_t stack{memory, 0, sizeof memory};
  sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_handler = write_crash;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGPROF, SIGILL}) sigaction(signal, &action, nullptr);
}

// Ends the process after so many seconds of processor time; 0: not.
void limit(long seconds) {
  const itimerval timer{{}, {seconds, 0}};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

// Returns true if the input reaches code that no earlier one reached.
bool run(const std::string& input) {
  current = input;
  const std::size_t before = places;
  limit(kMaxSeconds);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size());
  limit(0);
  return places > before;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: %s CORPUS [--seconds N] [--seed S]\n", argv[0]), 2;
  long seconds = 0, seed = 1;
  for (int i = 2; i < argc; i += 2) {
    long* option = !std::strcmp(argv[i], "--seconds") ? &seconds : !std::strcmp(argv[i], "--seed") ? &seed : nullptr;
    if (!option || i + 1 == argc) return std::fprintf(stderr, "%s is not an option with a number\n", argv[i]), 2;
    *option = std::atol(argv[i + 1]);
  }
  const std::string name = std::filesystem::path(argv[0]).filename();
  std::snprintf(crash_file, sizeof crash_file, "crash_%s", name.c_str());
  handle_signals();

  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.push_back(entry.path());
  std::ranges::sort(files);
  if (files.empty()) return std::fprintf(stderr, "%s has no files\n", argv[1]), 1;
  std::vector<std::string> inputs;
  for (const auto& file : files) {
    inputs.push_back(bytes_of(file));
    run(inputs.back());
  }
  const bool is_text = name == "fuzz_json" || name == "fuzz_expressions";
  if (!is_text &&
      std::ranges::none_of(inputs, [](const std::string& input) { return tonnx::fuzz::split(input).has_value(); }))
    return std::fprintf(stderr, "no file of %s has a structure that the mutator knows\n", argv[1]), 1;
  const std::size_t of_corpus = places;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  tonnx::fuzz::Mutator mutator(static_cast<std::uint32_t>(seed), inputs);
  std::size_t runs = inputs.size();
  for (; std::chrono::steady_clock::now() < end; ++runs) {
    std::string input = mutator.next();
    if (run(input)) inputs.push_back(std::move(input));
  }
  std::printf("%s: %zu inputs, %zu kept, %zu code locations (%zu from the corpus), %.0f s of processor time\n",
              name.c_str(), runs, inputs.size(), places, of_corpus, static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
  return 0;
}

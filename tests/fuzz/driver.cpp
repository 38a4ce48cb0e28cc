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
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <sys/time.h>
#include <unistd.h>
#include <vector>

#include "target.h"

namespace {

constexpr std::size_t kMaxSize = 1 << 15;
constexpr long kMaxSeconds = 10;

constexpr std::size_t kPlaces = 1 << 16;

// Plain arrays: functions that are instrumented would call __sanitizer_cov_trace_pc again.
std::uint8_t seen[kPlaces];     // code that earlier inputs reached
std::uint8_t reached[kPlaces];  // code that this input reaches
std::string current;            // the input in progress
char crash_file[256];

}  // namespace

extern "C" __attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc() {
  const auto address = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  reached[(address ^ (address >> 16)) % kPlaces] = 1;
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

// Ends the process after so many seconds of processor time; 0: not.
void limit(long seconds) {
  const itimerval timer{{}, {seconds, 0}};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

// Returns true if the input reaches code that no earlier one reached.
bool run(const std::string& input) {
  current = input;
  std::memset(reached, 0, sizeof reached);
  limit(kMaxSeconds);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size());
  limit(0);
  bool is_new = false;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    if (!reached[i] || seen[i]) continue;
    seen[i] = 1;
    is_new = true;
  }
  return is_new;
}

class Mutator {
 public:
  Mutator(std::uint32_t seed, const std::vector<std::string>& inputs) : random_(seed), inputs_(inputs) {}

  std::string next() {
    std::string text = inputs_[below(inputs_.size())];
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(text);
    text.resize(std::min(text.size(), kMaxSize));
    return text;
  }

 private:
  std::size_t below(std::size_t end) { return end ? random_() % end : 0; }

  void change(std::string& text) {
    static const char* const kWords[] = {"-1",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "18446744073709551615",
                                         "1e999",
                                         "(",
                                         "[",
                                         "{",
                                         "\"",
                                         "null",
                                         "**",
                                         "//",
                                         "%",
                                         "Max(",
                                         "Symbol('s0')",
                                         "0"};
    static const std::uint64_t kNumbers[] = {0,          1,          0x7f,       0x80,       0xff,
                                             0x7fff,     0xffff,     0x7fffffff, 0x80000000, 0xffffffff,
                                             1ULL << 62, ~0ULL >> 1, 1ULL << 63, ~0ULL};
    const std::size_t at = below(text.size() + 1);
    switch (below(8)) {
      case 0:  // a bit
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:  // a byte
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 2: text.erase(at, 1 + below(16)); break;
      case 3: text.insert(at, kWords[below(std::size(kWords))]); break;
      case 4: {  // a number of 1 to 8 bytes
        const std::uint64_t number = kNumbers[below(std::size(kNumbers))];
        const std::size_t size = std::min<std::size_t>(std::size_t{1} << below(4), text.size() - at);
        if (size > 0) std::memcpy(text.data() + at, &number, size);
        break;
      }
      case 5: {  // a part of this input again
        const std::size_t from = below(text.size() + 1);
        text.insert(at, text.substr(from, 1 + below(64)));
        break;
      }
      case 6: {  // a part of another input
        const std::string& other = inputs_[below(inputs_.size())];
        text.insert(at, other.substr(below(other.size() + 1), 1 + below(64)));
        break;
      }
      default: text.resize(at); break;
    }
  }

  std::mt19937 random_;
  const std::vector<std::string>& inputs_;
};

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
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGPROF, SIGILL}) std::signal(signal, write_crash);

  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.push_back(entry.path());
  std::ranges::sort(files);
  if (files.empty()) return std::fprintf(stderr, "%s has no files\n", argv[1]), 1;
  std::vector<std::string> inputs;
  for (const auto& file : files) {
    inputs.push_back(bytes_of(file));
    run(inputs.back());
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  Mutator mutator(static_cast<std::uint32_t>(seed), inputs);
  std::size_t runs = inputs.size();
  for (; std::chrono::steady_clock::now() < end; ++runs) {
    std::string input = mutator.next();
    if (run(input)) inputs.push_back(std::move(input));
  }
  std::printf("%s: %zu inputs, %zu kept\n", name.c_str(), runs, inputs.size());
  return 0;
}

#include "cli/interruption.h"

#include <csignal>
#include <cstring>
#include <dirent.h>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace tonnx::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
constexpr std::size_t kBuffer = 4096;

// Used by the signal handler, which may neither allocate nor wait for a lock.
char folder[kBuffer];
char prefix[64];
volatile std::sig_atomic_t is_waiting = 0;    // a call can be cancelled
volatile std::sig_atomic_t interruption = 0;  // the first signal
constexpr unsigned kSeconds = 2;

// Removes all entries of a folder whose name starts with `begin`, and the contents of folders among them.
void remove_in(int directory, const char* begin) {
  alignas(dirent64) char entries[kBuffer];
  for (long size = 0; (size = ::getdents64(directory, entries, sizeof entries)) > 0;) {
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      at += entry->d_reclen;
      const char* name = entry->d_name;
      const bool is_folder_itself = std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
      if (is_folder_itself || std::strncmp(name, begin, std::strlen(begin)) != 0) continue;
      if (::unlinkat(directory, name, 0) == 0) continue;
      const int inner = ::openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (inner < 0) continue;
      remove_in(inner, "");
      ::close(inner);
      ::unlinkat(directory, name, AT_REMOVEDIR);
    }
  }
}

void clean_up(int number) {
  if (is_waiting && !interruption && number != SIGALRM) {
    interruption = number;
    ::alarm(kSeconds);
    return;
  }
  if (number == SIGALRM) number = static_cast<int>(interruption);
  if (const int directory = ::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC); directory >= 0)
    remove_in(directory, prefix);
  std::signal(number, SIG_DFL);
  std::raise(number);
}

}  // namespace

void clean_up_on_interruption(const std::string& output) {
  std::error_code error;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(output, error);
  const std::string parent = error ? std::string() : resolved.parent_path().string();
  if (parent.empty() || parent.size() >= sizeof folder) return;
  std::strcpy(folder, parent.c_str());
  std::strcpy(prefix, (".tonnx-" + std::to_string(::getpid()) + "-").c_str());
  for (const int number : kSignals) {
    struct sigaction action{};
    if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = clean_up;
    for (const int other : kSignals) ::sigaddset(&action.sa_mask, other);
    ::sigaction(number, &action, nullptr);
  }
}

Interruptible::Interruptible() noexcept { is_waiting = 1; }

Interruptible::~Interruptible() {
  is_waiting = 0;
  ::alarm(0);
  if (interruption && std::uncaught_exceptions() == 0) clean_up(static_cast<int>(interruption));  // it ended first
}

bool is_interrupted() noexcept { return interruption != 0; }

void end_by_interruption() {
  const int number = static_cast<int>(interruption);
  std::signal(number, SIG_DFL);
  std::raise(number);
}

}  // namespace tonnx::cli

#include "backend/running_call.h"

#include <atomic>
#include <bit>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <pthread.h>
#include <unistd.h>
#include <utility>

#include "ir/error.h"
#include "ir/observer.h"

namespace tonnx::backend {
namespace {

constexpr int kWaitMilliseconds = 1'000;
constexpr int kLoadingMilliseconds = 30'000;
constexpr int kMostHandlers = 10'000;
constexpr unsigned kEarlyCheckpoints = 256;

// All of these are constant-initialised and have no destructor, so that they outlive every other object.
std::atomic<int> running = 0;  // threads with a call, and traces
std::atomic<int> loading = 0;  // threads that load a library
std::atomic<bool> closed = false;
std::atomic<pthread_t> exiting = pthread_t{};
std::atomic<int> handlers = 0;          // of exit(); not undone, so their number has a bound
std::atomic<unsigned> checkpoints = 0;  // calls of wait_at_exit() so far
std::atomic<bool> has_fork_handlers = false;
pthread_mutex_t registering = PTHREAD_MUTEX_INITIALIZER;           // held while a handler of exit() is registered
std::atomic<unsigned> process = 0;                                 // raised in each child of fork()
thread_local int depth = 0;                                        // calls on this thread
thread_local int own_loading = 0;                                  // of `loading`
thread_local bool is_ending = false;                               // LibTorch's objects of this thread are destroyed
thread_local std::shared_ptr<std::atomic<int>>* traces = nullptr;  // those of this thread; deleted by ThreadEnd

bool is_blocked() noexcept { return closed.load() && !pthread_equal(exiting.load(), pthread_self()); }

int traces_of_this_thread() noexcept { return traces ? (*traces)->load() : 0; }

void end_traces_of_this_thread() noexcept {
  if (traces) running -= (*traces)->exchange(0);
}

[[noreturn]] void block_for_ever() noexcept {
  if (depth > 0) --running;
  end_traces_of_this_thread();
  while (true) ::pause();
}

void wait_a_millisecond() noexcept {
  const timespec millisecond = {0, 1'000'000};
  ::nanosleep(&millisecond, nullptr);
}

void wait_until_loaded() noexcept {
  for (int waited = 0; loading.load() > own_loading && waited < kLoadingMilliseconds; ++waited) wait_a_millisecond();
}

void close_gate(int, void*) {
  if (closed.load()) return;
  exiting.store(pthread_self());
  closed.store(true);
  wait_until_loaded();
  const int own = (depth > 0 ? 1 : 0) + traces_of_this_thread();
  for (int waited = 0; running.load() > own && waited < kWaitMilliseconds; ++waited) wait_a_millisecond();
}

// Makes exit() close the gate before it destroys the static objects that exist now. on_exit() is not undone when the
// library that contains the handler is closed, and static_objects.cpp does not affect it.
bool close_gate_at_exit() noexcept {
  if (handlers.fetch_add(1) >= kMostHandlers) return false;
  ::pthread_mutex_lock(&registering);
  const bool is_registered = ::on_exit(close_gate, nullptr) == 0;
  ::pthread_mutex_unlock(&registering);
  return is_registered;
}

// exit() first destroys the thread_local objects of its thread. This one lets a library finish making its static
// objects, and then has the gate closed before any static object is destroyed. In a thread that merely ends it only
// waits for such a library.
class ThreadEnd {
 public:
  ~ThreadEnd() {
    is_ending = true;
    end_traces_of_this_thread();
    delete std::exchange(traces, nullptr);
    wait_until_loaded();
    close_gate_at_exit();
  }
  void watch() const noexcept {}  // creates the object of this thread
};

thread_local const ThreadEnd thread_end;

// Created after LibTorch's thread_local objects for tracing, hence destroyed before them.
class TracingEnd {
 public:
  ~TracingEnd() { is_ending = true; }
  void watch() const noexcept {}  // creates the object of this thread
};

thread_local const TracingEnd tracing_end;

// The thread that loads this library is mostly the one that calls exit(), and may never call anything else.
[[maybe_unused]] const bool is_watched = [] {
  thread_end.watch();
  return close_gate_at_exit();
}();

// A child process has only the thread that called fork().
void forget_other_threads() {
  ++process;
  running.store((depth > 0 ? 1 : 0) + traces_of_this_thread());
  loading.store(own_loading);
}

// A child of fork() whose copy of glibc's lock of exit handlers is held would never leave exit().
void handle_forks() noexcept {
  if (has_fork_handlers.exchange(true)) return;
  const auto hold = [] { ::pthread_mutex_lock(&registering); };
  const auto release = [] { ::pthread_mutex_unlock(&registering); };
  const auto release_in_child = [] {
    ::pthread_mutex_unlock(&registering);
    forget_other_threads();
  };
  ::pthread_atfork(hold, release, release_in_child);
}

// While libraries are loaded and first used: exit() destroys the static objects that were made last first, so handlers
// follow them. LibTorch makes many when it compiles for the first time, a single call without checkpoints.
void* follow_static_objects(void*) {
  const auto is_early = [] { return loading.load() > 0 || checkpoints.load() < kEarlyCheckpoints; };
  for (int k = 0; k < kMostHandlers / 2 && is_early(); ++k) {
    close_gate_at_exit();
    wait_a_millisecond();
  }
  return nullptr;
}

// Does nothing if no thread can be created.
void start_following() noexcept {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the caller's threads
  pthread_t thread;
  if (::pthread_create(&thread, nullptr, follow_static_objects, nullptr) == 0) ::pthread_detach(thread);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

const std::shared_ptr<std::atomic<int>>& watched_traces() {
  if (is_ending)
    throw ir::Error(
        ir::Code::Argument,
        "a trace cannot begin while its thread or the process ends: LibTorch has destroyed what it needs for "
        "this thread; trace before exit()");
  thread_end.watch();
  if (!traces) traces = new std::shared_ptr<std::atomic<int>>(std::make_shared<std::atomic<int>>(0));
  return *traces;
}

}  // namespace

RunningCall::RunningCall() noexcept {
  if (depth++ > 0) return;
  ++running;
  if (is_blocked()) block_for_ever();
  thread_end.watch();
  handle_forks();
}

RunningCall::~RunningCall() {
  if (--depth == 0) --running;
}

RunningTrace::RunningTrace() : count_(watched_traces()), process_(process.load()) {
  ++*count_;
  ++running;
}

RunningTrace::~RunningTrace() {
  tracing_end.watch();
  const bool is_own = traces && *traces == count_;
  if (!is_own && process_ != process.load()) return;  // its thread does not exist in this child of fork()
  int count = count_->load();
  while (count > 0 && !count_->compare_exchange_weak(count, count - 1)) {
  }
  if (count > 0) --running;
}

void wait_at_exit() noexcept {
  if (is_blocked()) block_for_ever();
  // LibTorch makes further static objects while it runs, most of them early. They must not be destroyed before the gate
  // is closed by a thread that never called this library, such as that of a virtual machine.
  if (std::has_single_bit(checkpoints.fetch_add(1, std::memory_order_relaxed) + 1)) close_gate_at_exit();
}

void checkpoint() {
  wait_at_exit();
  ir::checkpoint();
}

void step() {
  wait_at_exit();
  ir::count_step();
  ir::checkpoint();
}

Loading::Loading() noexcept {
  handle_forks();
  ++own_loading;
  if (loading++ == 0) start_following();
}

Loading::~Loading() {
  close_gate_at_exit();
  --loading;
  --own_loading;
}

}  // namespace tonnx::backend

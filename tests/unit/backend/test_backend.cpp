#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/libtorch.h"
#include "backend/running_call.h"
#include "backend/scope.h"
#include "ir/callback_error.h"
#include "ir/error.h"

// Tests the loader and what waits for it, with a replacement library next to this program; see stand_in.cpp.
using namespace tonnx;
using testing::ElementsAre;

namespace {

// This thread's calls of the replacement since the last call of asked().
std::vector<std::string> asked() {
  return std::exchange(*static_cast<std::vector<std::string>*>(backend::libtorch().make_handle({})), {});
}

// Nothing is loaded in that process, because suites of this name run before the others.
void in_a_process_of_its_own(void (*body)()) {
  EXPECT_EXIT(
      {
        body();
        std::exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace

TEST(BackendDeathTest, ScopesBeginWhenTheLibraryIsLoaded) {
  in_a_process_of_its_own([] {
    ASSERT_EQ(backend::loaded(), nullptr);
    {
      const backend::Quiet quiet;
      {
        const backend::Untraced over_before_it_began;
      }
      const backend::Untraced untraced;
      const backend::Quiet inner;
      EXPECT_EQ(backend::loaded(), nullptr);
      EXPECT_THAT(asked(), ElementsAre("quiet", "untraced", "quiet within quiet"));
      EXPECT_NE(backend::loaded(), nullptr);
      EXPECT_THAT(asked(), ElementsAre());
    }
    EXPECT_THAT(asked(), ElementsAre("still quiet", "traced", "loud"));
  });
}

TEST(BackendDeathTest, ThreadsLoadItOnce) {
  in_a_process_of_its_own([] {
    std::vector<std::thread> threads;
    std::atomic<bool> go = false;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        const backend::Quiet quiet;
        while (!go) std::this_thread::yield();
        EXPECT_THAT(asked(), ElementsAre("quiet"));
      });
    go = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(static_cast<std::atomic<std::size_t>*>(backend::libtorch().copy_handle(nullptr))->load(), 1U);
  });
}

std::atomic<bool> is_destroyed = false;

// The thread that calls exit() has never called the library. Objects that a library makes while it is loaded are
// destroyed only after the loading thread is blocked.
TEST(BackendDeathTest, ExitWaitsForALibraryThatIsLoaded) {
  in_a_process_of_its_own([] {
    using std::chrono::milliseconds;
    std::atomic<bool> has_made_objects = false;
    std::thread([&] {
      const backend::RunningCall call;
      {
        const backend::Loading loading;
        ::on_exit([](int, void*) { is_destroyed = true; }, nullptr);
        std::this_thread::sleep_for(milliseconds(100));
        has_made_objects = true;
        std::this_thread::sleep_for(milliseconds(200));
      }
      if (is_destroyed) ::_exit(3);
      backend::wait_at_exit();
      ::_exit(4);
    }).detach();
    std::thread([&] {
      while (!has_made_objects) std::this_thread::yield();
      std::exit(0);
    }).join();
  });
}

// A thread of the library registers handlers of exit() during this time. No child may copy a lock that this thread
// holds.
TEST(BackendDeathTest, ChildrenExitWhileALibraryIsLoaded) {
  in_a_process_of_its_own([] {
    const backend::Loading loading;
    for (int k = 0; k < 200; ++k) {
      const pid_t child = ::fork();
      if (child == 0) {
        ::alarm(20);
        std::exit(0);
      }
      int status = 0;
      if (::waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) ::_exit(5);
    }
    ::_exit(0);
  });
}

TEST(BackendDeathTest, ATraceBeginsInNoHandlerOfExit) {
  in_a_process_of_its_own([] {
    {
      const backend::RunningTrace trace;
    }
    std::atexit([] {
      try {
        const backend::RunningTrace trace;
      } catch (const ir::Error&) {
        ::_exit(0);
      }
      ::_exit(6);
    });
    std::exit(7);
  });
}

TEST(Backend, ScopesBeginAtOnceWhereItIsLoaded) {
  asked();
  {
    const backend::Untraced untraced;
    const backend::Quiet quiet;
    EXPECT_THAT(asked(), ElementsAre("untraced", "quiet"));
  }
  EXPECT_THAT(asked(), ElementsAre("loud", "traced"));
}

TEST(Backend, AScopeIsOfItsThread) {
  const backend::Quiet quiet;
  asked();
  std::thread([] { EXPECT_THAT(asked(), ElementsAre()); }).join();
}

// The other thread loaded the library while this one was in a scope.
TEST(BackendDeathTest, AScopeBeginsBeforeThoseInside) {
  in_a_process_of_its_own([] {
    const backend::Untraced untraced;
    std::thread([] { backend::libtorch(); }).join();
    const backend::Quiet quiet;
    EXPECT_THAT(asked(), ElementsAre("untraced", "quiet"));
  });
}

TEST(Backend, ErrorsKeepTheirClassAcrossTheLibraries) {
  try {
    backend::libtorch().load_archive(std::string("model.pt"));
    FAIL();
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::File);
    EXPECT_STREQ(error.what(), "model.pt");
    ASSERT_EQ(error.reasons().size(), 1U);
    EXPECT_EQ(error.reasons()[0].module, "module");
    EXPECT_EQ(error.reasons()[0].count, 2);
    EXPECT_EQ(dynamic_cast<const ir::CallbackError*>(&error), nullptr);
  }
  try {
    backend::libtorch().read_arguments("args.pt");
    FAIL();
  } catch (const std::exception& error) {
    const auto* callback = dynamic_cast<const ir::CallbackError*>(&error);
    ASSERT_NE(callback, nullptr);
    EXPECT_EQ(*std::static_pointer_cast<int>(callback->cause()), 7);
  }
  EXPECT_THROW(backend::libtorch().load_archive(std::vector<std::byte>()), std::bad_alloc);
}

TEST(Backend, MemoryOfOneIsFreedByTheOther) {
  const ir::Tensor tensor = backend::libtorch().tensor_from_handle(nullptr);
  EXPECT_EQ(tensor.dims, std::vector<std::int64_t>{3});
  EXPECT_EQ(tensor.as_int64(2), 3);
}

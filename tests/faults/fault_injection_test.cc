#include "catena/tests/faults/fault_injection.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_pool.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::testing {
namespace {

void* give_up(void*) { return nullptr; }

// The call that a fault is about, for which there are two names; whether it
// failed. Needs no memory of its own.
bool call_fails(Fault fault, const std::string& name,
                const std::string& other) {
  const int file = ::open(name.c_str(), O_RDWR | O_CREAT, 0644);
  char bytes[2] = {};
  pthread_t thread;
  pid_t process = 0;
  char name_of_program[] = "true";
  char* const arguments[] = {name_of_program, nullptr};
  bool failed = false;
  switch (fault) {
    case Fault::kNew:
      failed = ::operator new(8, std::nothrow) == nullptr;
      break;
    case Fault::kPool:
      try {
        cpu::pool_free(cpu::pool_allocate(8), 8);
      } catch (const OutOfMemoryError&) {
        failed = true;
      }
      break;
    case Fault::kAlignedNew:
      failed = std::aligned_alloc(64, 64) == nullptr;
      break;
    case Fault::kMalloc: {
      void* volatile data = std::malloc(8);
      failed = data == nullptr;
      std::free(data);
      break;
    }
    case Fault::kMap:
      failed = ::mmap(nullptr, 8, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                      0) == MAP_FAILED;
      break;
    case Fault::kOpen:
      failed = file < 0;
      break;
    case Fault::kRead:
      failed = ::pread(file, bytes, 2, 0) < 0;
      break;
    case Fault::kShortRead:
      ::pwrite(file, bytes, 2, 0);
      failed = ::pread(file, bytes, 2, 0) == 1;
      break;
    case Fault::kWrite:
      failed = ::pwrite(file, bytes, 2, 0) < 0;
      break;
    case Fault::kShortWrite:
      failed = ::write(file, bytes, 2) == 1;
      break;
    case Fault::kSync:
      failed = ::fsync(file) != 0;
      break;
    case Fault::kTruncate:
      failed = ::ftruncate(file, 0) != 0;
      break;
    case Fault::kLock:
      failed = ::flock(file, LOCK_SH) != 0;
      break;
    case Fault::kRename:
      failed = ::rename(name.c_str(), name.c_str()) != 0;
      break;
    case Fault::kLink:
      failed =
          ::linkat(AT_FDCWD, name.c_str(), AT_FDCWD, other.c_str(), 0) != 0;
      ::unlink(other.c_str());
      break;
    case Fault::kClose:
      failed = ::close(::dup(file)) != 0;
      break;
    case Fault::kThread:
      failed = ::pthread_create(&thread, nullptr, give_up, nullptr) != 0;
      if (!failed) ::pthread_join(thread, nullptr);
      break;
    case Fault::kSpawn:
      failed = ::posix_spawnp(&process, name_of_program, nullptr, nullptr,
                              arguments, nullptr) == EAGAIN;
      if (!failed) ::waitpid(process, nullptr, 0);
      break;
    case Fault::kCuda:
    case Fault::kCudaMemory:
    case Fault::kCudaPool:
      break;
  }
  if (file >= 0) ::close(file);
  return failed;
}

TEST(FaultInjectionTest, EachKindFailsWhenItsTurnComesAndOnlyThen) {
  const TempFolder folder;
  const std::string name = folder.file("a");
  const std::string other = folder.file("b");
  for (int i = 0; i < kSystemFaults; ++i) {
    const auto fault = static_cast<Fault>(i);
    SCOPED_TRACE(to_string(fault));
    bool failed = false;
    bool counted = false;
    {
      const FaultScope scope(fault, 1);
      failed = call_fails(fault, name, other);
      counted = scope.has_failed();
    }
    EXPECT_TRUE(failed);
    EXPECT_TRUE(counted);
    {
      const FaultScope scope(fault, 1000);
      failed = call_fails(fault, name, other);
      counted = scope.calls(fault) > 0 && !scope.has_failed();
    }
    EXPECT_FALSE(failed);
    EXPECT_TRUE(counted);
    EXPECT_FALSE(call_fails(fault, name, other));
  }
}

TEST(FaultInjectionTest, CallsOfOthersFailByName) {
  const FaultScope scope(Fault::kCuda, 2);
  EXPECT_FALSE(is_to_fail(Fault::kCuda, "first"));
  EXPECT_FALSE(is_to_fail(Fault::kCudaMemory, "another"));
  EXPECT_TRUE(is_to_fail(Fault::kCuda, "second"));
  EXPECT_FALSE(is_to_fail(Fault::kCuda, "third"));
  EXPECT_EQ(scope.failed_call(), "second");
}

TEST(FaultInjectionTest, MemoryThatHasRunOutStaysAway) {
  const FaultScope scope(Fault::kCudaMemory, 2);
  EXPECT_FALSE(is_to_fail(Fault::kCudaMemory));
  EXPECT_TRUE(is_to_fail(Fault::kCudaMemory));
  EXPECT_TRUE(is_to_fail(Fault::kCudaMemory));
}

TEST(FaultInjectionTest, ASuspendedThreadIsNotCounted) {
  int64_t calls = 0;
  {
    const FaultScope scope(Fault::kNew, 1);
    const NoFaults suspended;
    std::make_unique<int>(1);
    calls = scope.calls(Fault::kNew);
  }
  EXPECT_EQ(calls, 0);
}

TEST(FaultInjectionTest, LiveBytesAreThoseNotDeleted) {
  const int64_t before = live_heap_bytes();
  auto bytes = std::make_unique<char[]>(1000);
  const int64_t held = live_heap_bytes() - before;
  bytes = nullptr;
  const int64_t rest = live_heap_bytes() - before;
  EXPECT_EQ(held, 1000);
  EXPECT_EQ(rest, 0);
}

}  // namespace
}  // namespace catena::testing

#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

// Replaces functions of the system and operator new in the programs that link
// it, so that a test chooses which of their calls fail. Until a FaultScope says
// so, all of them do what they always do, but for fsync, which does not wait.
// Shared libraries are not tested, so that their calls do not count, but for
// the C++ library and libhdf5, which writes .h5 files.
namespace catena::testing {

enum class Fault {
  kNew,         // operator new throws std::bad_alloc
  kPool,        // the host's memory pool throws OutOfMemoryError
  kAlignedNew,  // aligned_alloc, where the pool takes small blocks from
  kMalloc,      // malloc, calloc, realloc, strdup
  kMap,         // mmap
  kOpen,        // open, openat
  kRead,        // read, pread
  kShortRead,   // the same: one byte fewer than asked for, or half of them
  kWrite,       // write, pwrite
  kShortWrite,  // the same: one byte fewer than asked for, or half of them
  kSync,        // fsync
  kTruncate,    // ftruncate
  kLock,        // flock
  kRename,      // rename
  kLink,        // linkat
  kClose,       // close, which closes but reports an error
  kThread,      // pthread_create
  kSpawn,       // posix_spawn, posix_spawnp
  // On emulated GPUs (cuda_faults.h).
  kCuda,        // a call of the CUDA runtime or of its libraries
  kCudaMemory,  // the driver has no memory from this request on, on any device
  kCudaPool,    // a memory pool of CUDA throws OutOfMemoryError
};
inline constexpr int kSystemFaults = 18;
inline constexpr int kFaults = 21;

std::string to_string(Fault fault);

// While it exists, the calls of all threads are counted, and one of them fails.
// One at a time.
class FaultScope {
 public:
  // Nothing fails.
  FaultScope();
  // The n-th call fails, counted from 1.
  FaultScope(Fault fault, int64_t n);
  ~FaultScope();
  FaultScope(const FaultScope&) = delete;
  FaultScope& operator=(const FaultScope&) = delete;

  // The calls so far that could have failed in this way.
  int64_t calls(Fault fault) const;
  // Whether there were as many.
  bool has_failed() const;
  // The name of the call that failed, where is_to_fail() was given one.
  std::string failed_call() const;
};

// For what counts calls besides: counts one of this thread, which has a name if
// it is not null; whether it fails.
bool is_to_fail(Fault fault, const char* name = nullptr);

// Suspends the scope for the calling thread: for a test's own code in a
// callback.
class NoFaults {
 public:
  NoFaults();
  ~NoFaults();
  NoFaults(const NoFaults&) = delete;
  NoFaults& operator=(const NoFaults&) = delete;

 private:
  bool outer_;
};

// The bytes from operator new that have not been deleted.
int64_t live_heap_bytes();

// Is told of the calls that change files, after they were made and only if they
// succeeded. Paths are those of the caller.
class FileCallObserver {
 public:
  virtual ~FileCallObserver() = default;
  virtual void opened(int file, const std::string& path, int flags) = 0;
  virtual void written(int file, std::string_view bytes, int64_t offset) = 0;
  virtual void synchronized(int file) = 0;
  virtual void renamed(const std::string& from, const std::string& to) = 0;
  virtual void linked(const std::string& from, const std::string& to) = 0;
  virtual void removed(const std::string& path) = 0;
  virtual void closed(int file) = 0;
};

// Null for none. The observer is not told of its own calls.
void observe_file_calls(FileCallObserver* observer);

}  // namespace catena::testing

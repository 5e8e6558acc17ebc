// The replaced functions are declared again here: their headers may define some
// of them inline.
#undef _FORTIFY_SOURCE

#include "catena/tests/faults/fault_injection.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/tests/support/counted_heap.h"

// The C library's own, which need not be looked up: looking up allocates.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* data, size_t size);
}

namespace catena::testing {
namespace {

// Zero-initialized: the functions are called before any constructor runs.
struct State {
  std::atomic<bool> is_armed;
  std::atomic<int> fault;
  std::atomic<int64_t> n;  // 0: nothing fails
  std::atomic<const char*> failed_call;
  std::array<std::atomic<int64_t>, kFaults> calls;
  std::atomic<FileCallObserver*> observer;
};
constinit State state{};
constinit thread_local bool is_suspended = false;

// The code of the program, of the C++ library, which is part of it in a way,
// and of libhdf5.
struct Code {
  struct Range {
    uintptr_t begin;
    uintptr_t end;
  };
  std::array<Range, 16> ranges;
  size_t count;

  void find() {
    count = 0;
    ::dl_iterate_phdr(
        [](dl_phdr_info* object, size_t, void* code) {
          static_cast<Code*>(code)->add(*object);
          return 0;
        },
        this);
  }
  void add(const dl_phdr_info& object) {
    const std::string_view name = object.dlpi_name;
    if (!name.empty() && name.find("libstdc++") == name.npos &&
        name.find("libhdf5") == name.npos) {
      return;
    }
    for (int i = 0; i < object.dlpi_phnum; ++i) {
      const auto& segment = object.dlpi_phdr[i];
      if (segment.p_type != PT_LOAD || count == ranges.size()) continue;
      const uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
      ranges[count++] = {begin, begin + segment.p_memsz};
    }
  }
  bool contains(const void* address) const {
    const auto number = reinterpret_cast<uintptr_t>(address);
    return std::any_of(ranges.begin(), ranges.begin() + count,
                       [number](const Range& range) {
                         return number >= range.begin && number < range.end;
                       });
  }
};
constinit Code own_code{};

bool counts() {
  return state.is_armed.load(std::memory_order_acquire) && !is_suspended;
}

// Counts a call; whether it fails.
bool count(Fault fault) {
  const int64_t call = ++state.calls[static_cast<size_t>(fault)];
  if (state.fault != static_cast<int>(fault) || state.n == 0) return false;
  return call == state.n || (fault == Fault::kCudaMemory && call > state.n);
}

// Counts a call from `caller`; whether it fails.
bool fails(const void* caller, Fault fault) {
  return counts() && own_code.contains(caller) && count(fault);
}

bool fails(const void* caller, Fault fault, int error) {
  if (!fails(caller, fault)) return false;
  errno = error;
  return true;
}

// How much of a transfer is made.
size_t shortened(const void* caller, Fault fault, size_t size) {
  if (size < 2 || !fails(caller, fault)) return size;
  return size > 64 ? size / 2 : size - 1;
}

// Where the program's definition hides the system's.
template <class Function>
Function* hidden(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// Keeps errno, and is not observed itself.
template <class Tell>
void observe(Tell tell) {
  FileCallObserver* const observer = state.observer;
  if (observer == nullptr || is_suspended) return;
  const NoFaults suspended;
  const int error = errno;
  tell(*observer);
  errno = error;
}

constexpr size_t kOrdinary = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

void* allocate(const void* caller, size_t bytes, size_t alignment) {
  if (fails(caller, Fault::kNew)) return nullptr;
  const size_t size = counted_size(bytes, alignment);
  void* block = nullptr;
  if (alignment <= kOrdinary) {
    block = __libc_malloc(size);
  } else if (::posix_memalign(&block, alignment, size) != 0) {
    return nullptr;
  }
  return block == nullptr ? nullptr : begin_counted(block, bytes, alignment);
}

void* allocate_or_throw(const void* caller, size_t bytes, size_t alignment) {
  void* const data = allocate(caller, bytes, alignment);
  if (data == nullptr) throw std::bad_alloc();
  return data;
}

void release(void* data, size_t alignment = kOrdinary) noexcept {
  if (data != nullptr) std::free(end_counted(data, alignment));
}

}  // namespace

std::string to_string(Fault fault) {
  constexpr std::array<std::string_view, kFaults> kNames = {
      "operator new",   "pool_allocate", "aligned_alloc", "malloc",
      "mmap",           "open",          "read",          "short read",
      "write",          "short write",   "fsync",         "ftruncate",
      "flock",          "rename",        "linkat",        "close",
      "pthread_create", "posix_spawn",   "CUDA",          "CUDA's memory",
      "CUDA's pool"};
  return std::string(kNames[static_cast<size_t>(fault)]);
}

FaultScope::FaultScope() : FaultScope(Fault::kNew, 0) {}

FaultScope::FaultScope(Fault fault, int64_t n) {
  for (std::atomic<int64_t>& calls : state.calls) calls = 0;
  own_code.find();
  state.fault = static_cast<int>(fault);
  state.n = n;
  state.failed_call = nullptr;
  state.is_armed.store(true, std::memory_order_release);
}

FaultScope::~FaultScope() { state.is_armed = false; }

int64_t FaultScope::calls(Fault fault) const {
  return state.calls[static_cast<size_t>(fault)];
}

bool FaultScope::has_failed() const {
  return state.n > 0 &&
         calls(static_cast<Fault>(state.fault.load())) >= state.n;
}

std::string FaultScope::failed_call() const {
  const char* const name = state.failed_call;
  return name == nullptr ? "" : name;
}

bool is_to_fail(Fault fault, const char* name) {
  if (!counts() || !count(fault)) return false;
  state.failed_call = name;
  return true;
}

NoFaults::NoFaults() : outer_(std::exchange(is_suspended, true)) {}
NoFaults::~NoFaults() { is_suspended = outer_; }

int64_t live_heap_bytes() { return counted_bytes; }

void observe_file_calls(FileCallObserver* observer) {
  state.observer = observer;
}

}  // namespace catena::testing

using catena::testing::allocate;
using catena::testing::allocate_or_throw;
using catena::testing::fails;
using catena::testing::Fault;
using catena::testing::FileCallObserver;
using catena::testing::hidden;
using catena::testing::kOrdinary;
using catena::testing::observe;
using catena::testing::release;
using catena::testing::shortened;

void* operator new(size_t n) {
  return allocate_or_throw(__builtin_return_address(0), n, kOrdinary);
}
void* operator new[](size_t n) {
  return allocate_or_throw(__builtin_return_address(0), n, kOrdinary);
}
void* operator new(size_t n, std::align_val_t alignment) {
  return allocate_or_throw(__builtin_return_address(0), n,
                           static_cast<size_t>(alignment));
}
void* operator new[](size_t n, std::align_val_t alignment) {
  return allocate_or_throw(__builtin_return_address(0), n,
                           static_cast<size_t>(alignment));
}
void* operator new(size_t n, const std::nothrow_t&) noexcept {
  return allocate(__builtin_return_address(0), n, kOrdinary);
}
void* operator new[](size_t n, const std::nothrow_t&) noexcept {
  return allocate(__builtin_return_address(0), n, kOrdinary);
}
void* operator new(size_t n, std::align_val_t alignment,
                   const std::nothrow_t&) noexcept {
  return allocate(__builtin_return_address(0), n,
                  static_cast<size_t>(alignment));
}
void* operator new[](size_t n, std::align_val_t alignment,
                     const std::nothrow_t&) noexcept {
  return allocate(__builtin_return_address(0), n,
                  static_cast<size_t>(alignment));
}
void operator delete(void* data) noexcept { release(data); }
void operator delete[](void* data) noexcept { release(data); }
void operator delete(void* data, size_t) noexcept { release(data); }
void operator delete[](void* data, size_t) noexcept { release(data); }
void operator delete(void* data, std::align_val_t alignment) noexcept {
  release(data, static_cast<size_t>(alignment));
}
void operator delete[](void* data, std::align_val_t alignment) noexcept {
  release(data, static_cast<size_t>(alignment));
}
void operator delete(void* data, size_t, std::align_val_t alignment) noexcept {
  release(data, static_cast<size_t>(alignment));
}
void operator delete[](void* data, size_t,
                       std::align_val_t alignment) noexcept {
  release(data, static_cast<size_t>(alignment));
}

extern "C" {

// The linker's option --wrap sends calls of catena::cpu::pool_allocate(int64_t)
// here, so that the pool itself needs no hook.
void* __real__ZN6catena3cpu13pool_allocateEl(int64_t bytes);
void* __wrap__ZN6catena3cpu13pool_allocateEl(int64_t bytes) {
  if (fails(__builtin_return_address(0), Fault::kPool)) {
    catena::raise<catena::OutOfMemoryError>(
        "memory pool: an injected fault in a request for ", bytes, " bytes");
  }
  return __real__ZN6catena3cpu13pool_allocateEl(bytes);
}

void* malloc(size_t size) noexcept {
  return fails(__builtin_return_address(0), Fault::kMalloc, ENOMEM)
             ? nullptr
             : __libc_malloc(size);
}

void* calloc(size_t count, size_t size) noexcept {
  return fails(__builtin_return_address(0), Fault::kMalloc, ENOMEM)
             ? nullptr
             : __libc_calloc(count, size);
}

void* realloc(void* data, size_t size) noexcept {
  return fails(__builtin_return_address(0), Fault::kMalloc, ENOMEM)
             ? nullptr
             : __libc_realloc(data, size);
}

char* strdup(const char* text) noexcept {
  if (fails(__builtin_return_address(0), Fault::kMalloc, ENOMEM)) {
    return nullptr;
  }
  const size_t size = std::strlen(text) + 1;
  void* const copy = __libc_malloc(size);
  if (copy != nullptr) std::memcpy(copy, text, size);
  return static_cast<char*>(copy);
}

void* aligned_alloc(size_t alignment, size_t size) noexcept {
  static const auto call = hidden<void*(size_t, size_t)>("aligned_alloc");
  return fails(__builtin_return_address(0), Fault::kAlignedNew, ENOMEM)
             ? nullptr
             : call(alignment, size);
}

void* mmap(void* address, size_t size, int protection, int flags, int file,
           off_t offset) noexcept {
  static const auto call =
      hidden<void*(void*, size_t, int, int, int, off_t)>("mmap");
  if (fails(__builtin_return_address(0), Fault::kMap, ENOMEM))
    return MAP_FAILED;
  return call(address, size, protection, flags, file, offset);
}

int open(const char* path, int flags, ...) {
  static const auto call = hidden<int(const char*, int, ...)>("open");
  std::va_list more;
  va_start(more, flags);
  const mode_t mode =
      (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (fails(__builtin_return_address(0), Fault::kOpen, EMFILE)) return -1;
  const int file = call(path, flags, mode);
  if (file >= 0) {
    observe([&](FileCallObserver& to) { to.opened(file, path, flags); });
  }
  return file;
}

int openat(int folder, const char* path, int flags, ...) {
  static const auto call = hidden<int(int, const char*, int, ...)>("openat");
  std::va_list more;
  va_start(more, flags);
  const mode_t mode =
      (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (fails(__builtin_return_address(0), Fault::kOpen, EMFILE)) return -1;
  return call(folder, path, flags, mode);
}

ssize_t read(int file, void* to, size_t size) {
  static const auto call = hidden<ssize_t(int, void*, size_t)>("read");
  if (fails(__builtin_return_address(0), Fault::kRead, EIO)) return -1;
  return call(file, to,
              shortened(__builtin_return_address(0), Fault::kShortRead, size));
}

ssize_t pread(int file, void* to, size_t size, off_t offset) {
  static const auto call = hidden<ssize_t(int, void*, size_t, off_t)>("pread");
  if (fails(__builtin_return_address(0), Fault::kRead, EIO)) return -1;
  return call(file, to,
              shortened(__builtin_return_address(0), Fault::kShortRead, size),
              offset);
}

ssize_t write(int file, const void* from, size_t size) {
  static const auto call = hidden<ssize_t(int, const void*, size_t)>("write");
  if (fails(__builtin_return_address(0), Fault::kWrite, ENOSPC)) return -1;
  const ssize_t count =
      call(file, from,
           shortened(__builtin_return_address(0), Fault::kShortWrite, size));
  if (count > 0) {
    observe([&](FileCallObserver& to) {
      to.written(file,
                 {static_cast<const char*>(from), static_cast<size_t>(count)},
                 ::lseek(file, 0, SEEK_CUR) - count);
    });
  }
  return count;
}

ssize_t pwrite(int file, const void* from, size_t size, off_t offset) {
  static const auto call =
      hidden<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  if (fails(__builtin_return_address(0), Fault::kWrite, ENOSPC)) return -1;
  const ssize_t count = call(
      file, from,
      shortened(__builtin_return_address(0), Fault::kShortWrite, size), offset);
  if (count > 0) {
    observe([&](FileCallObserver& to) {
      to.written(file,
                 {static_cast<const char*>(from), static_cast<size_t>(count)},
                 offset);
    });
  }
  return count;
}

int fsync(int file) {
  if (fails(__builtin_return_address(0), Fault::kSync, EIO)) return -1;
  // Without a wait for the disk, which thousands of runs need not survive.
  if (::fcntl(file, F_GETFD) < 0) return -1;
  observe([&](FileCallObserver& to) { to.synchronized(file); });
  return 0;
}

int ftruncate(int file, off_t size) noexcept {
  static const auto call = hidden<int(int, off_t)>("ftruncate");
  return fails(__builtin_return_address(0), Fault::kTruncate, EIO)
             ? -1
             : call(file, size);
}

int flock(int file, int operation) noexcept {
  static const auto call = hidden<int(int, int)>("flock");
  return fails(__builtin_return_address(0), Fault::kLock, ENOLCK)
             ? -1
             : call(file, operation);
}

int rename(const char* from, const char* to) noexcept {
  static const auto call = hidden<int(const char*, const char*)>("rename");
  if (fails(__builtin_return_address(0), Fault::kRename, EIO)) return -1;
  const int status = call(from, to);
  if (status == 0) {
    observe([&](FileCallObserver& observer) { observer.renamed(from, to); });
  }
  return status;
}

int linkat(int from_folder, const char* from, int to_folder, const char* to,
           int flags) noexcept {
  static const auto call =
      hidden<int(int, const char*, int, const char*, int)>("linkat");
  if (fails(__builtin_return_address(0), Fault::kLink, ENOSPC)) return -1;
  const int status = call(from_folder, from, to_folder, to, flags);
  if (status == 0) {
    observe([&](FileCallObserver& observer) { observer.linked(from, to); });
  }
  return status;
}

int unlink(const char* path) noexcept {
  static const auto call = hidden<int(const char*)>("unlink");
  const int status = call(path);
  if (status == 0) {
    observe([&](FileCallObserver& to) { to.removed(path); });
  }
  return status;
}

int remove(const char* path) noexcept {
  static const auto call = hidden<int(const char*)>("remove");
  const int status = call(path);
  if (status == 0) {
    observe([&](FileCallObserver& to) { to.removed(path); });
  }
  return status;
}

int close(int file) {
  static const auto call = hidden<int(int)>("close");
  observe([&](FileCallObserver& to) { to.closed(file); });
  const int status = call(file);
  return fails(__builtin_return_address(0), Fault::kClose, EIO) ? -1 : status;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                   void* (*run)(void*), void* argument) noexcept {
  static const auto call =
      hidden<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>(
          "pthread_create");
  return fails(__builtin_return_address(0), Fault::kThread)
             ? EAGAIN
             : call(thread, attributes, run, argument);
}

int posix_spawn(pid_t* process, const char* path,
                const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const* arguments,
                char* const* environment) {
  static const auto call =
      hidden<int(pid_t*, const char*, const posix_spawn_file_actions_t*,
                 const posix_spawnattr_t*, char* const*, char* const*)>(
          "posix_spawn");
  if (fails(__builtin_return_address(0), Fault::kSpawn)) return EAGAIN;
  return call(process, path, actions, attributes, arguments, environment);
}

int posix_spawnp(pid_t* process, const char* name,
                 const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const* arguments,
                 char* const* environment) {
  static const auto call =
      hidden<int(pid_t*, const char*, const posix_spawn_file_actions_t*,
                 const posix_spawnattr_t*, char* const*, char* const*)>(
          "posix_spawnp");
  if (fails(__builtin_return_address(0), Fault::kSpawn)) return EAGAIN;
  return call(process, name, actions, attributes, arguments, environment);
}

}  // extern "C"

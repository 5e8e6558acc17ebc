// Replaces operator new, so that one that asks for more than a limit throws
// std::bad_alloc, as where a system has no more memory. Sanitizers end the
// process instead, or it is killed when it uses what it got.

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constexpr size_t kMaxBytes = size_t{1} << 28;
std::atomic<size_t> live_bytes = 0;

void* allocate(size_t bytes) noexcept {
  if (bytes > kMaxBytes || live_bytes > kMaxBytes - bytes) return nullptr;
  void* const data = std::malloc(bytes);
  if (data != nullptr) live_bytes += ::malloc_usable_size(data);
  return data;
}

void* allocate_or_throw(size_t bytes) {
  void* const data = allocate(bytes);
  if (data == nullptr) throw std::bad_alloc();
  return data;
}

void deallocate(void* data) noexcept {
  if (data == nullptr) return;
  live_bytes -= ::malloc_usable_size(data);
  std::free(data);
}

}  // namespace

void* operator new(size_t bytes) { return allocate_or_throw(bytes); }
void* operator new[](size_t bytes) { return allocate_or_throw(bytes); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes);
}
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes);
}
void operator delete(void* data) noexcept { deallocate(data); }
void operator delete[](void* data) noexcept { deallocate(data); }
void operator delete(void* data, size_t) noexcept { deallocate(data); }
void operator delete[](void* data, size_t) noexcept { deallocate(data); }
void operator delete(void* data, const std::nothrow_t&) noexcept {
  deallocate(data);
}
void operator delete[](void* data, const std::nothrow_t&) noexcept {
  deallocate(data);
}

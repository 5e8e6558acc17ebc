#include "catena/array/core/memory_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <unordered_map>

#include "catena/array/core/environment.h"
#include "catena/array/core/error.h"
#include "catena/array/core/host_memory_limit.h"
#include "catena/array/core/huge_pages.h"

namespace catena::cpu {
namespace {

constexpr int64_t kAlignment = 64;
constexpr int64_t kHugePage = 2 << 20;
constexpr int64_t kPage = 4096;
// Successive large blocks start at different page offsets. Otherwise all
// addresses of two arrays would agree in the last 12 bits, and the processor
// would mistake reads for reads of what it has just written (4K aliasing).
constexpr int64_t kStarts[] = {0, 1024, 2048, 3072};
constexpr int64_t kLargestClass = 1 << 20;
// More than a program can address, and more than AddressSanitizer accepts
// without aborting.
#ifdef __SANITIZE_ADDRESS__
constexpr int64_t kMaxBytes = int64_t{1} << 39;
#else
constexpr int64_t kMaxBytes = int64_t{1} << 47;
#endif
constexpr int64_t kSlabBytes = 256 << 10;
constexpr int64_t kLargestInSlab = 16 << 10;
// From here on and up to kSmallestMapped, blocks share huge pages.
constexpr int64_t kSmallestOnHugePages = 256 << 10;
constexpr int64_t kSmallestMapped = 8 << 20;

// Size classes: multiples of 64 up to 1 KiB, then four to each doubling.
constexpr int kSmallClasses = 16;
constexpr int kClasses = kSmallClasses + 4 * 10;

constexpr int class_of(int64_t bytes) {
  if (bytes <= 1024) {
    return bytes <= 64 ? 0 : static_cast<int>((bytes - 1) / 64);
  }
  const uint64_t last = static_cast<uint64_t>(bytes - 1);
  const int octave = std::bit_width(last) - 11;  // 0 for 1025 to 2048
  const int step = static_cast<int>(last >> (octave + 8)) - 4;
  return kSmallClasses + 4 * octave + step;
}

constexpr int64_t bytes_of_class(int index) {
  if (index < kSmallClasses) return 64 * (index + 1);
  const int octave = (index - kSmallClasses) / 4;
  const int step = (index - kSmallClasses) % 4;
  return int64_t{256} * (5 + step) << octave;
}

static_assert(class_of(64) == 0 && class_of(65) == 1 && class_of(1024) == 15);
static_assert(bytes_of_class(class_of(1025)) == 1280);
static_assert(bytes_of_class(class_of(kLargestClass)) == kLargestClass);
static_assert(class_of(kLargestClass) == kClasses - 1);

// The system's limit, which it would enforce by ending the process. None if its
// files cannot be read.
int64_t default_limit() noexcept {
  try {
    return host_memory_limit("");
  } catch (const std::exception&) {
    return 0;
  }
}

struct FreeBlock {
  FreeBlock* next;
};

struct FreeList {
  FreeBlock* head = nullptr;
  int count = 0;

  void push(void* data) {
    auto* block = static_cast<FreeBlock*>(data);
    block->next = head;
    head = block;
    ++count;
  }
  void* pop() {
    FreeBlock* block = head;
    head = block->next;
    --count;
    return block;
  }
  // Moves up to n blocks to another list.
  void move_to(FreeList& other, int n) {
    for (; n > 0 && count > 0; --n) other.push(pop());
  }
};

// Size class data for the hot paths, tabulated because the formulas divide.
struct ClassTraits {
  int32_t bytes;
  // The number of free blocks that a thread keeps before it shares them.
  int32_t cache_limit;
};
constexpr auto kClassTraits = [] {
  std::array<ClassTraits, kClasses> traits{};
  for (int i = 0; i < kClasses; ++i) {
    const int64_t bytes = bytes_of_class(i);
    traits[i] = {
        static_cast<int32_t>(bytes),
        static_cast<int32_t>(std::clamp<int64_t>((4 << 20) / bytes, 8, 16384))};
  }
  return traits;
}();

// A counter with one writer; others may read it at any time.
class OwnedCounter {
 public:
  void add(int64_t amount) {
    value_.store(get() + amount, std::memory_order_relaxed);
  }
  int64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_{0};
};

struct ThreadCache {
  std::array<FreeList, kClasses> lists;
  OwnedCounter used;
  ThreadCache* next = nullptr;
  ThreadCache* previous = nullptr;
};

// State shared by threads. Never destroyed, since arrays in static variables
// may outlive it.
class Central {
 public:
  void fill(FreeList& list, int index) {
    std::lock_guard lock(mutex_);
    if (lists_[index].count == 0) reserve_blocks(index);
    lists_[index].move_to(list,
                          std::min(64, kClassTraits[index].cache_limit / 4));
  }

  void drain(FreeList& list, int index, int count) {
    std::lock_guard lock(mutex_);
    list.move_to(lists_[index], count);
  }

  void* allocate_large(int64_t bytes) {
    std::lock_guard lock(mutex_);
    if (bytes > kMaxBytes) out_of_memory(bytes);
    try {
      return take_large(bytes);
    } catch (const std::bad_alloc&) {  // for the lists of blocks
      out_of_memory(bytes);
    }
  }

  // Allocates nothing: the node comes from allocate_large().
  void free_large(void* data) noexcept {
    std::lock_guard lock(mutex_);
    const auto it = large_.find(data);
    LargeBlocks::node_type node = std::move(it->second);
    large_.erase(it);
    const int64_t size = node.key();
    used_ -= size;
    large_used_ -= size;
    node.mapped().freed = ++nfreed_;
    // In front of equal ones: the block used last is most likely to be cached.
    free_.insert(free_.lower_bound(size), std::move(node));
  }

  void free_all_blocks() {
    std::lock_guard lock(mutex_);
    unmap_cached();
    large_peak_ = large_used_;
    allowance_ = 0;
    returned_ = {};
  }

  void set_limit(int64_t bytes) {
    std::lock_guard lock(mutex_);
    limit_ = bytes;
  }

  void adopt(ThreadCache* cache) {
    std::lock_guard lock(mutex_);
    cache->next = caches_;
    if (caches_ != nullptr) caches_->previous = cache;
    caches_ = cache;
  }

  void retire(ThreadCache* cache) {
    std::lock_guard lock(mutex_);
    for (int i = 0; i < kClasses; ++i) {
      cache->lists[i].move_to(lists_[i], cache->lists[i].count);
    }
    used_ += cache->used.get();
    if (cache->previous != nullptr) cache->previous->next = cache->next;
    if (cache->next != nullptr) cache->next->previous = cache->previous;
    if (caches_ == cache) caches_ = cache->next;
  }

  [[noreturn]] void refuse(int64_t bytes) {
    std::lock_guard lock(mutex_);
    out_of_memory(bytes);
  }

  // For threads whose cache is destroyed.
  void add_used(int64_t bytes) {
    std::lock_guard lock(mutex_);
    used_ += bytes;
  }

  MemoryPoolStatistics statistics() {
    std::lock_guard lock(mutex_);
    int64_t used = used_;
    for (ThreadCache* cache = caches_; cache != nullptr; cache = cache->next) {
      used += cache->used.get();
    }
    return {used, reserved_ - used, static_cast<int64_t>(free_.size()), limit_};
  }

 private:
  struct LargeBlock {
    void* data = nullptr;
    uint64_t freed = 0;  // when it was cached, counted in blocks
  };
  // By their bytes.
  using LargeBlocks = std::multimap<int64_t, LargeBlock>;

  void* take_large(int64_t bytes) {
    const int64_t size = large_size(bytes);
    // A cached block up to a quarter larger will do.
    if (const auto it = free_.lower_bound(size);
        it != free_.end() && it->first <= size + size / 4) {
      LargeBlocks::node_type& node = large_[it->second.data];
      node = free_.extract(it);
      return take(node);
    }
    LargeBlocks fresh;
    fresh.emplace(size, LargeBlock());
    LargeBlock& block = fresh.begin()->second;
    trim(size);
    block.data = map_large(size);
    try {
      LargeBlocks::node_type& node = large_[block.data];
      node = fresh.extract(fresh.begin());
      return take(node);
    } catch (...) {
      unmap(size, block);
      throw;
    }
  }

  void* take(const LargeBlocks::node_type& node) {
    used_ += node.key();
    large_used_ += node.key();
    large_peak_ = std::max(large_peak_, large_used_);
    return node.mapped().data;
  }

  // Keeps large blocks within one and a half times the most that was in use at
  // once: before `bytes` are mapped, the blocks that have been cached longest
  // are returned to the system. A program that asks for one of these again,
  // such as a loop whose steps need many sizes one after the other, gets to
  // keep as much more, so that it does not map the same blocks in each step.
  void trim(int64_t bytes) {
    const auto regretted = std::ranges::find_if(returned_, [&](int64_t size) {
      return size >= bytes && size <= bytes + bytes / 4;
    });
    if (regretted != returned_.end()) {
      allowance_ += *regretted;
      *regretted = 0;
    }
    const int64_t peak = std::max(large_peak_, large_used_ + bytes);
    const int64_t most = peak + peak / 2 + allowance_;
    while (!free_.empty() && large_mapped_ + bytes > most) {
      const auto oldest = std::ranges::min_element(
          free_, {}, [](const auto& entry) { return entry.second.freed; });
      returned_[nreturned_++ % returned_.size()] = oldest->first;
      unmap(oldest->first, oldest->second);
      free_.erase(oldest);
    }
  }

  static int64_t rounded(int64_t bytes, int64_t unit) {
    return (bytes + unit - 1) / unit * unit;
  }

  static int64_t large_size(int64_t bytes) {
    return bytes < kSmallestMapped
               ? rounded(bytes + kPage, SharedHugePages::kUnit)
               : rounded(bytes, kHugePage);
  }

  void charge(int64_t bytes) {
    if (limit_ > 0 && reserved_ + bytes > limit_) unmap_cached();
    if (limit_ > 0 && reserved_ + bytes > limit_) {
      raise<OutOfMemoryError>(
          "memory pool: expected to stay within the limit "
          "of ",
          limit_, " bytes, got a request for ", bytes, " with ", reserved_,
          " reserved");
    }
  }

  void reserve_blocks(int index) {
    const int64_t size = bytes_of_class(index);
    const int64_t bytes = size <= kLargestInSlab ? kSlabBytes : size;
    charge(bytes);
    char* slab = bytes < kSmallestOnHugePages || size <= kLargestInSlab
                     ? static_cast<char*>(std::aligned_alloc(kAlignment, bytes))
                     : take_huge(bytes);
    if (slab == nullptr) out_of_memory(bytes);
    reserved_ += bytes;
    for (int64_t at = 0; at + size <= bytes; at += size) {
      lists_[index].push(slab + at);
    }
  }

  // Blocks that share huge pages, or from kSmallestMapped on have their own,
  // with a page behind them for starts that are not theirs.
  char* take_huge(int64_t bytes) {
    return bytes < kSmallestMapped ? huge_pages_.take(bytes)
                                   : map_huge_pages(bytes, kPage);
  }

  void* map_large(int64_t bytes) {
    charge(bytes);
    char* block = take_huge(bytes);
    if (block == nullptr) {
      unmap_cached();
      block = take_huge(bytes);
      if (block == nullptr) out_of_memory(bytes);
    }
    reserved_ += bytes;
    large_mapped_ += bytes;
    return block + kStarts[nmapped_++ % std::size(kStarts)];
  }

  void unmap(int64_t size, const LargeBlock& block) {
    char* data = static_cast<char*>(block.data);
    data -= reinterpret_cast<uintptr_t>(data) % kPage;
    if (size < kSmallestMapped) {
      huge_pages_.give_back(data, size);
    } else {
      munmap(data, size + kPage);
    }
    reserved_ -= size;
    large_mapped_ -= size;
  }

  void unmap_cached() {
    for (const auto& [size, block] : free_) unmap(size, block);
    free_.clear();
  }

  [[noreturn]] void out_of_memory(int64_t bytes) {
    raise<OutOfMemoryError>("memory pool: cannot allocate ", bytes, " bytes; ",
                            reserved_, " are already reserved");
  }

  std::mutex mutex_;
  std::array<FreeList, kClasses> lists_;
  SharedHugePages huge_pages_;
  LargeBlocks free_;
  // The blocks in use, with the nodes that free_ takes back.
  std::unordered_map<void*, LargeBlocks::node_type> large_;
  ThreadCache* caches_ = nullptr;
  int64_t used_ = 0;
  int64_t reserved_ = 0;
  int64_t limit_ = default_limit();
  int64_t large_used_ = 0;
  int64_t large_peak_ = 0;
  int64_t large_mapped_ = 0;
  int64_t allowance_ = 0;
  // The bytes of blocks that trim() returned last.
  std::array<int64_t, 256> returned_ = {};
  size_t nreturned_ = 0;
  uint64_t nfreed_ = 0;
  uint64_t nmapped_ = 0;
};

// A program's first array comes here, so this is where it hears of variables
// that it sets in vain.
Central* make_central() {
  warn_of_unknown_variables();
  return new Central;
}

Central& central() {
  static Central& instance = *make_central();
  return instance;
}

constinit thread_local ThreadCache* thread_cache = nullptr;
constinit thread_local bool thread_is_ending = false;

// Passes the thread's blocks to other threads when it ends.
struct ThreadCacheOwner {
  ThreadCache cache;
  ThreadCacheOwner() { central().adopt(&cache); }
  ~ThreadCacheOwner() {
    central().retire(&cache);
    thread_cache = nullptr;
    thread_is_ending = true;
  }
};

ThreadCache* make_thread_cache() {
  if (thread_is_ending) return nullptr;
  thread_local ThreadCacheOwner owner;
  return thread_cache = &owner.cache;
}

// Null while the thread ends.
ThreadCache* current_cache() {
  ThreadCache* cache = thread_cache;
  return cache != nullptr ? cache : make_thread_cache();
}

}  // namespace

#ifdef __SANITIZE_ADDRESS__

namespace {

void count_used(int64_t bytes) {
  if (ThreadCache* cache = current_cache()) {
    cache->used.add(bytes);
  } else {
    central().add_used(bytes);
  }
}

}  // namespace

// A cached block would hide a use after free from the sanitizer.
void* pool_allocate(int64_t bytes) {
  if (bytes > kMaxBytes) central().refuse(bytes);
  const int64_t size =
      (std::max<int64_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  void* data = std::aligned_alloc(kAlignment, size);
  if (data == nullptr) central().refuse(bytes);
  count_used(bytes);
  return data;
}

void pool_free(void* data, int64_t bytes) noexcept {
  std::free(data);
  count_used(-bytes);
}

#else

namespace {

// What pool_allocate() and pool_free() rarely do. It stays out of line, since
// otherwise each of their calls would save and restore the registers that it
// needs, and check the stack.

[[gnu::noinline]] void* allocate_large(int64_t bytes) {
  return central().allocate_large(bytes);
}

[[gnu::noinline]] void* allocate_shared(int index) {
  ThreadCache* cache = current_cache();
  if (cache == nullptr) {
    // For thread-local destructors that run after the cache's.
    FreeList list;
    central().fill(list, index);
    void* data = list.pop();
    central().drain(list, index, list.count);
    central().add_used(bytes_of_class(index));
    return data;
  }
  FreeList& list = cache->lists[index];
  if (list.count == 0) central().fill(list, index);
  cache->used.add(kClassTraits[index].bytes);
  return list.pop();
}

[[gnu::noinline]] void free_large(void* data) noexcept {
  central().free_large(data);
}

[[gnu::noinline]] void drain(FreeList& list, int index) noexcept {
  central().drain(list, index, kClassTraits[index].cache_limit / 2);
}

void free_into(ThreadCache& cache, void* data, int index) noexcept {
  FreeList& list = cache.lists[index];
  list.push(data);
  cache.used.add(-kClassTraits[index].bytes);
  if (list.count > kClassTraits[index].cache_limit) drain(list, index);
}

[[gnu::noinline]] void free_shared(void* data, int index) noexcept {
  if (ThreadCache* cache = make_thread_cache()) {
    return free_into(*cache, data, index);
  }
  FreeList list;
  list.push(data);
  central().drain(list, index, 1);
  central().add_used(-bytes_of_class(index));
}

}  // namespace

void* pool_allocate(int64_t bytes) {
  if (bytes > kLargestClass) return allocate_large(bytes);
  const int index = class_of(bytes);
  ThreadCache* cache = thread_cache;
  if (cache == nullptr) return allocate_shared(index);
  FreeList& list = cache->lists[index];
  if (list.count == 0) return allocate_shared(index);
  cache->used.add(kClassTraits[index].bytes);
  return list.pop();
}

void pool_free(void* data, int64_t bytes) noexcept {
  if (bytes > kLargestClass) return free_large(data);
  const int index = class_of(bytes);
  ThreadCache* cache = thread_cache;
  if (cache == nullptr) return free_shared(data, index);
  free_into(*cache, data, index);
}

#endif

MemoryPoolStatistics memory_pool_statistics() {
  MemoryPoolStatistics statistics = central().statistics();
#ifdef __SANITIZE_ADDRESS__
  statistics.free_bytes = 0;  // nothing is cached
#endif
  return statistics;
}

void set_memory_pool_limit(int64_t bytes) {
  if (bytes < 0) {
    raise<ValueError>("set_memory_pool_limit: expected at least 0, got ",
                      bytes);
  }
  central().set_limit(bytes);
}

void free_all_blocks() { central().free_all_blocks(); }

}  // namespace catena::cpu

#include "catena/array/core/huge_pages.h"

#include <sys/mman.h>

#include <bit>
#include <iterator>
#include <new>

namespace catena::cpu {
namespace {

constexpr int64_t kHugePage = 2 << 20;

}  // namespace

char* map_huge_pages(int64_t bytes, int64_t rest) {
  // One extra huge page, so that the start can be aligned.
  const int64_t kept = bytes + rest;
  const int64_t mapped = kept + kHugePage;
  void* raw = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  const auto start = reinterpret_cast<uintptr_t>(raw);
  const uintptr_t pages = (start + kHugePage - 1) / kHugePage * kHugePage;
  if (pages > start) munmap(raw, pages - start);
  if (const uintptr_t end = start + mapped - (pages + kept); end > 0) {
    munmap(reinterpret_cast<void*>(pages + kept), end);
  }
  auto* block = reinterpret_cast<char*>(pages);
  madvise(block, bytes, MADV_HUGEPAGE);  // a hint: it may be refused
  return block;
}

char* SharedHugePages::take(int64_t bytes) {
  const int n = static_cast<int>(bytes / kUnit);
  for (auto& [start, region] : regions_) {
    if (const int first = region.find(n); first >= 0) {
      region.mark(first, n, true);
      return start + first * kUnit;
    }
  }
  char* const start = map_huge_pages(kRegionBytes, 0);
  if (start == nullptr) return nullptr;
  try {
    regions_[start].mark(0, n, true);
  } catch (const std::bad_alloc&) {
    munmap(start, kRegionBytes);
    return nullptr;
  }
  return start;
}

void SharedHugePages::give_back(char* block, int64_t bytes) noexcept {
  const auto it = std::prev(regions_.upper_bound(block));
  auto& [start, region] = *it;
  region.mark(static_cast<int>((block - start) / kUnit),
              static_cast<int>(bytes / kUnit), false);
  if (region.is_empty()) {
    munmap(start, kRegionBytes);
    regions_.erase(it);
  } else {
    madvise(block, bytes, MADV_DONTNEED);
  }
}

int SharedHugePages::Region::find(int n) const {
  if (kUnits - nused_ < n) return -1;
  for (int first = next(0, false); first + n <= kUnits;) {
    const int end = next(first, true);
    if (end - first >= n) return first;
    first = next(end, false);
  }
  return -1;
}

void SharedHugePages::Region::mark(int first, int n, bool is_used) {
  for (int unit = first; unit < first + n; ++unit) {
    const uint64_t bit = uint64_t{1} << unit % 64;
    uint64_t& word = used_[unit / 64];
    word = is_used ? word | bit : word & ~bit;
  }
  nused_ += is_used ? n : -n;
}

int SharedHugePages::Region::next(int unit, bool is_used) const {
  while (unit < kUnits) {
    const uint64_t found = is_used ? used_[unit / 64] : ~used_[unit / 64];
    const uint64_t ahead = found >> unit % 64;
    if (ahead != 0) return unit + std::countr_zero(ahead);
    unit = (unit / 64 + 1) * 64;
  }
  return kUnits;
}

}  // namespace catena::cpu

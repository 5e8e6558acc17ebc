#pragma once

#include <array>
#include <cstdint>
#include <map>

namespace catena::cpu {

// Memory from the system that begins with a huge page and lies on huge pages as
// far as they are full, with `rest` bytes more behind `bytes`. Null when the
// system has none.
char* map_huge_pages(int64_t bytes, int64_t rest);

// Blocks of some 100 KiB to some MiB, which do not fill huge pages alone and
// therefore share them. On pages of 4 KiB, a network of such weights has more
// pages than a processor remembers the addresses of. Not thread-safe.
class SharedHugePages {
 public:
  static constexpr int64_t kUnit = 64 << 10;
  static constexpr int64_t kRegionBytes = 32 << 20;

  // `bytes`: a multiple of kUnit, up to kRegionBytes. The memory begins at a
  // multiple of kUnit. Null when the system has none.
  char* take(int64_t bytes);

  // The system gets the pages back at once.
  void give_back(char* block, int64_t bytes) noexcept;

 private:
  static constexpr int kUnits = static_cast<int>(kRegionBytes / kUnit);

  // Memory mapped at once, and a bit for each unit: whether it is in use.
  class Region {
   public:
    // The first of n units that are free; -1 if there are no such.
    int find(int n) const;
    void mark(int first, int n, bool is_used);
    bool is_empty() const { return nused_ == 0; }

   private:
    // The first unit at or after one that is in use, or not; else kUnits.
    int next(int unit, bool is_used) const;

    std::array<uint64_t, kUnits / 64> used_ = {};
    int nused_ = 0;
  };

  // By their addresses.
  std::map<char*, Region> regions_;
};

}  // namespace catena::cpu

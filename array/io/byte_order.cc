#include "catena/array/io/byte_order.h"

#include <algorithm>
#include <cstddef>

#include "catena/array/core/parallel.h"

namespace catena::array {
namespace {

// Bytes that one thread reverses at least.
constexpr int64_t kGrain = 1 << 20;
// Ranges begin at multiples of this, so that no item is in two of them.
constexpr int64_t kLargestItem = 8;

// Compilers make one instruction of an item whose size they know.
template <size_t kBytes>
void reverse_items(std::span<char> items) {
  for (size_t i = 0; i + kBytes <= items.size(); i += kBytes) {
    const auto item = items.subspan(i, kBytes);
    std::reverse(item.begin(), item.end());
  }
}

}  // namespace

void reverse_bytes(std::span<char> items, int64_t item_bytes) {
  if (item_bytes == 1) return;
  cpu::parallel_for(
      static_cast<int64_t>(items.size()), kGrain,
      [&](int64_t begin, int64_t end) {
        const auto some = items.subspan(static_cast<size_t>(begin),
                                        static_cast<size_t>(end - begin));
        if (item_bytes == 2) reverse_items<2>(some);
        if (item_bytes == 4) reverse_items<4>(some);
        if (item_bytes == 8) reverse_items<8>(some);
      },
      kLargestItem);
}

}  // namespace catena::array

// The CPU's kernels of sort, argsort and searchsorted: radix sort from the
// lowest byte of keys (sorting/sort_key.h) to the highest. It reads and writes
// the whole row for each byte, so memory bandwidth is the limit and one
// compilation serves every instruction set.

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>
#include <vector>

#include "catena/array/core/memory_pool.h"
#include "catena/array/core/parallel.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/sorting/search_step.h"
#include "catena/array/sorting/sort_kernel.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

// Rows shorter than this per byte of the key are sorted by comparison.
constexpr int64_t kRadixLength = 64;
// The minimum length of a row's part per thread.
constexpr int64_t kPartLength = 32 << 10;
constexpr int kDigits = 256;
using Histogram = std::array<int64_t, kDigits>;

// A key with its original position.
template <class Key, class Position>
struct Ranked {
  Key key;
  Position position;
};

template <class Key>
Key key_of(Key key) {
  return key;
}
template <class Key, class Position>
Key key_of(const Ranked<Key, Position>& item) {
  return item.key;
}

template <class Item>
int digit_of(const Item& item, int shift) {
  return static_cast<int>((key_of(item) >> shift) & 0xff);
}

using catena::cpu::PoolBuffer;

// A row split into parts, one per thread.
class Parts {
 public:
  explicit Parts(int64_t length)
      : length_(length),
        count_(
            std::clamp<int64_t>(length / kPartLength, 1, get_num_threads())) {}

  int64_t count() const { return count_; }

  // body(part, begin, end)
  template <class Body>
  void each(Body body) const {
    if (count_ == 1) return body(0, 0, length_);
    catena::cpu::parallel_for(count_, 1, [&](int64_t first, int64_t last) {
      for (int64_t p = first; p < last; ++p) {
        body(p, length_ * p / count_, length_ * (p + 1) / count_);
      }
    });
  }

 private:
  int64_t length_;
  int64_t count_;
};

// Moves items to the positions given by their digits. For each digit the parts
// follow in order, so equal digits keep their order whatever the number of
// parts.
class Distribution {
 public:
  explicit Distribution(const Parts& parts)
      : parts_(parts), histograms_(parts.count()) {}

  template <class Item>
  void run(const Item* from, Item* to, int shift) {
    count(from, shift);
    sum();
    parts_.each([&](int64_t p, int64_t begin, int64_t end) {
      Histogram places = histograms_[p];
      for (int64_t i = begin; i < end; ++i) {
        to[places[digit_of(from[i], shift)]++] = from[i];
      }
    });
  }

 private:
  template <class Item>
  void count(const Item* items, int shift) {
    parts_.each([&](int64_t p, int64_t begin, int64_t end) {
      // Two histograms, so that neighbours with the same digit do not depend on
      // each other.
      Histogram even{};
      Histogram odd{};
      int64_t i = begin;
      for (; i + 2 <= end; i += 2) {
        ++even[digit_of(items[i], shift)];
        ++odd[digit_of(items[i + 1], shift)];
      }
      for (; i < end; ++i) ++even[digit_of(items[i], shift)];
      for (int d = 0; d < kDigits; ++d) even[d] += odd[d];
      histograms_[p] = even;
    });
  }

  // Converts counts to the start positions of each part's items.
  void sum() {
    int64_t place = 0;
    for (int d = 0; d < kDigits; ++d) {
      for (Histogram& histogram : histograms_) {
        const int64_t count = histogram[d];
        histogram[d] = place;
        place += count;
      }
    }
  }

  const Parts& parts_;
  std::vector<Histogram> histograms_;
};

// The bits in which the keys differ.
template <class Item>
auto differing_bits(const Item* items, int64_t length) {
  using Key = decltype(key_of(*items));
  const Key first = key_of(items[0]);
  Key differing = 0;
  for (int64_t i = 1; i < length; ++i) {
    differing = static_cast<Key>(differing | (key_of(items[i]) ^ first));
  }
  return differing;
}

// Sorts `items` stably and returns where the result is: `items` or `other`.
template <class Item>
Item* sort_items(Item* items, Item* other, int64_t length) {
  if (length < kRadixLength * static_cast<int64_t>(sizeof(key_of(*items)))) {
    const auto less = [](const Item& a, const Item& b) {
      return key_of(a) < key_of(b);
    };
    // Equal keys are interchangeable unless they have a position.
    if constexpr (std::is_integral_v<Item>) {
      std::sort(items, items + length, less);
    } else {
      std::stable_sort(items, items + length, less);
    }
    return items;
  }
  const auto differing = differing_bits(items, length);
  const Parts parts(length);
  Distribution distribution(parts);
  for (int shift = 0; shift < 8 * static_cast<int>(sizeof(differing));
       shift += 8) {
    if (((differing >> shift) & 0xff) == 0) continue;
    distribution.run(items, other, shift);
    std::swap(items, other);
  }
  return items;
}

// Runs body(row, items, other), with memory for one row each, for every row:
// rows in parallel or, if there are few, one after another, each split into
// parts.
template <class Item, class Body>
void each_row(const SortArgs& args, Body body) {
  const bool split_rows =
      args.rows < get_num_threads() && args.length >= 2 * kPartLength;
  const int64_t grain =
      split_rows ? args.rows : std::max<int64_t>(1, kPartLength / args.length);
  catena::cpu::parallel_for(args.rows, grain, [&](int64_t begin, int64_t end) {
    const cpu::PoolBuffer<Item> scratch(2 * args.length);
    for (int64_t row = begin; row < end; ++row) {
      body(row, scratch.get(), scratch.get() + args.length);
    }
  });
}

template <class T>
void sort(const SortArgs& args) {
  using Key = Bits<sizeof(T)>;
  each_row<Key>(args, [&](int64_t row, Key* items, Key* other) {
    Key* values = reinterpret_cast<Key*>(args.values) + row * args.length;
    const Parts parts(args.length);
    parts.each([&](int64_t /*part*/, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        items[i] = SortKey<T>::encode(values[i]);
      }
    });
    const Key* sorted = sort_items(items, other, args.length);
    parts.each([&](int64_t /*part*/, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        values[i] = SortKey<T>::decode(sorted[i]);
      }
    });
  });
}

template <class T, class Position>
void argsort_positions(const SortArgs& args) {
  using Key = Bits<sizeof(T)>;
  using Item = Ranked<Key, Position>;
  each_row<Item>(args, [&](int64_t row, Item* items, Item* other) {
    const Key* values =
        reinterpret_cast<const Key*>(args.values) + row * args.length;
    int64_t* order = args.order + row * args.length;
    const Parts parts(args.length);
    parts.each([&](int64_t /*part*/, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        items[i] = {SortKey<T>::encode_equal(values[i]),
                    static_cast<Position>(i)};
      }
    });
    const Item* sorted = sort_items(items, other, args.length);
    parts.each([&](int64_t /*part*/, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        order[i] = static_cast<int64_t>(sorted[i].position);
      }
    });
  });
}

template <class T>
void argsort(const SortArgs& args) {
  if (args.length <= int64_t{UINT32_MAX}) {
    argsort_positions<T, uint32_t>(args);
  } else {
    argsort_positions<T, uint64_t>(args);
  }
}

template <class T>
void searchsorted(const SearchArgs& args) {
  using Key = Bits<sizeof(T)>;
  const Key* sorted = reinterpret_cast<const Key*>(args.sorted);
  const Key* values = reinterpret_cast<const Key*>(args.values);
  catena::cpu::parallel_for(args.count, 4096, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      args.positions[i] =
          search_sorted<T>(sorted, args.length, values[i], args.right);
    }
  });
}

}  // namespace

template <class T>
struct Loop<SortFamily, Sort, T> {
  static constexpr SortKernel* run = sort<T>;
};
template <class T>
struct Loop<SortFamily, Argsort, T> {
  static constexpr SortKernel* run = argsort<T>;
};
template <class T>
struct Loop<Searchsorted, Searchsorted, T> {
  static constexpr SearchKernel* run = searchsorted<T>;
};

extern const auto kSortKernels =
    register_kernels<SortFamily>(TypeList<Sort, Argsort>());
extern const auto kSearchKernels = register_kernels<Searchsorted>();

}  // namespace catena::kernels::CATENA_BACKEND

#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/kernels/kernel_slot.h"

// The slots behind sort.h and search.h. Everything is contiguous on
// args.device.
namespace catena::array {

// Rows of `length` elements; both are at least 1.
struct SortArgs {
  Device device;
  int64_t rows;
  int64_t length;
  char* values;    // sort changes them, argsort does not
  int64_t* order;  // what argsort writes
};

// Sorts each row in ascending order, NaN last.
using SortKernel = void(const SortArgs& args);
struct SortFamily {
  static constexpr bool kCompiledOnce = true;
  using Kernel = SortKernel;
  using Table = DtypeTable<Kernel>;
  template <class Op>
  using Dtypes = AllTypes;
};
struct Sort {
  static constexpr std::string_view kName = "sort";
};
// order[r, i] is the index in row r of the i-th smallest element; equal
// elements, including NaN, keep their order.
struct Argsort {
  static constexpr std::string_view kName = "argsort";
};

struct SearchArgs {
  Device device;
  const char* sorted;  // `length` elements
  int64_t length;
  const char* values;  // `count` elements
  int64_t count;
  bool right;
  int64_t* positions;
};
// For each value, the number of elements of `sorted` that are less or, with
// `right`, less or equal.
using SearchKernel = void(const SearchArgs& args);
struct Searchsorted {
  static constexpr std::string_view kName = "searchsorted";
  static constexpr bool kCompiledOnce = true;
  using Kernel = SearchKernel;
  using Table = DtypeTable<Kernel>;
  template <class Op>
  using Dtypes = AllTypes;
};

}  // namespace catena::array

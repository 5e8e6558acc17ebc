#pragma once

#include <cstdint>
#include <string_view>

#include "catena/array/kernel_slot.h"

// The slots behind sort.h and search.h. Everything is contiguous on
// args.device.
namespace catena::array {

// Rows of `length` elements, at least one of each.
struct SortArgs {
  Device device;
  int64_t rows;
  int64_t length;
  char* values;    // sort changes them, argsort does not
  int64_t* order;  // what argsort writes
};

// Each row rises; NaN is last.
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
// order[r, i] is the position in row r of what comes i-th; equal elements, NaN
// among them, keep their order.
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
// How many elements of `sorted` are less than each value; less or equal when
// `right` holds.
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

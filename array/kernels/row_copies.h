#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "catena/array/kernels/kernel_slot.h"

// The slot behind assign_all.h.
namespace catena::array {

// Rows of contiguous bytes, a constant distance apart on both sides.
struct RowCopy {
  const char* from;
  char* to;
  int64_t bytes;        // of a row, at least 1
  int64_t rows;         // at least 1
  int64_t from_stride;  // bytes; may be negative or, in `from`, 0
  int64_t to_stride;
};

using CopyRows = void(Device device, std::span<const RowCopy> copies);

struct RowCopies {
  static constexpr std::string_view kName = "assign_all";
  static constexpr bool kCompiledOnce = true;
  using Table = RowCopies;

  // Null on the CPU, whose copies cost no launch.
  CopyRows* copy = nullptr;
};

}  // namespace catena::array

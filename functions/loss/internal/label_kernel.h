#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catena/array/core/deferred_errors.h"
#include "catena/array/core/device.h"
#include "catena/array/kernels/kernel_slot.h"

// The slot behind labels.h.
namespace catena::functions {

// Labels are contiguous int32, or int64 if is_64_bit.
struct LabelArgs {
  Device device;
  bool is_64_bit;
  const void* labels;
  int64_t size;
  int64_t classes;
  std::optional<int64_t> ignored;
  std::string_view operation;
  const DeferredError* error;  // for {label, classes, is one ignored, which}
  // The labels, or -1: for those ignored, and on a GPU for wrong ones.
  void* valid;
};

struct LabelKernels {
  static constexpr std::string_view kName = "labels";
  static constexpr bool kCompiledOnce = true;
  using Table = LabelKernels;

  // Checks and copies. The CPU throws the error and returns the number of
  // labels that are not ignored. A GPU reports the error, writes 1 / max(1,
  // number) to its memory at `reciprocal`, unless that is null, and returns
  // nothing.
  std::optional<int64_t> (*check)(const LabelArgs& args, double* reciprocal);
};

}  // namespace catena::functions

#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/shape.h"
#include "catena/caffe/message.h"

namespace catena::caffe {

// The names of a size of windows in a message: a list, or one number for each
// of two axes.
struct WindowField {
  const char* list;
  const char* height = nullptr;
  const char* width = nullptr;
  // What it is where it is not given; it must be without.
  std::optional<int64_t> otherwise = std::nullopt;
  int64_t least = 1;
};

inline constexpr WindowField kKernel = {
    .list = "kernel_size", .height = "kernel_h", .width = "kernel_w"};
inline constexpr WindowField kStride = {.list = "stride",
                                        .height = "stride_h",
                                        .width = "stride_w",
                                        .otherwise = 1};
inline constexpr WindowField kPad = {.list = "pad",
                                     .height = "pad_h",
                                     .width = "pad_w",
                                     .otherwise = 0,
                                     .least = 0};
inline constexpr WindowField kDilation = {.list = "dilation", .otherwise = 1};

// The size along each of ndim axes. ValueError when it is given in both ways,
// for another number of axes, or out of range.
Shape window_size(const Message& params, const WindowField& field, int ndim);

}  // namespace catena::caffe

#pragma once

#include <optional>
#include <string_view>

#include "catena/autograd/variable.h"
#include "catena/functions/spatial.h"

// What convolutions and deconvolutions of any number of axes share.
namespace catena::functions {

struct ConvolutionSettings {
  std::string_view function;  // for messages
  // How many spatial axes there are, where the function's name says so.
  std::optional<int> ndim = std::nullopt;
  Spatial stride = 1;
  Spatial pad = 0;
  bool cover_all = false;
  Spatial dilate = 1;
  int64_t groups = 1;
  // For deconvolutions; defaults to the smallest that gives x.
  std::optional<Spatial> outsize = std::nullopt;
};

Variable convolve(const Variable& x, const Variable& W, const Variable& b,
                  const ConvolutionSettings& settings);
Variable deconvolve(const Variable& x, const Variable& W, const Variable& b,
                    const ConvolutionSettings& settings);

}  // namespace catena::functions

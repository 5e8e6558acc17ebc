#pragma once

#include <optional>

#include "catena/autograd/variable.h"
#include "catena/functions/internal/window.h"
#include "catena/functions/spatial.h"

// Shared by convolutions and deconvolutions with any number of axes.
namespace catena::functions {

struct ConvolutionCall {
  WindowCall window;  // except ksize, which is W's
  int64_t groups = 1;
  // For deconvolutions; defaults to the smallest possible.
  std::optional<Spatial> outsize = std::nullopt;
};

Variable convolve(const Variable& x, const Variable& W, const Variable& b,
                  const ConvolutionCall& call);
Variable deconvolve(const Variable& x, const Variable& W, const Variable& b,
                    const ConvolutionCall& call);

}  // namespace catena::functions

#include "catena/functions/array/resize_images.h"

#include <algorithm>
#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/cuda/fast_divider.h"
#include "catena/functions/array/internal/image_sampling_ops.h"
#include "catena/functions/engines/spans/sampling.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

constexpr std::string_view kName = "resize_images";

// The positions of output pixels along one axis, in device memory.
struct AxisTable {
  Array low;
  Array high;
  Array weight;

  ResizedImage::Axis axis() const {
    return {low.data<int32_t>(), high.data<int32_t>(), weight.data<double>()};
  }
};

// The position of output pixel i of `out` along `in` elements.
double position(int64_t i, int64_t in, int64_t out,
                const ResizeImagesOptions& options) {
  const auto number = static_cast<double>(i);
  const double step = static_cast<double>(in) / static_cast<double>(out);
  if (options.mode == "nearest") return std::floor(number * step);
  if (!options.align_corners) {
    return std::max((number + 0.5) * step - 0.5, 0.0);
  }
  if (out == 1) return 0;
  return number * static_cast<double>(in - 1) / static_cast<double>(out - 1);
}

AxisTable axis_table(int64_t in, int64_t out,
                     const ResizeImagesOptions& options, Device device) {
  // Memory for all of it, or an error, before the first is computed.
  const Array lows = array::empty({out}, Dtype::kInt32, native_device());
  const Array highs = array::empty({out}, Dtype::kInt32, native_device());
  const Array weights = array::empty({out}, Dtype::kFloat64, native_device());
  for (int64_t i = 0; i < out; ++i) {
    const double at =
        std::min(position(i, in, out, options), static_cast<double>(in - 1));
    const auto before = static_cast<int32_t>(at);
    lows.data<int32_t>()[i] = before;
    highs.data<int32_t>()[i] =
        std::min(before + 1, static_cast<int32_t>(in - 1));
    weights.data<double>()[i] = at - before;
  }
  return {lows.to_device(device), highs.to_device(device),
          weights.to_device(device)};
}

struct ResizeSource {
  using Kind = kinds::ResizeImages;

  AxisTable y;
  AxisTable x;
  Shape images;
  Shape results;
  bool is_nearest;
  bool align_corners;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("output_shape", Shape{results[2], results[3]});
    visit("mode", is_nearest ? "nearest" : "bilinear");
    visit("align_corners", align_corners);
  }
  ResizedImage sampling() const {
    return {y.axis(), x.axis(), images[3], cuda::IndexDivider(results[3])};
  }
};

}  // namespace

Variable resize_images(const Variable& x, const Spatial& output_shape,
                       const ResizeImagesOptions& options) {
  if (options.mode != "bilinear" && options.mode != "nearest") {
    raise<ValueError>(kName,
                      ": expected mode \"bilinear\" or \"nearest\", got \"",
                      options.mode, "\"");
  }
  const Shape& shape = x.shape();
  if (!is_floating(x.dtype()) || x.ndim() != 4 || shape[2] < 1 ||
      shape[3] < 1) {
    raise<InvalidType>(kName, ": expected images (N, C, h, w), got x ",
                       x.dtype(), " ", shape);
  }
  const Shape size = output_shape.on_axes(2, 1, kName, "output_shape");
  return sample(x,
                ResizeSource{axis_table(shape[2], size[0], options, x.device()),
                             axis_table(shape[3], size[1], options, x.device()),
                             shape,
                             {shape[0], shape[1], size[0], size[1]},
                             options.mode == "nearest",
                             options.align_corners});
}

}  // namespace catena::functions

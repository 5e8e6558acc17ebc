#include "catena/links/model/image_preparation.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <vector>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/index.h"

namespace catena::links {
namespace {

// The sources of an element of a resized axis: weights of elements from `first`
// on, which sum to 1.
struct Filter {
  int64_t first;
  std::vector<double> weights;
};

double cubic(double x) {
  constexpr double kA = -0.5;
  x = std::abs(x);
  if (x < 1) return ((kA + 2) * x - (kA + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * kA;
  return 0;
}

std::vector<Filter> cubic_filters(int64_t in, int64_t out) {
  const double step = static_cast<double>(in) / static_cast<double>(out);
  const double width = std::max(step, 1.0);
  std::vector<Filter> filters;
  for (int64_t i = 0; i < out; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * step;
    const auto bound = [&](double x) {
      return std::clamp<int64_t>(static_cast<int64_t>(x + 0.5), 0, in);
    };
    Filter filter{bound(std::max(center - 2 * width, 0.0)), {}};
    const int64_t end = bound(center + 2 * width);
    double total = 0;
    for (int64_t k = filter.first; k < end; ++k) {
      filter.weights.push_back(
          cubic((static_cast<double>(k) + 0.5 - center) / width));
      total += filter.weights.back();
    }
    for (double& weight : filter.weights) weight /= total;
    filters.push_back(std::move(filter));
  }
  return filters;
}

// Resizes the middle axis of (outer, in, inner).
std::vector<uint8_t> resize_axis(const std::vector<uint8_t>& pixels,
                                 int64_t outer, int64_t in, int64_t inner,
                                 int64_t out) {
  if (in == out) return pixels;
  const std::vector<Filter> filters = cubic_filters(in, out);
  std::vector<uint8_t> result(static_cast<size_t>(outer * out * inner));
  auto* to = result.data();
  for (int64_t o = 0; o < outer; ++o) {
    const uint8_t* image = pixels.data() + o * in * inner;
    for (const Filter& filter : filters) {
      for (int64_t i = 0; i < inner; ++i) {
        double sum = 0.5;
        const uint8_t* from = image + filter.first * inner + i;
        for (const double weight : filter.weights) {
          sum += weight * *from;
          from += inner;
        }
        *to++ = static_cast<uint8_t>(std::clamp(sum, 0.0, 255.0));
      }
    }
  }
  return result;
}

// As (h, w, 3) or (h, w, 1).
Array with_channels_last(const Array& image) {
  const Shape& shape = image.shape();
  if (image.size() > 0) {
    if (image.ndim() == 2) return image.expand_dims(2);
    if (image.ndim() == 3) {
      if (shape[0] == 1 || shape[0] == 3) return image.transpose({1, 2, 0});
      if (shape[2] == 3) return image;
    }
  }
  raise<ValueError>("prepare_image: expected an image (h, w), (1, h, w), (h, ",
                    "w, 3) or (3, h, w), got shape ", shape);
}

}  // namespace

Array prepare_image(const Array& image, const std::optional<ImageSize>& size,
                    const std::array<float, 3>& mean) try {
  const Array pixels = with_channels_last(image)
                           .to_device(native_device())
                           .astype(Dtype::kUInt8)
                           .contiguous();
  const int64_t channels = pixels.shape()[2];
  int64_t height = pixels.shape()[0];
  int64_t width = pixels.shape()[1];
  if (size && (size->width < 1 || size->height < 1)) {
    raise<ValueError>("prepare_image: expected a positive size, got ",
                      size->width, " x ", size->height);
  }
  const Shape shape = {3, size ? size->height : height,
                       size ? size->width : width};
  // First, so that too large a size is noticed before there is much to do.
  const Array result = array::empty(shape, Dtype::kFloat32, native_device());
  checked_size({height, shape[2], channels}, 1, "prepare_image");
  std::vector<uint8_t> values = pixels.to_vector<uint8_t>();
  values = resize_axis(values, height, width, channels, shape[2]);
  width = shape[2];
  values = resize_axis(values, 1, height, width * channels, shape[1]);
  height = shape[1];
  auto* to = result.data<float>();
  for (int c = 0; c < 3; ++c) {
    // Three channels are reversed: RGB becomes BGR.
    const uint8_t* from = values.data() + (channels == 3 ? 2 - c : 0);
    for (int64_t i = 0; i < height * width; ++i) {
      *to++ = static_cast<float>(from[i * channels]) - mean[c];
    }
  }
  return result;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("prepare_image");
}

Array oversample_images(const Array& images, const ImageSize& size) {
  if (images.ndim() != 4 || size.height < 1 || size.width < 1 ||
      size.height > images.shape()[2] || size.width > images.shape()[3]) {
    raise<ValueError>("oversample_images: expected images of at least ",
                      size.width, " x ", size.height, ", got ", images.shape());
  }
  const int64_t rows = images.shape()[2] - size.height;
  const int64_t columns = images.shape()[3] - size.width;
  const auto view = [&](int64_t y, int64_t x) {
    return images[{Slice(), Slice(), Slice(y, y + size.height),
                   Slice(x, x + size.width)}];
  };
  std::vector<Array> views = {view(0, 0), view(0, columns), view(rows, 0),
                              view(rows, columns), view(rows / 2, columns / 2)};
  for (int i = 0; i < 5; ++i) {
    views.push_back(
        views[i][{ellipsis, Slice(std::nullopt, std::nullopt, -1)}]);
  }
  return array::stack(views, 1).reshape(
      {-1, images.shape()[1], size.height, size.width});
}

}  // namespace catena::links

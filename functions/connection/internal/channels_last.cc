#include "catena/functions/connection/internal/channels_last.h"

#include <algorithm>

#include "catena/array/cpu/parallel.h"
#include "catena/array/cpu/strided_copy.h"

namespace catena::functions {
namespace {

// Pixels per tile, whose channels mostly fit into the L1 cache.
constexpr int64_t kTile = 64;
constexpr int64_t kGrain = 32768;  // minimum elements per thread

// Calls visit(first element, first pixel, pixels) for tiles of images: the
// image's first element, and pixels counted within the image.
template <class Visit>
void for_each_tile(const Array& images, Visit visit) {
  const int64_t channels = images.shape()[1];
  const int64_t image_size = images.size() / images.shape()[0];
  const int64_t places = image_size / channels;
  const int64_t tiles = (places + kTile - 1) / kTile;
  const int64_t tile_size = channels * std::min(places, kTile);
  cpu::parallel_for(
      images.shape()[0] * tiles, std::max<int64_t>(1, kGrain / tile_size),
      [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t place = i % tiles * kTile;
          visit(i / tiles * image_size, place, std::min(kTile, places - place));
        }
      });
}

}  // namespace

Array empty_channels_last(const Shape& shape, Dtype dtype, Device device) {
  Shape turned = shape;
  turned.erase(1);
  turned.push_back(shape[1]);
  return as_channels_last(array::empty(turned, dtype, device));
}

Array empty_channels_last(const Array& images) {
  return empty_channels_last(images.shape(), images.dtype(), images.device());
}

Array as_channels_last(const Array& turned) {
  Axes axes = {0, turned.ndim() - 1};
  for (int i = 1; i + 1 < turned.ndim(); ++i) axes.push_back(i);
  return turned.transpose(axes);
}

Array channels_moved_last(const Array& images) {
  Axes axes = {0};
  for (int i = 2; i < images.ndim(); ++i) axes.push_back(i);
  axes.push_back(1);
  return images.transpose(axes);
}

bool is_channels_last(const Array& images) {
  return channels_moved_last(images).is_contiguous();
}

Array in_channels_last(const Array& images) {
  if (is_channels_last(images)) return images;
  Array turned = empty_channels_last(images);
  turned.assign(images);
  return turned;
}

Array to_channels_last(const Array& images) {
  Array turned = empty_channels_last(images);
  if (images.size() == 0) return turned;
  const int64_t channels = images.shape()[1];
  const int64_t places = images.size() / images.shape()[0] / channels;
  const int item = static_cast<int>(item_size(images.dtype()));
  for_each_tile(images, [&](int64_t first, int64_t place, int64_t count) {
    cpu::transpose_items(
        item, turned.raw_data() + (first + place * channels) * item,
        channels * item, images.raw_data() + (first + place) * item,
        places * item, channels, count);
  });
  return turned;
}

void from_channels_last(const Array& turned, const Array& images) {
  if (images.size() == 0) return;
  const int64_t channels = images.shape()[1];
  const int64_t places = images.size() / images.shape()[0] / channels;
  const int item = static_cast<int>(item_size(images.dtype()));
  for_each_tile(images, [&](int64_t first, int64_t place, int64_t count) {
    cpu::transpose_items(item, images.raw_data() + (first + place) * item,
                         places * item,
                         turned.raw_data() + (first + place * channels) * item,
                         channels * item, count, channels);
  });
}

}  // namespace catena::functions

#include "catena/functions/connection/internal/channels_last.h"

#include <algorithm>

#include "catena/array/core/parallel.h"
#include "catena/array/core/strided_copy.h"

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

Array to_channels_last(const Array& images) {
  Array reordered = array::empty_channels_last(images.shape(), images.dtype(),
                                               images.device());
  if (images.size() == 0) return reordered;
  const int64_t channels = images.shape()[1];
  const int64_t places = images.size() / images.shape()[0] / channels;
  const int item = static_cast<int>(item_size(images.dtype()));
  for_each_tile(images, [&](int64_t first, int64_t place, int64_t count) {
    cpu::transpose_items(
        item, reordered.raw_data() + (first + place * channels) * item,
        channels * item, images.raw_data() + (first + place) * item,
        places * item, channels, count);
  });
  return reordered;
}

void from_channels_last(const Array& reordered, const Array& images) {
  if (images.size() == 0) return;
  const int64_t channels = images.shape()[1];
  const int64_t places = images.size() / images.shape()[0] / channels;
  const int item = static_cast<int>(item_size(images.dtype()));
  for_each_tile(images, [&](int64_t first, int64_t place, int64_t count) {
    cpu::transpose_items(
        item, images.raw_data() + (first + place) * item, places * item,
        reordered.raw_data() + (first + place * channels) * item,
        channels * item, count, channels);
  });
}

}  // namespace catena::functions

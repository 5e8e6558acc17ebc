#include "catena/functions/rnn/internal/n_step_weights.h"

#include "catena/array/assign_all.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"

namespace catena::functions {
namespace {

// What tensor cores want of an address.
constexpr int64_t kAlignment = 16;

int64_t bytes_of(std::span<const Array> arrays) {
  int64_t bytes = 0;
  for (const Array& a : arrays) bytes += a.nbytes();
  return bytes;
}

// Whether all arrays lie in `storage` at their places, counted from `start`.
bool lie_in(const Storage& storage, int64_t start,
            std::span<const int64_t> places, std::span<const Array> arrays) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Array& a = arrays[i];
    if (a.storage().get() != &storage || !a.is_contiguous() ||
        a.raw_data() - storage.data() != start + places[i]) {
      return false;
    }
  }
  return true;
}

// The memory in which the weights already lie without gaps, or undefined.
Array packed_before(const NStepWeightLayout& layout, std::span<const Array> ws,
                    std::span<const Array> bs) {
  const Storage& storage = *ws[0].storage();
  const int64_t start = ws[0].raw_data() - storage.data() - layout.ws[0];
  if (start < 0 || start % kAlignment != 0 ||
      start + layout.bytes > storage.bytes() ||
      !lie_in(storage, start, layout.ws, ws) ||
      !lie_in(storage, start, layout.bs, bs)) {
    return {};
  }
  return Array(ws[0].storage(), Dtype::kUInt8, {layout.bytes}, {1}, start);
}

}  // namespace

Array pack_weights(const NStepWeightLayout& layout, std::span<const Array> ws,
                   std::span<const Array> bs) {
  const bool has_gaps = bytes_of(ws) + bytes_of(bs) < layout.bytes;
  if (!has_gaps) {
    Array before = packed_before(layout, ws, bs);
    if (before.defined()) return before;
  }
  const Shape shape{layout.bytes};
  const Device device = ws[0].device();
  Array buffer = has_gaps ? array::zeros(shape, Dtype::kUInt8, device)
                          : array::empty(shape, Dtype::kUInt8, device);
  std::vector<array::Assignment> parts;
  const auto add = [&](std::span<const int64_t> places,
                       std::span<const Array> from) {
    const std::vector<Array> to = unpacked_weights(buffer, places, from);
    for (size_t i = 0; i < to.size(); ++i) parts.push_back({to[i], from[i]});
  };
  add(layout.ws, ws);
  add(layout.bs, bs);
  array::assign_all(parts);
  return buffer;
}

NStepWeightLayout dense_layout(std::span<const Array> ws,
                               std::span<const Array> bs) {
  NStepWeightLayout layout;
  const auto places_of = [&](std::span<const Array> arrays) {
    std::vector<int64_t> places;
    for (const Array& a : arrays) {
      places.push_back(layout.bytes);
      layout.bytes += a.nbytes();
    }
    return places;
  };
  layout.ws = places_of(ws);
  layout.bs = places_of(bs);
  return layout;
}

std::vector<Array> unpacked_weights(const Array& buffer,
                                    std::span<const int64_t> places,
                                    std::span<const Array> like) {
  std::vector<Array> result;
  for (size_t i = 0; i < like.size(); ++i) {
    const Array& a = like[i];
    const Array bytes = buffer[{Slice(places[i], places[i] + a.nbytes())}];
    result.push_back(bytes.view(a.dtype()).reshape(a.shape()));
  }
  return result;
}

}  // namespace catena::functions

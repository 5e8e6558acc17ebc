#include "catena/functions/plan/internal/elementwise_chain.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "catena/array/cpu/memory_pool.h"
#include "catena/array/cpu/parallel.h"
#include "catena/array/cpu/stream_bytes.h"
#include "catena/array/cpu/strided_copy.h"

namespace catena::functions {
namespace {

// Bytes of an array in a tile: with a few buffers it fits into the L2 cache,
// and takes much longer than the calls of its kernels.
constexpr int64_t kTileBytes = 16 << 10;

constexpr int64_t kGrain = 32768;  // minimum elements per thread

// Non-temporal stores write whole cache lines.
constexpr int64_t kAlign = 64;

}  // namespace

ElementwiseChain::ElementwiseChain(Dtype dtype, int arguments,
                                   std::span<const Call> calls,
                                   std::span<const int> outputs)
    : item_size_(item_size(dtype)), arguments_(arguments) {
  std::vector<int> last_use(arguments + calls.size(), -1);
  for (int i = 0; i < static_cast<int>(calls.size()); ++i) {
    for (const int value : calls[i].inputs) last_use[value] = i;
  }
  // A result takes the buffer of an input that nobody reads any more.
  std::vector<int> buffer_of(last_use.size(), -1);
  std::vector<int> free;
  for (int i = 0; i < static_cast<int>(calls.size()); ++i) {
    Step step;
    step.kernel = array::find_elementwise_kernel(
        calls[i].function->kernel(step.functor), native_device(), dtype);
    step.inputs = calls[i].inputs;
    step.result = arguments + i;
    for (const int value : step.inputs) {
      if (buffer_of[value] < 0 || last_use[value] != i) continue;
      free.push_back(buffer_of[value]);
      buffer_of[value] = -1;
    }
    if (free.empty()) free.push_back(buffers_++);
    step.buffer = free.back();
    free.pop_back();
    if (last_use[step.result] < 0) {
      free.push_back(step.buffer);
    } else {
      buffer_of[step.result] = step.buffer;
    }
    const auto output = std::ranges::find(outputs, step.result);
    step.output = output == outputs.end()
                      ? -1
                      : arguments + static_cast<int>(output - outputs.begin());
    steps_.push_back(std::move(step));
  }
}

void ElementwiseChain::run(std::span<const Array> arrays) const {
  const int64_t size = arrays.back().size();
  const bool streams = size * item_size_ >= cpu::kStreamBytes;
  const int64_t tile = kTileBytes / item_size_;
  cpu::parallel_for(
      size, kGrain,
      [&](int64_t begin, int64_t end) {
        const cpu::PoolBuffer<char> buffers(buffers_ * kTileBytes);
        for (; begin < end; begin += tile) {
          run_tile(arrays, begin, std::min(begin + tile, end), buffers.get(),
                   streams);
        }
        if (streams) cpu::stream_fence();
      },
      kAlign);
}

void ElementwiseChain::run_tile(std::span<const Array> arrays, int64_t begin,
                                int64_t end, char* buffers,
                                bool streams) const {
  struct Place {
    char* data;
    int64_t stride;
  };
  const auto in_array = [&](int number) {
    const Array& array = arrays[number];
    const int64_t stride = array.size() == 1 ? 0 : item_size_;
    return Place{array.raw_data() + begin * stride, stride};
  };
  absl::InlinedVector<Place, 16> places;
  for (int i = 0; i < arguments_; ++i) places.push_back(in_array(i));
  for (const Step& step : steps_) {
    const bool is_stored = step.output >= 0;
    const Place stored = is_stored ? in_array(step.output) : Place{};
    places.push_back(
        is_stored && !streams
            ? stored
            : Place{buffers + step.buffer * kTileBytes, item_size_});
    array::ElementwiseArgs args;
    args.begin(native_device(), end - begin, step.functor.get());
    for (const int value : step.inputs) {
      args.add(places[value].data, places[value].stride);
    }
    args.add(places.back().data, item_size_);
    step.kernel(args);
    if (is_stored && streams) {
      cpu::stream_bytes(stored.data, places.back().data,
                        (end - begin) * item_size_);
    }
  }
}

}  // namespace catena::functions

#include "catena/functions/plan/internal/elementwise_chain.h"

#include <algorithm>

#include "catena/array/core/memory_pool.h"
#include "catena/array/core/parallel.h"
#include "catena/array/core/stream_bytes.h"
#include "catena/array/core/strided_copy.h"

namespace catena::functions {
namespace {

// Bytes of an array in a tile: buffers fit into the L1 cache, and a tile takes
// much longer than the calls of its kernels.
constexpr int64_t kTileBytes = 4 << 10;

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
    const int result = arguments + i;
    for (const int value : step.inputs) {
      if (buffer_of[value] < 0 || last_use[value] != i) continue;
      free.push_back(buffer_of[value]);
      buffer_of[value] = -1;
    }
    if (free.empty()) free.push_back(buffers_++);
    step.buffer = free.back();
    free.pop_back();
    if (last_use[result] < 0) {
      free.push_back(step.buffer);
    } else {
      buffer_of[result] = step.buffer;
    }
    const auto output = std::ranges::find(outputs, result);
    step.output = output == outputs.end()
                      ? -1
                      : arguments + static_cast<int>(output - outputs.begin());
    steps_.push_back(std::move(step));
  }
}

// A thread's part of a run: the calls of the kernels, ready but for addresses
// and sizes.
class ElementwiseChain::Runner {
 public:
  Runner(const ElementwiseChain& chain, std::span<const Array> arrays,
         bool streams)
      : chain_(chain),
        buffers_(chain.buffers_ * kTileBytes),
        calls_(chain.steps_.size()) {
    std::vector<Place> places;
    const auto in_array = [&](int number) {
      const Array& array = arrays[number];
      const int64_t stride = array.size() == 1 ? 0 : chain.item_size_;
      return Place{array.raw_data(), stride, stride};
    };
    for (int i = 0; i < chain.arguments_; ++i) places.push_back(in_array(i));
    for (size_t i = 0; i < calls_.size(); ++i) {
      const Step& step = chain.steps_[i];
      Call& call = calls_[i];
      const bool is_stored = step.output >= 0;
      places.push_back(is_stored && !streams
                           ? in_array(step.output)
                           : Place{buffers_.get() + step.buffer * kTileBytes,
                                   chain.item_size_, 0});
      if (is_stored && streams) call.streamed = arrays[step.output].raw_data();
      call.args.begin(native_device(), 0, step.functor.get());
      for (const int value : step.inputs) call.add(places[value]);
      call.add(places.back());
    }
  }

  // Elements [begin, end), in one tile.
  void run(int64_t begin, int64_t end) {
    const int64_t item = chain_.item_size_;
    for (size_t i = 0; i < calls_.size(); ++i) {
      Call& call = calls_[i];
      call.args.size = call.args.shape[0] = end - begin;
      for (int k = 0; k < call.args.noperands; ++k) {
        const Place& place = call.places[k];
        call.args.operands[k].data = place.data + begin * place.step;
      }
      chain_.steps_[i].kernel(call.args);
      if (call.streamed != nullptr) {
        cpu::stream_bytes(call.streamed + begin * item,
                          call.places[call.args.noperands - 1].data,
                          (end - begin) * item);
      }
    }
  }

 private:
  // The first element of a value, the stride within a tile, and what to add to
  // the address for each element before the tile: nothing in buffers.
  struct Place {
    char* data;
    int64_t stride;
    int64_t step;
  };
  struct Call {
    array::ElementwiseArgs args;
    Place places[array::kMaxOperands];
    char* streamed = nullptr;  // where the result goes past the caches

    void add(const Place& place) {
      places[args.noperands] = place;
      args.add(place.data, place.stride);
    }
  };

  const ElementwiseChain& chain_;
  cpu::PoolBuffer<char> buffers_;
  std::vector<Call> calls_;
};

void ElementwiseChain::run(std::span<const Array> arrays) const {
  const int64_t size = arrays.back().size();
  const bool streams = size * item_size_ >= cpu::kStreamBytes;
  const int64_t tile = kTileBytes / item_size_;
  cpu::parallel_for(
      size, kGrain,
      [&](int64_t begin, int64_t end) {
        Runner runner(*this, arrays, streams);
        for (; begin < end; begin += tile) {
          runner.run(begin, std::min(begin + tile, end));
        }
        if (streams) cpu::stream_fence();
      },
      kAlign);
}

}  // namespace catena::functions

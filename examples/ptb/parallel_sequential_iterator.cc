#include "catena/examples/ptb/parallel_sequential_iterator.h"

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/take.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::examples {

ParallelSequentialIterator::ParallelSequentialIterator(
    const Array& words, int64_t batch_size,
    const ParallelSequentialIteratorOptions& options)
    : words_(words.to_device(native_device())), repeat_(options.repeat) {
  if (words.ndim() != 1 || words.size() == 0 || batch_size < 1) {
    raise<ValueError>(
        "ParallelSequentialIterator: expected words of shape (N,) and "
        "batch_size, both positive, got shape ",
        words.shape(), " and ", batch_size);
  }
  const Array places =
      array::arange(batch_size, Dtype::kInt64, native_device());
  offsets_ = array::floor_divide(places * words_.size(), batch_size);
}

dataset::NextBatch ParallelSequentialIterator::next() {
  if (!repeat_ && words_read() >= words_.size()) return std::nullopt;
  const Array x = words_at(iteration_);
  const Array t = words_at(++iteration_);
  return dataset::Batch::of_rows({x, t});
}

Array ParallelSequentialIterator::words_at(int64_t iteration) const {
  return words_.take((offsets_ + iteration) % words_.size());
}

std::optional<double> ParallelSequentialIterator::previous_epoch_detail()
    const {
  if (iteration_ == 0) return std::nullopt;
  return sweeps(words_read() - batch_size());
}

bool ParallelSequentialIterator::is_new_epoch() const {
  return iteration_ > 0 &&
         epoch() > (words_read() - batch_size()) / words_.size();
}

}  // namespace catena::examples

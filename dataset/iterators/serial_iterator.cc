#include "catena/dataset/iterators/serial_iterator.h"

#include <new>
#include <utility>

#include "catena/array/core/memory_errors.h"

namespace catena::iterators {

SerialIterator::SerialIterator(dataset::Dataset dataset, int64_t batch_size,
                               const SerialIteratorOptions& options)
    : dataset_(std::move(dataset)),
      sweeps_("SerialIterator", dataset_.size(), batch_size, options) {}

dataset::NextBatch SerialIterator::next() try {
  const SweepState before = sweeps_.state();
  try {
    std::optional<Array> indices = sweeps_.next();
    if (!indices) return std::nullopt;
    return dataset::Batch(dataset_, std::move(*indices));
  } catch (...) {
    sweeps_.state() = before;  // the next call gives this minibatch
    throw;
  }
} catch (const std::bad_alloc&) {
  raise_out_of_memory("SerialIterator");
}

void SerialIterator::serialize(const Serializer& serializer) {
  sweeps_.serialize(serializer, sweeps_.state());
}

}  // namespace catena::iterators

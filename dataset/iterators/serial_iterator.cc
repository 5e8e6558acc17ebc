#include "catena/dataset/iterators/serial_iterator.h"

#include <utility>

namespace catena::iterators {

SerialIterator::SerialIterator(dataset::Dataset dataset, int64_t batch_size,
                               const SerialIteratorOptions& options)
    : dataset_(std::move(dataset)),
      sweeps_("SerialIterator", dataset_.size(), batch_size, options) {}

dataset::NextBatch SerialIterator::next() {
  std::optional<Array> indices = sweeps_.next();
  if (!indices) return std::nullopt;
  return dataset::Batch(dataset_, std::move(*indices));
}

void SerialIterator::serialize(const Serializer& serializer) {
  sweeps_.serialize(serializer, sweeps_.state());
}

}  // namespace catena::iterators

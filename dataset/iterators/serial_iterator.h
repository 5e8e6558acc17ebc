#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "catena/array/random.h"
#include "catena/dataset/iterator.h"

namespace catena::iterators {

// The order of the next sweep (1-d, int64, indices of the dataset), given that
// of the last (at first 0, 1, 2, ...) and the position in it. All orders must
// have the same length, which may differ from the dataset's.
using OrderSampler =
    std::function<Array(const Array& order, int64_t current_position)>;

struct SerialIteratorOptions {
  // Whether sweeps follow each other without end. Then batches are always full
  // and may span two sweeps.
  bool repeat = true;
  // Whether each sweep has a random order of its own; without it, yes unless
  // there is an order_sampler.
  std::optional<bool> shuffle = std::nullopt;
  OrderSampler order_sampler = nullptr;
  // Of the random orders; without one it is drawn from native:0's generator,
  // which array::random::seed() seeds.
  std::optional<uint64_t> seed = std::nullopt;
};

// Takes minibatches from a dataset one after another, in this thread.
class SerialIterator final : public dataset::Iterator {
 public:
  // ValueError when batch_size < 1, when the dataset is empty but repeated, or
  // when both shuffle and order_sampler are given.
  SerialIterator(dataset::Dataset dataset, int64_t batch_size,
                 const SerialIteratorOptions& options = {});

  std::optional<dataset::Batch> next() override;
  int64_t batch_size() const override { return batch_size_; }
  int64_t epoch() const override { return epoch_; }
  double epoch_detail() const override;
  // Nothing before the first batch.
  std::optional<double> previous_epoch_detail() const override;
  bool is_new_epoch() const override { return is_new_epoch_; }
  bool repeat() const override { return repeat_; }
  int64_t current_position() const { return position_; }
  const dataset::Dataset& dataset() const { return dataset_; }

  // Back to the start; a new random order if there is one.
  void reset() override;
  std::unique_ptr<dataset::Iterator> copy() const override {
    return std::make_unique<SerialIterator>(*this);
  }
  // Position, epoch and order in the original's keys, and what the next orders
  // depend on. IoError when an order does not fit the dataset.
  void serialize(const Serializer& serializer) override;

 private:
  void sample_order(int64_t current_position);
  Array read_order(const Serializer& serializer) const;

  dataset::Dataset dataset_;
  int64_t batch_size_;
  bool repeat_;
  bool shuffles_;
  OrderSampler order_sampler_;  // null when shuffling, or for 0, 1, 2, ...
  array::random::GeneratorState random_;

  // Never changed in place: batches refer to it.
  Array order_;
  int64_t sweep_ = 0;  // the length of order_
  int64_t position_ = 0;
  int64_t epoch_ = 0;
  bool is_new_epoch_ = false;
  double previous_epoch_detail_ = -1;
};

}  // namespace catena::iterators

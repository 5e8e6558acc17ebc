#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "catena/dataset/iterator.h"
#include "catena/dataset/iterators/sweeps.h"

namespace catena::iterators {

// See iterators/sweeps.h.
using SerialIteratorOptions = SweepOptions;

// Returns minibatches of a dataset in order, read in the caller's thread.
class SerialIterator final : public dataset::Iterator {
 public:
  // Throws ValueError when batch_size < 1, when the dataset is empty but
  // repeated, or when both shuffle and order_sampler are given.
  SerialIterator(dataset::Dataset dataset, int64_t batch_size,
                 const SerialIteratorOptions& options = {});

  // Examples are read when the batch is accessed.
  dataset::NextBatch next() override;
  int64_t batch_size() const override { return sweeps_.batch_size(); }
  int64_t epoch() const override { return sweeps_.state().epoch; }
  double epoch_detail() const override {
    return sweeps_.state().epoch_detail();
  }
  // nullopt before the first batch.
  std::optional<double> previous_epoch_detail() const override {
    return sweeps_.state().previous_detail();
  }
  bool is_new_epoch() const override { return sweeps_.state().is_new_epoch; }
  bool repeat() const override { return sweeps_.repeat(); }
  int64_t current_position() const { return sweeps_.state().position; }
  const dataset::Dataset& dataset() const { return dataset_; }

  // Back to the start, with a new random order if shuffled.
  void reset() override { sweeps_.reset(); }
  std::unique_ptr<dataset::Iterator> copy() const override {
    return std::make_unique<SerialIterator>(*this);
  }
  // Position, epoch and order under Chainer's keys, and the random state of the
  // next orders. Throws IoError when an order does not match the dataset.
  void serialize(const Serializer& serializer) override;

 private:
  dataset::Dataset dataset_;
  Sweeps sweeps_;
};

}  // namespace catena::iterators

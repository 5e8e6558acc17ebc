#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "catena/dataset/iterator.h"
#include "catena/training/communicators/communicator.h"

namespace catena::training::communicators {

// This rank's part of each minibatch of an iterator that all ranks have:
// training on several ranks sees the same minibatches in the same order as on a
// single rank. The iterator produces whole minibatches; with lazy iterators
// such as SerialIterator, the examples of other ranks are not read.
//
// All ranks start from the position and the random order of rank 0.
class MultiNodeIterator final : public dataset::Iterator {
 public:
  // Both must outlive this object. Throws ValueError unless the iterator
  // repeats and its batch_size is divisible by the number of ranks.
  MultiNodeIterator(dataset::Iterator& iterator, Communicator& communicator);
  MultiNodeIterator(dataset::Iterator&&,
                    Communicator&) = delete;  // a temporary would dangle

  dataset::NextBatch next() override;
  // The state of this rank.
  int64_t batch_size() const override { return iterator_.batch_size() / size_; }
  int64_t epoch() const override { return iterator_.epoch(); }
  double epoch_detail() const override { return iterator_.epoch_detail(); }
  std::optional<double> previous_epoch_detail() const override {
    return iterator_.previous_epoch_detail();
  }
  bool is_new_epoch() const override { return iterator_.is_new_epoch(); }
  bool repeat() const override { return true; }
  void reset() override { iterator_.reset(); }
  void finalize() override { iterator_.finalize(); }
  void serialize(const Serializer& serializer) override {
    iterator_.serialize(serializer);
  }

 private:
  dataset::Iterator& iterator_;
  int64_t rank_;
  int64_t size_;
};

}  // namespace catena::training::communicators

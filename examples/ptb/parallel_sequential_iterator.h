#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "catena/array/array.h"
#include "catena/dataset/iterator.h"

namespace catena::examples {

struct ParallelSequentialIteratorOptions {
  // Whether to go on after the first epoch.
  bool repeat = true;
};

// Reads a text at batch_size places at once, spaced evenly. A minibatch has the
// word at each place and, as what is to be predicted, the word after it; the
// next minibatch is one word further on. At the end of the text reading goes on
// at its beginning. An epoch is over when as many words have been read as the
// text has.
class ParallelSequentialIterator final : public dataset::Iterator {
 public:
  // `words` are ids, (N,). Throws ValueError unless N and batch_size are
  // positive.
  ParallelSequentialIterator(
      const Array& words, int64_t batch_size,
      const ParallelSequentialIteratorOptions& options = {});

  // The words and those after them, (batch_size,) each, as arrays on native:0.
  dataset::NextBatch next() override;

  int64_t batch_size() const override { return offsets_.size(); }
  int64_t epoch() const override { return words_read() / words_.size(); }
  double epoch_detail() const override { return sweeps(words_read()); }
  std::optional<double> previous_epoch_detail() const override;
  bool is_new_epoch() const override;
  bool repeat() const override { return repeat_; }

  void reset() override { iteration_ = 0; }
  std::unique_ptr<dataset::Iterator> copy() const override {
    return std::make_unique<ParallelSequentialIterator>(*this);
  }
  // All else follows from the number of minibatches so far.
  void serialize(const Serializer& serializer) override {
    serializer("iteration", iteration_);
  }

 private:
  int64_t words_read() const { return iteration_ * batch_size(); }
  double sweeps(int64_t words) const {
    return static_cast<double>(words) / static_cast<double>(words_.size());
  }
  Array words_at(int64_t iteration) const;

  Array words_;
  Array offsets_;  // the places where reading starts
  bool repeat_;
  int64_t iteration_ = 0;
};

}  // namespace catena::examples

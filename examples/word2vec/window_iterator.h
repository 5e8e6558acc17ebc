#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "catena/array/array.h"
#include "catena/dataset/iterator.h"

namespace catena::examples {

struct WindowIteratorOptions {
  // Whether to go on after the first epoch.
  bool repeat = true;
};

// Words of a text in random order, with the words around them. How many that
// are, to each side, is random from 1 to `window` and differs from minibatch to
// minibatch, so near words are seen more often than far ones. An epoch ends
// when each word that has enough words around it was in the center; its last
// minibatch may be smaller.
class WindowIterator final : public dataset::Iterator {
 public:
  // `words` are ids, (N,). Throws ValueError unless window and batch_size are
  // positive and N > 2 window.
  WindowIterator(const Array& words, int64_t window, int64_t batch_size,
                 const WindowIteratorOptions& options = {});

  // The center words, (B,), and for a window of w those around them, (B, 2 w),
  // as arrays on native:0. Draws from native:0's generator.
  dataset::NextBatch next() override;

  int64_t batch_size() const override { return batch_size_; }
  int64_t epoch() const override { return epoch_; }
  double epoch_detail() const override;
  std::optional<double> previous_epoch_detail() const override;
  bool is_new_epoch() const override { return is_new_epoch_; }
  bool repeat() const override { return repeat_; }

  void reset() override;
  std::unique_ptr<dataset::Iterator> copy() const override {
    return std::make_unique<WindowIterator>(*this);
  }
  void serialize(const Serializer& serializer) override;

 private:
  void shuffle();

  Array words_;
  int64_t window_;
  int64_t batch_size_;
  bool repeat_;
  Array order_;  // of the centers in this epoch
  int64_t current_position_ = 0;
  int64_t epoch_ = 0;
  bool is_new_epoch_ = false;
  double previous_epoch_detail_ = -1;  // before the first minibatch
};

}  // namespace catena::examples

#include "catena/examples/word2vec/window_iterator.h"

#include <algorithm>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/array/take.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::examples {

WindowIterator::WindowIterator(const Array& words, int64_t window,
                               int64_t batch_size,
                               const WindowIteratorOptions& options)
    : words_(words.to_device(native_device())),
      window_(window),
      batch_size_(batch_size),
      repeat_(options.repeat) {
  if (words.ndim() != 1 || window < 1 || batch_size < 1 ||
      words.size() <= 2 * window) {
    raise<ValueError>(
        "WindowIterator: expected window and batch_size of at least 1 and more "
        "than 2 * window words, got ",
        window, ", ", batch_size, " and words of shape ", words.shape());
  }
  shuffle();
}

void WindowIterator::shuffle() {
  const int64_t centers = words_.size() - 2 * window_;
  order_ = array::random::permutation(centers, native_device()) + window_;
}

dataset::NextBatch WindowIterator::next() {
  if (!repeat_ && epoch_ > 0) return std::nullopt;
  previous_epoch_detail_ = epoch_detail();
  const int64_t end = std::min(current_position_ + batch_size_, order_.size());
  const Array position = order_[{Slice(current_position_, end)}];
  const auto w =
      array::random::randint(1, window_ + 1, {}, Dtype::kInt64, native_device())
          .item<int64_t>();
  const Array offset = array::concatenate(
      {array::arange(-w, 0, 1, Dtype::kInt64, native_device()),
       array::arange(1, w + 1, 1, Dtype::kInt64, native_device())});
  const Array around = position.expand_dims(1) + offset;

  current_position_ = end;
  is_new_epoch_ = end == order_.size();
  if (is_new_epoch_) {
    current_position_ = 0;
    ++epoch_;
    shuffle();
  }
  return dataset::Batch::of_rows({words_.take(position), words_.take(around)});
}

double WindowIterator::epoch_detail() const {
  return static_cast<double>(epoch_) + static_cast<double>(current_position_) /
                                           static_cast<double>(order_.size());
}

std::optional<double> WindowIterator::previous_epoch_detail() const {
  if (previous_epoch_detail_ < 0) return std::nullopt;
  return previous_epoch_detail_;
}

void WindowIterator::reset() {
  current_position_ = 0;
  epoch_ = 0;
  is_new_epoch_ = false;
  previous_epoch_detail_ = -1;
  shuffle();
}

void WindowIterator::serialize(const Serializer& serializer) {
  serializer("current_position", current_position_);
  serializer("epoch", epoch_);
  serializer("is_new_epoch", is_new_epoch_);
  serializer("previous_epoch_detail", previous_epoch_detail_);
  serializer("order", order_);
}

}  // namespace catena::examples

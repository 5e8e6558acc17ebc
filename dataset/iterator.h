#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>

#include "catena/dataset/batch.h"
#include "catena/serializers/serializer.h"

namespace catena::dataset {

// Iterates over a dataset in minibatches.
//
//   while (const auto batch = iterator.next()) ...
//   for (const Batch& batch : iterator) ...
class Iterator {
 public:
  virtual ~Iterator() = default;

  // The next minibatch; nullopt at the end.
  virtual std::optional<Batch> next() = 0;

  // The number of examples in a minibatch; the last of a sweep may have fewer.
  virtual int64_t batch_size() const = 0;
  // Completed sweeps over the dataset; the same including the fraction of the
  // current sweep; and that value before the last next().
  virtual int64_t epoch() const = 0;
  virtual double epoch_detail() const = 0;
  virtual std::optional<double> previous_epoch_detail() const = 0;
  // Whether the last next() completed a sweep.
  virtual bool is_new_epoch() const = 0;
  // Whether the iterator repeats forever.
  virtual bool repeat() const = 0;

  // Back to the start.
  virtual void reset() = 0;
  // An independent iterator with the same state, for evaluation; null if not
  // supported.
  virtual std::unique_ptr<Iterator> copy() const { return nullptr; }
  // Releases resources such as threads; called at the end of training.
  virtual void finalize() {}
  virtual void serialize(const Serializer& /*serializer*/) {}

  class BatchCursor {
   public:
    explicit BatchCursor(Iterator* iterator)
        : iterator_(iterator), batch_(iterator->next()) {}
    const Batch& operator*() const { return *batch_; }
    BatchCursor& operator++() {
      batch_ = iterator_->next();
      return *this;
    }
    bool operator==(std::default_sentinel_t) const { return !batch_; }

   private:
    Iterator* iterator_;
    std::optional<Batch> batch_;
  };
  BatchCursor begin() { return BatchCursor(this); }
  std::default_sentinel_t end() { return {}; }

 protected:
  Iterator() = default;
  Iterator(const Iterator&) = default;
  Iterator& operator=(const Iterator&) = default;
};

}  // namespace catena::dataset

#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>

#include "catena/dataset/batch.h"
#include "catena/serializers/serializer.h"

namespace catena::dataset {

// Walks over a dataset in minibatches.
//
//   while (const auto batch = iterator.next()) ...
//   for (const Batch& batch : iterator) ...
class Iterator {
 public:
  virtual ~Iterator() = default;

  // The next minibatch; nothing at the end.
  virtual std::optional<Batch> next() = 0;

  // The number of examples in a minibatch; the last of a sweep may have fewer.
  virtual int64_t batch_size() const = 0;
  // Completed sweeps over the dataset, and the same with the part of the
  // current sweep as a fraction, now and before the last next().
  virtual int64_t epoch() const = 0;
  virtual double epoch_detail() const = 0;
  virtual std::optional<double> previous_epoch_detail() const = 0;
  // Whether the last next() completed a sweep.
  virtual bool is_new_epoch() const = 0;
  // Whether it never ends.
  virtual bool repeat() const = 0;

  // Back to the start.
  virtual void reset() = 0;
  // An iterator of the same state that goes its own way, for evaluations; null
  // when there can be only one.
  virtual std::unique_ptr<Iterator> copy() const { return nullptr; }
  // Releases threads and the like; called at the end of training.
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

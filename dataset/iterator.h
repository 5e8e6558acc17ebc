#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "catena/dataset/batch.h"
#include "catena/serializers/serializer.h"

namespace catena::dataset {

// The result of Iterator::next(): a minibatch, or the end. Reading it at the
// end throws ValueError.
class NextBatch {
 public:
  NextBatch(Batch batch) : batch_(std::move(batch)) {}
  NextBatch(std::nullopt_t) {}

  bool has_value() const { return batch_.has_value(); }
  explicit operator bool() const { return has_value(); }

  // Throws ValueError when this is the end.
  const Batch& value() const& {
    if (!batch_) throw_end();
    return *batch_;
  }
  Batch value() && {
    if (!batch_) throw_end();
    return *std::move(batch_);
  }
  const Batch& operator*() const& { return value(); }
  Batch operator*() && { return std::move(*this).value(); }
  const Batch* operator->() const { return &value(); }

 private:
  [[noreturn]] static void throw_end();

  std::optional<Batch> batch_;
};

// Iterates over a dataset in minibatches.
//
//   while (const auto batch = iterator.next()) ...
//   for (const Batch& batch : iterator) ...
class Iterator {
 public:
  virtual ~Iterator() = default;

  // The next minibatch. At the end, which only iterators without repeat have,
  // it converts to false and throws when it is read.
  virtual NextBatch next() = 0;

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
    NextBatch batch_;
  };
  BatchCursor begin() { return BatchCursor(this); }
  std::default_sentinel_t end() { return {}; }

 protected:
  Iterator() = default;
  Iterator(const Iterator&) = default;
  Iterator& operator=(const Iterator&) = default;
};

}  // namespace catena::dataset

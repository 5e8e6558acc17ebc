#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>

#include "catena/dataset/iterator.h"
#include "catena/dataset/iterators/sweeps.h"

namespace catena::iterators {

class BatchReaders;

struct MultithreadIteratorOptions {
  // As in SerialIteratorOptions.
  bool repeat = true;
  std::optional<bool> shuffle = std::nullopt;
  // The threads that read examples.
  int64_t n_threads = 1;
  // How many minibatches they read ahead; with 0 they start when asked.
  int64_t n_prefetch = 2;
  // Whether minibatches are put together in page-locked memory, from which a
  // GPU reads by itself, where CUDA is linked and finds one.
  bool pinned = true;
  // As in SerialIteratorOptions.
  OrderSampler order_sampler = nullptr;
  std::optional<uint64_t> seed = std::nullopt;
};

// Takes minibatches from a dataset that threads of its own read ahead, several
// examples at a time: for data sets that decode, augment or generate.
//
//   MultithreadIterator train(TransformDataset(images, augment), 128,
//                             {.n_threads = 4});
//
// The minibatches are those of a SerialIterator with the same options, in the
// same order, whatever the number of threads. What is saved is the state behind
// the last minibatch that next() gave, however much was read ahead, so a
// snapshot resumes to the bit, in a SerialIterator too.
//
// - The dataset, with all the functions in it, is called from all threads at
//   once; with n_threads = 1 from one that is not the caller's.
// - In those threads the caller's device is current, parallel loops run inline,
//   and thread-local settings of other libraries have their defaults. Random
//   numbers of a shared generator come in any order, so that a run does not
//   repeat: take them from a generator that begins anew at each example, as
//   TransformDataset offers one, or derive them from the example or its index.
// - What reading an example throws comes from the next() that would give its
//   minibatch, once those before it are given. The one after it follows.
// - reset(), loading a state, finalize() and the destructor drop what was read
//   ahead; the last two wait for the examples that are being read, no others.
class MultithreadIterator final : public dataset::Iterator {
 public:
  // ValueError when batch_size < 1, when the dataset is empty but repeated,
  // when both shuffle and order_sampler are given, or unless
  // 1 <= n_threads <= 1024 and 0 <= n_prefetch <= 65536.
  MultithreadIterator(dataset::Dataset dataset, int64_t batch_size,
                      const MultithreadIteratorOptions& options = {});
  ~MultithreadIterator() override;

  // The first call starts the threads: Error when the system gives none.
  std::optional<dataset::Batch> next() override;
  int64_t batch_size() const override { return sweeps_.batch_size(); }
  int64_t epoch() const override { return state_.epoch; }
  double epoch_detail() const override { return state_.epoch_detail(); }
  // Nothing before the first batch.
  std::optional<double> previous_epoch_detail() const override {
    return state_.previous_detail();
  }
  bool is_new_epoch() const override { return state_.is_new_epoch; }
  bool repeat() const override { return sweeps_.repeat(); }
  int64_t current_position() const { return state_.position; }
  const dataset::Dataset& dataset() const { return dataset_; }

  // Back to the start; a new random order if there is one.
  void reset() override;
  // With threads of its own, started by its first next().
  std::unique_ptr<dataset::Iterator> copy() const override;
  // Ends the threads; another next() starts them again.
  void finalize() override;
  // In SerialIterator's keys.
  void serialize(const Serializer& serializer) override;

 private:
  struct Ahead;

  MultithreadIterator(const MultithreadIterator& other);
  void read_ahead(size_t count);
  void drop_ahead();

  dataset::Dataset dataset_;
  int64_t n_threads_;
  int64_t n_prefetch_;
  bool pinned_;
  SweepState state_;  // behind the last minibatch that was given
  Sweeps sweeps_;     // behind the last one that is read ahead
  std::unique_ptr<BatchReaders> readers_;
  std::deque<Ahead> ahead_;
};

// In Python, threads exclude each other, so Chainer has an iterator with worker
// processes, too. In C++ threads do all that processes would: without copies
// between them, and without fork(), which a program that has threads or uses a
// GPU must not call. What Chainer calls n_processes is n_threads here;
// shared_mem has no counterpart.
using MultiprocessIterator = MultithreadIterator;

}  // namespace catena::iterators

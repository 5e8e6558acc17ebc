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
  NamedFieldsOnly keywords = {};
  // As in SerialIteratorOptions.
  bool repeat = true;
  std::optional<bool> shuffle = std::nullopt;
  // The number of threads that read examples.
  int64_t n_threads = 1;
  // The number of minibatches to read ahead; with 0, next() starts reading.
  int64_t n_prefetch = 2;
  // Whether minibatches are assembled in page-locked memory, which a GPU reads
  // by DMA, if CUDA is linked and has a GPU.
  bool pinned = true;
  // As in SerialIteratorOptions.
  OrderSampler order_sampler = nullptr;
  std::optional<uint64_t> seed = std::nullopt;
};

// Returns minibatches that its own threads read ahead, several examples at a
// time: for datasets that decode, augment or generate.
//
//   MultithreadIterator train(TransformDataset(images, augment), 128,
//                             {.n_threads = 4});
//
// The minibatches are those of a SerialIterator with the same options, in the
// same order, whatever the number of threads. The saved state is that after the
// last minibatch returned by next(), however much was read ahead, so a snapshot
// resumes bit-identically, in a SerialIterator too.
//
// - The dataset, including its functions, is called from all threads at once;
//   with n_threads = 1, from a single thread that is not the caller's.
// - In those threads the caller's device is current, parallel loops run inline,
//   and thread-local settings of other libraries have their defaults. Random
//   numbers from a shared generator are drawn in any order, so runs are not
//   reproducible: use a generator that is reseeded for each example, as in
//   TransformDataset, or derive them from the example or its index.
// - An exception while reading an example is rethrown by the next() that would
//   have returned its minibatch, in order. The call after that returns the
//   following minibatch.
// - reset(), loading a state, finalize() and the destructor drop what was read
//   ahead; the last two wait only for examples that are currently being read.
class MultithreadIterator : public dataset::Iterator {
 public:
  // Throws ValueError when batch_size < 1, when the dataset is empty but
  // repeated, when both shuffle and order_sampler are given, or unless 1 <=
  // n_threads <= 1024 and 0 <= n_prefetch <= 65536.
  MultithreadIterator(dataset::Dataset dataset, int64_t batch_size,
                      const MultithreadIteratorOptions& options = {});
  ~MultithreadIterator() override;

  // The first call starts the threads. Throws Error when the system cannot
  // create them.
  dataset::NextBatch next() override;
  int64_t batch_size() const override { return sweeps_.batch_size(); }
  int64_t epoch() const override { return state_.epoch; }
  double epoch_detail() const override { return state_.epoch_detail(); }
  // nullopt before the first batch.
  std::optional<double> previous_epoch_detail() const override {
    return state_.previous_detail();
  }
  bool is_new_epoch() const override { return state_.is_new_epoch; }
  bool repeat() const override { return sweeps_.repeat(); }
  int64_t current_position() const { return state_.position; }
  const dataset::Dataset& dataset() const { return dataset_; }

  // Back to the start, with a new random order if shuffled.
  void reset() override;
  // The copy has its own threads, started by its first next().
  std::unique_ptr<dataset::Iterator> copy() const override;
  // Ends the threads; next() restarts them.
  void finalize() override;
  // Uses the same keys as SerialIterator.
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
  SweepState state_;  // after the last returned minibatch
  Sweeps sweeps_;     // after the last one read ahead
  std::unique_ptr<BatchReaders> readers_;
  std::deque<Ahead> ahead_;
};

struct MultiprocessIteratorOptions {
  NamedFieldsOnly keywords = {};
  bool repeat = true;
  std::optional<bool> shuffle = std::nullopt;
  // The number of threads, by default that of processors.
  std::optional<int64_t> n_processes = std::nullopt;
  int64_t n_prefetch = 1;
  // As in MultithreadIteratorOptions.
  bool pinned = true;
  OrderSampler order_sampler = nullptr;
  std::optional<uint64_t> seed = std::nullopt;
};

// A MultithreadIterator with the arguments and defaults of Chainer's iterator
// of that name, which needs processes because of Python's global interpreter
// lock. Threads do the same without copies between processes and without
// fork(), which is unsafe in a program with threads or a GPU; but all of them
// call the same dataset. shared_mem has no counterpart.
class MultiprocessIterator final : public MultithreadIterator {
 public:
  MultiprocessIterator(dataset::Dataset dataset, int64_t batch_size,
                       const MultiprocessIteratorOptions& options = {});
};

}  // namespace catena::iterators

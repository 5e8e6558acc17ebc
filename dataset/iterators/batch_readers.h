#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "catena/dataset/batch.h"
#include "catena/dataset/dataset.h"
#include "catena/dataset/example_stack.h"

namespace catena::iterators {

// Threads that read minibatches of a dataset: several minibatches at once, and
// several parts of each. Its methods are for one thread.
class BatchReaders {
 public:
  // A minibatch that is being read.
  class Read;

  // Error when the system gives no more threads. With `pinned`, minibatches are
  // put together in page-locked memory where CUDA is linked and has a GPU.
  BatchReaders(dataset::Dataset dataset, int64_t n_threads, bool pinned);
  // Waits for the examples that are being read, and for no others.
  ~BatchReaders();
  BatchReaders(const BatchReaders&) = delete;
  BatchReaders& operator=(const BatchReaders&) = delete;

  // Begins to read the examples at these indices.
  std::shared_ptr<Read> start(const Array& indices);
  // Waits for the minibatch. Throws what the first of its examples, in their
  // order, that could not be read has thrown. To be called once.
  dataset::Batch take(Read& read);
  // Nobody will take what was started; returns at once.
  void cancel(const std::deque<std::shared_ptr<Read>>& reads);

 private:
  void stop();
  void work();
  // One part of a minibatch: reads it and puts it where the others are put.
  void read_part(Read& read, int64_t part);
  bool gather_part(Read& read, int64_t begin, int64_t end);
  const dataset::ExampleStack* stack_like(Read& read,
                                          const dataset::Example& example);
  void put_aside(Read& read, int64_t i, dataset::Example example);

  const dataset::Dataset dataset_;
  const int64_t n_threads_;
  const dataset::ExampleStack::Allocate allocate_;
  // What the minibatches so far have shown.
  std::atomic<bool> gathers_ = false;
  std::atomic<bool> stacks_ = true;

  std::mutex mutex_;
  std::condition_variable work_;             // there are parts to be read
  std::condition_variable done_;             // a minibatch is complete
  std::deque<std::shared_ptr<Read>> queue_;  // those with parts to be read
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace catena::iterators

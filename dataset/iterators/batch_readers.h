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
#include "catena/dataset/dataset_mixin.h"
#include "catena/dataset/example_stack.h"

namespace catena::iterators {

// Threads that read minibatches of a dataset: several minibatches at once, and
// several parts of each. Not thread-safe.
class BatchReaders {
 public:
  // A minibatch that is being read.
  class Read;

  // Throws Error when the system cannot create the threads. With `pinned`,
  // minibatches are assembled in page-locked memory if CUDA is linked and has a
  // GPU.
  BatchReaders(dataset::Dataset dataset, int64_t n_threads, bool pinned);
  // Waits only for examples that are currently being read.
  ~BatchReaders();
  BatchReaders(const BatchReaders&) = delete;
  BatchReaders& operator=(const BatchReaders&) = delete;

  // Starts reading the examples at these indices.
  std::shared_ptr<Read> start(const Array& indices);
  // Waits for the minibatch. Rethrows the exception of its first example, in
  // order, that could not be read. Call once for each minibatch.
  dataset::Batch take(Read& read);
  // Drop minibatches that were started; do not wait. Those that are cancelled
  // are read no further, and forgotten all at once.
  static void cancel(Read& read);
  void drop_cancelled();

 private:
  void stop();
  void work();
  // Reads one part of a minibatch and stores its examples in `read`.
  void read_part(Read& read, int64_t part);
  bool gather_part(Read& read, int64_t begin, int64_t end);
  const dataset::ExampleStack* stack_like(Read& read,
                                          const dataset::Example& example);
  void put_aside(Read& read, int64_t i, dataset::Example example);
  static dataset::Batch examples_of(Read& read);

  const dataset::Dataset dataset_;
  const int64_t n_threads_;
  const dataset::ExampleStack::Allocate allocate_;
  // Whether the dataset gathers, and whether its examples can be stacked, as
  // observed so far.
  std::atomic<bool> gathers_ = false;
  std::atomic<bool> stacks_ = true;

  std::mutex mutex_;
  std::condition_variable work_;             // there are parts to read
  std::condition_variable done_;             // a minibatch is complete
  std::deque<std::shared_ptr<Read>> queue_;  // minibatches with parts to read
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace catena::iterators

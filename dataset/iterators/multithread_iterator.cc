#include "catena/dataset/iterators/multithread_iterator.h"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/dataset/iterators/batch_readers.h"

namespace catena::iterators {
namespace {

constexpr std::string_view kName = "MultithreadIterator";

SweepOptions sweep_options(const MultithreadIteratorOptions& options) {
  return {.repeat = options.repeat,
          .shuffle = options.shuffle,
          .order_sampler = options.order_sampler,
          .seed = options.seed};
}

int64_t checked(std::string_view option, int64_t value, int64_t min,
                int64_t max) {
  if (value < min || value > max) {
    raise<ValueError>(kName, ": expected ", min, " <= ", option, " <= ", max,
                      ", got ", value);
  }
  return value;
}

int64_t processors() {
  return std::clamp<int64_t>(std::thread::hardware_concurrency(), 1, 1024);
}

}  // namespace

// A minibatch that is read ahead, or the exception that the order sampler
// threw.
struct MultithreadIterator::Ahead {
  std::shared_ptr<BatchReaders::Read> read;
  std::exception_ptr failure;
  SweepState after;
};

MultithreadIterator::MultithreadIterator(
    dataset::Dataset dataset, int64_t batch_size,
    const MultithreadIteratorOptions& options)
    : dataset_(std::move(dataset)),
      n_threads_(checked("n_threads", options.n_threads, 1, 1024)),
      n_prefetch_(checked("n_prefetch", options.n_prefetch, 0, 65536)),
      pinned_(options.pinned),
      sweeps_(kName, dataset_.size(), batch_size, sweep_options(options)) {
  state_ = sweeps_.state();
}

MultithreadIterator::MultithreadIterator(const MultithreadIterator& other)
    : dataset::Iterator(other),
      dataset_(other.dataset_),
      n_threads_(other.n_threads_),
      n_prefetch_(other.n_prefetch_),
      pinned_(other.pinned_),
      state_(other.state_),
      sweeps_(other.sweeps_) {
  sweeps_.state() = state_;
}

MultiprocessIterator::MultiprocessIterator(
    dataset::Dataset dataset, int64_t batch_size,
    const MultiprocessIteratorOptions& options)
    : MultithreadIterator(
          std::move(dataset), batch_size,
          {.repeat = options.repeat,
           .shuffle = options.shuffle,
           .n_threads = options.n_processes.value_or(processors()),
           .n_prefetch = options.n_prefetch,
           .pinned = options.pinned,
           .order_sampler = options.order_sampler,
           .seed = options.seed}) {}

MultithreadIterator::~MultithreadIterator() { drop_ahead(); }

std::unique_ptr<dataset::Iterator> MultithreadIterator::copy() const {
  return std::unique_ptr<dataset::Iterator>(new MultithreadIterator(*this));
}

dataset::NextBatch MultithreadIterator::next() try {
  if (readers_ == nullptr) {
    readers_ = std::make_unique<BatchReaders>(dataset_, n_threads_, pinned_);
  }
  read_ahead(static_cast<size_t>(n_prefetch_) + 1);
  if (ahead_.empty()) return std::nullopt;
  const Ahead first = std::move(ahead_.front());
  ahead_.pop_front();
  if (first.failure) {
    sweeps_.state() = state_;
    std::rethrow_exception(first.failure);
  }
  state_ = first.after;
  return readers_->take(*first.read);
} catch (const std::bad_alloc&) {
  raise_out_of_memory(kName);
}

// Reads ahead until there are `count` minibatches, the end or a failure.
void MultithreadIterator::read_ahead(size_t count) {
  while (ahead_.size() < count) {
    if (!ahead_.empty() && ahead_.back().failure) return;
    // First, since nothing may fail once the sweep has gone on.
    Ahead& next = ahead_.emplace_back();
    try {
      const std::optional<Array> indices = sweeps_.next();
      if (!indices) return ahead_.pop_back();
      next.read = readers_->start(*indices);
    } catch (...) {
      next.failure = std::current_exception();
    }
    next.after = sweeps_.state();
  }
}

void MultithreadIterator::drop_ahead() {
  if (ahead_.empty()) return;
  for (const Ahead& each : ahead_) {
    if (each.read != nullptr) BatchReaders::cancel(*each.read);
  }
  readers_->drop_cancelled();
  ahead_.clear();
}

void MultithreadIterator::reset() try {
  Sweeps start = sweeps_;
  start.state() = state_;
  start.reset();
  drop_ahead();
  sweeps_ = std::move(start);
  state_ = sweeps_.state();
} catch (const std::bad_alloc&) {
  raise_out_of_memory(kName);
}

void MultithreadIterator::finalize() {
  drop_ahead();
  sweeps_.state() = state_;
  readers_.reset();
}

void MultithreadIterator::serialize(const Serializer& serializer) {
  sweeps_.serialize(serializer, state_);
  if (serializer.is_writer()) return;
  serializer.on_commit([this] {
    drop_ahead();
    sweeps_.state() = state_;
  });
}

}  // namespace catena::iterators

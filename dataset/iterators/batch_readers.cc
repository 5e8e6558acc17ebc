#include "catena/dataset/iterators/batch_readers.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/inline_regions.h"
#include "catena/array/core/trace.h"
#include "catena/array/index.h"
#include "catena/dataset/pinned_arrays.h"

namespace catena::iterators {
namespace {

using dataset::Batch;
using dataset::Example;
using dataset::ExampleStack;

// More than one part per thread, for load balancing.
constexpr int64_t kPartsPerThread = 2;

Array allocate_pinned(const Shape& shape, Dtype dtype, Device device) {
  if (device == native_device()) {
    try {
      return dataset::empty_pinned(shape, dtype, Backend::kCuda);
    } catch (const Error&) {
      // Page-locked memory is limited; fall back to ordinary memory.
    }
  }
  return ExampleStack::allocate(shape, dtype, device);
}

ExampleStack::Allocate allocator(bool pinned) {
  return pinned && dataset::uses_pinned_memory(Backend::kCuda)
             ? &allocate_pinned
             : &ExampleStack::allocate;
}

}  // namespace

class BatchReaders::Read {
 public:
  Read(const Array& wanted, int64_t parts)
      : indices(wanted),
        device(current_device()),
        size(wanted.size()),
        part_size(std::max<int64_t>(1, (size + parts - 1) / parts)),
        parts(std::max<int64_t>(1, (size + part_size - 1) / part_size)) {}

  const Array indices;
  const Device device;  // the caller's current device
  const int64_t size;
  const int64_t part_size;
  const int64_t parts;

  // Guarded by the readers' mutex.
  int64_t begun = 0;
  int64_t ended = 0;
  std::exception_ptr error;  // of the part `failed`

  // Parts after this one are not needed.
  std::atomic<int64_t> failed = INT64_MAX;

  // Examples are copied to rows of a stack, created for the first one; those of
  // a different format are put aside. The mutex guards the creation of both;
  // then threads write to different elements.
  std::mutex mutex;
  std::optional<ExampleStack> stack;
  std::vector<std::optional<Example>> aside;
  // All examples at once, from a dataset that gathers.
  std::optional<Example> gathered;
};

BatchReaders::BatchReaders(dataset::Dataset dataset, int64_t n_threads,
                           bool pinned)
    : dataset_(std::move(dataset)),
      n_threads_(n_threads),
      allocate_(allocator(pinned)) {
  threads_.reserve(static_cast<size_t>(n_threads));
  try {
    while (static_cast<int64_t>(threads_.size()) < n_threads) {
      threads_.emplace_back([this] { work(); });
    }
  } catch (const std::exception& error) {
    const size_t started = threads_.size();
    stop();
    raise<Error>("MultithreadIterator: expected ", n_threads,
                 " threads from the system, got ", started, ": ", error.what());
  }
}

BatchReaders::~BatchReaders() { stop(); }

void BatchReaders::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    queue_.clear();
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

std::shared_ptr<BatchReaders::Read> BatchReaders::start(const Array& indices) {
  // A dataset that gathers is fastest with a whole minibatch at once.
  const int64_t parts =
      gathers_ || n_threads_ == 1 ? 1 : kPartsPerThread * n_threads_;
  auto read = std::make_shared<Read>(indices, parts);
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(read);
  }
  if (read->parts == 1) {
    work_.notify_one();
  } else {
    work_.notify_all();
  }
  return read;
}

void BatchReaders::cancel(Read& read) { read.failed = -1; }

void BatchReaders::drop_cancelled() {
  const std::lock_guard lock(mutex_);
  std::erase_if(queue_, [](const auto& read) { return read->failed == -1; });
}

void BatchReaders::work() {
  cpu::run_this_thread_serially();
  set_trace_thread_name("MultithreadIterator");
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (stopping_) return;
    const std::shared_ptr<Read> read = queue_.front();
    const int64_t part = read->begun++;
    if (read->begun == read->parts) queue_.pop_front();
    lock.unlock();
    std::exception_ptr error;
    try {
      const TraceSpan span("iterator", "reading examples");
      read_part(*read, part);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error && part < read->failed) {
      read->failed = part;
      read->error = std::move(error);
    }
    if (++read->ended == read->parts) done_.notify_all();
  }
}

void BatchReaders::read_part(Read& read, int64_t part) {
  const DeviceScope scope(read.device);
  const int64_t begin = part * read.part_size;
  const int64_t end = std::min(begin + read.part_size, read.size);
  if (part > read.failed || gather_part(read, begin, end)) return;
  const int64_t* indices = read.indices.data<int64_t>();
  const ExampleStack* stack = nullptr;
  for (int64_t i = begin; i < end && part <= read.failed && !stopping_; ++i) {
    Example example = dataset_->get_example(indices[i]);
    if (stack == nullptr) stack = stack_like(read, example);
    if (stack != nullptr && stack->set(i, example)) continue;
    put_aside(read, i, std::move(example));
  }
}

bool BatchReaders::gather_part(Read& read, int64_t begin, int64_t end) {
  const bool is_whole = read.parts == 1;
  std::optional<Example> rows = dataset_->gather(
      is_whole ? read.indices : read.indices[{Slice(begin, end)}]);
  if (!rows) return false;
  gathers_ = true;
  const Batch examples = Batch::of_rows(*rows);
  if (examples.size() != end - begin) {
    raise<ValueError>("gather: expected ", end - begin,
                      " examples of the dataset, got ", examples.size());
  }
  const bool fits = allocate_ == &ExampleStack::allocate ||
                    !ExampleStack::is_stackable(*rows);
  if (is_whole && fits) {
    read.gathered = std::move(rows);
    return true;
  }
  const ExampleStack* stack = stack_like(read, examples[0]);
  if (stack != nullptr && stack->set_rows(begin, *rows)) return true;
  for (int64_t i = begin; i < end; ++i) {
    put_aside(read, i, examples[i - begin]);
  }
  return true;
}

// The minibatch's stack, created for this example if there is none; null when
// examples are not stacked.
const ExampleStack* BatchReaders::stack_like(Read& read,
                                             const Example& example) {
  const std::lock_guard lock(read.mutex);
  if (!read.stack && stacks_ && ExampleStack::is_stackable(example)) {
    read.stack.emplace(example, read.size, allocate_);
  }
  return read.stack ? &*read.stack : nullptr;
}

void BatchReaders::put_aside(Read& read, int64_t i, Example example) {
  // If one minibatch has examples of different formats, so will the next.
  stacks_ = false;
  {
    const std::lock_guard lock(read.mutex);
    if (read.aside.empty()) read.aside.resize(read.size);
  }
  read.aside[i] = std::move(example);
}

Batch BatchReaders::take(Read& read) {
  {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&read] { return read.ended == read.parts; });
  }
  if (read.error) std::rethrow_exception(read.error);
  return examples_of(read).with_indices(read.indices);
}

Batch BatchReaders::examples_of(Read& read) {
  if (read.gathered) return Batch::of_rows(*std::move(read.gathered));
  if (read.aside.empty()) return Batch::of_rows(read.stack->stacked());
  std::vector<Example> examples;
  examples.reserve(read.size);
  std::optional<Batch> rows;
  if (read.stack) rows = Batch::of_rows(read.stack->stacked());
  for (int64_t i = 0; i < read.size; ++i) {
    std::optional<Example>& example = read.aside[i];
    examples.push_back(example ? *std::move(example) : (*rows)[i]);
  }
  return examples;
}

}  // namespace catena::iterators

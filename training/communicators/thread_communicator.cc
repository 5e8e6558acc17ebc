#include "catena/training/communicators/thread_communicator.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

#include "catena/array/index.h"

namespace catena::training::communicators {
namespace {

using Clock = std::chrono::steady_clock;

// "1.5 seconds".
std::string seconds_text(Clock::duration duration) {
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  const auto tenths = (ms + 50) / 100;
  return tenths % 10 == 0 ? str(tenths / 10, " seconds")
                          : str(tenths / 10, ".", tenths % 10, " seconds");
}

}  // namespace

// State shared by all ranks.
class ThreadCommunicator::Group {
 public:
  Group(int size, Clock::duration timeout)
      : size_(size),
        timeout_(timeout),
        arrays(size),
        bytes(static_cast<size_t>(size)) {}

  // Returns once all ranks have called it.
  void wait_for_all(int rank, std::string_view operation) {
    const Clock::time_point start = Clock::now();
    std::unique_lock lock(mutex_);
    if (!failure_.empty()) raise<CommunicatorError>(operation, ": ", failure_);
    if (++arrived_ == size_) {
      arrived_ = 0;
      ++round_;
      changed_.notify_all();
      return;
    }
    const uint64_t round = round_;
    const bool in_time = changed_.wait_until(lock, start + timeout_, [&] {
      return round_ != round || !failure_.empty();
    });
    if (round_ != round) return;
    std::string waited =
        str("rank ", rank, " of ", size_, " waited ",
            seconds_text(Clock::now() - start), " for the others");
    if (in_time) {
      raise<CommunicatorError>(operation, ": ", waited, "; ", failure_);
    }
    // The others can't be met any more.
    failure_ = str(waited, " in ", operation);
    changed_.notify_all();
    raise<CommunicatorError>(operation, ": ", waited);
  }

  // Only the first failure is kept.
  void fail(std::string reason) {
    const std::lock_guard lock(mutex_);
    if (failure_.empty()) failure_ = std::move(reason);
    changed_.notify_all();
  }

  std::string failure() {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

 private:
  const int size_;
  const Clock::duration timeout_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  uint64_t round_ = 0;
  std::string failure_;

 public:
  // Each rank's array, visible to the others between two calls of
  // wait_for_all().
  std::vector<Array> arrays;
  std::vector<std::string> bytes;
};

std::vector<std::unique_ptr<ThreadCommunicator>> ThreadCommunicator::create(
    int size, const BucketPolicy& policy, const ThreadOptions& options) {
  if (size < 1) {
    raise<ValueError>("ThreadCommunicator: expected size >= 1, got ", size);
  }
  if (options.timeout <= std::chrono::milliseconds(0)) {
    raise<ValueError>("ThreadCommunicator: expected a positive timeout, got ",
                      options.timeout.count(), " ms");
  }
  // A clock can't count further than some hundred years.
  constexpr std::chrono::hours kLongest(24 * 365 * 100);
  const auto group = std::make_shared<Group>(
      size, std::min<std::chrono::milliseconds>(options.timeout, kLongest));
  std::vector<std::unique_ptr<ThreadCommunicator>> communicators;
  for (int rank = 0; rank < size; ++rank) {
    communicators.emplace_back(new ThreadCommunicator(
        {.rank = rank, .size = size, .intra_rank = rank, .intra_size = size},
        policy, group));
  }
  return communicators;
}

ThreadCommunicator::ThreadCommunicator(const Place& place,
                                       const BucketPolicy& policy,
                                       std::shared_ptr<Group> group)
    : Communicator(place, policy), group_(std::move(group)) {}

ThreadCommunicator::~ThreadCommunicator() {
  try {
    group_->fail(str("rank ", rank(), " of ", size(),
                     " has left, while another waits for it"));
  } catch (const std::bad_alloc&) {
    group_->fail("a rank has left");  // short enough to need no memory
  }
}

void ThreadCommunicator::fail(std::string_view reason) {
  group_->fail(std::string(reason));
}

std::string ThreadCommunicator::failure() const { return group_->failure(); }

void ThreadCommunicator::wait_for_all(std::string_view operation) {
  group_->wait_for_all(rank(), operation);
}

void ThreadCommunicator::exchange(const Array& x, std::string_view operation) {
  group_->arrays[rank()] = x;
  wait_for_all(operation);
  for (int other = 0; other < size(); ++other) {
    const Array& theirs = group_->arrays[other];
    if (theirs.dtype() != x.dtype() || theirs.size() != x.size()) {
      raise<CommunicatorError>("rank ", rank(), " has ", x.dtype(), " ",
                               x.shape(), " where rank ", other, " has ",
                               theirs.dtype(), " ", theirs.shape());
    }
  }
}

std::unique_ptr<Communicator::Request> ThreadCommunicator::start_allreduce(
    const Array& x) {
  exchange(x.reshape({-1}), "allreduce");
  // Each rank sums its part of all arrays, in the order of ranks.
  const Slice part(x.size() * rank() / size(),
                   x.size() * (rank() + 1) / size());
  const Array sum = group_->arrays[0][{part}].copy().to_device(x.device());
  for (int other = 1; other < size(); ++other) {
    sum += group_->arrays[other][{part}].to_device(x.device());
  }
  for (const Array& theirs : group_->arrays) {
    theirs[{part}].assign(sum.to_device(theirs.device()));
  }
  wait_for_all("allreduce");
  return std::make_unique<DoneRequest>();
}

std::unique_ptr<Communicator::Request> ThreadCommunicator::start_bcast(
    const Array& x, int root) {
  exchange(x, "bcast");
  if (rank() != root) x.assign(group_->arrays[root].to_device(x.device()));
  wait_for_all("bcast");
  return std::make_unique<DoneRequest>();
}

std::string ThreadCommunicator::do_bcast(std::string bytes, int root) {
  return do_allgather(rank() == root ? bytes : std::string(), "bcast")[root];
}

std::vector<std::string> ThreadCommunicator::do_allgather(
    const std::string& bytes, std::string_view operation) {
  group_->bytes[rank()] = bytes;
  wait_for_all(operation);
  std::vector<std::string> all = group_->bytes;
  wait_for_all(operation);
  return all;
}

}  // namespace catena::training::communicators

#include "catena/training/communicators/thread_communicator.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

#include "catena/array/index.h"

namespace catena::training::communicators {

// State shared by all ranks.
class ThreadCommunicator::Group {
 public:
  explicit Group(int size)
      : size_(size), arrays(size), bytes(static_cast<size_t>(size)) {}

  // Returns once all ranks have called it.
  void wait_for_all() {
    std::unique_lock lock(mutex_);
    throw_if_failed();
    if (++arrived_ == size_) {
      arrived_ = 0;
      ++round_;
      changed_.notify_all();
      return;
    }
    const uint64_t round = round_;
    changed_.wait(lock, [&] { return round_ != round || !failure_.empty(); });
    if (round_ == round) throw_if_failed();
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
  void throw_if_failed() const {
    if (!failure_.empty()) throw CommunicatorError(failure_);
  }

  const int size_;
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
    int size, const BucketPolicy& policy) {
  if (size < 1) {
    raise<ValueError>("ThreadCommunicator: expected size >= 1, got ", size);
  }
  const auto group = std::make_shared<Group>(size);
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

void ThreadCommunicator::exchange(const Array& x) {
  group_->arrays[rank()] = x;
  group_->wait_for_all();
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
  exchange(x.reshape({-1}));
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
  group_->wait_for_all();
  return std::make_unique<DoneRequest>();
}

std::unique_ptr<Communicator::Request> ThreadCommunicator::start_bcast(
    const Array& x, int root) {
  exchange(x);
  if (rank() != root) x.assign(group_->arrays[root].to_device(x.device()));
  group_->wait_for_all();
  return std::make_unique<DoneRequest>();
}

std::string ThreadCommunicator::do_bcast(std::string bytes, int root) {
  return do_allgather(rank() == root ? bytes : std::string())[root];
}

std::vector<std::string> ThreadCommunicator::do_allgather(
    const std::string& bytes) {
  group_->bytes[rank()] = bytes;
  group_->wait_for_all();
  std::vector<std::string> all = group_->bytes;
  group_->wait_for_all();
  return all;
}

}  // namespace catena::training::communicators

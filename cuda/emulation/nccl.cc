#include "nccl.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/float16.h"
#include "catena/cuda/emulation/faults.h"
#include "catena/cuda/emulation/memory.h"
#include "catena/cuda/emulation/runtime.h"

// Ranks meet in memory that their processes share. A collective operation goes
// in steps of at most kStepBytes: each rank publishes its part in its own
// place, and reads those of the others once all have; it publishes the next
// when all have read. Counters tell how far each rank is.

namespace catena::cuda::emulation {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMaxRanks = 16;
constexpr size_t kStepBytes = size_t{1} << 20;
// For others; a GPU would wait forever.
constexpr std::chrono::seconds kPatience(100);

// What all ranks must agree on.
struct Step {
  char name[32];
  size_t count;
  int type;
  int detail;  // a root or an operation
  bool operator==(const Step&) const = default;
};

struct Rank {
  std::atomic<int> joined;  // the device plus 1; 0 before
  std::atomic<int> gone;
  std::atomic<uint64_t> published;  // steps
  std::atomic<uint64_t> consumed;
  Step step;
  alignas(64) char data[kStepBytes];
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);

thread_local std::string last_error;

ncclResult_t fail(ncclResult_t result, std::string message) {
  last_error = std::move(message);
  return result;
}

// The memory of all ranks; zeros until something is written.
class SharedRanks {
 public:
  SharedRanks(const std::string& name, int size)
      : name_(name), bytes_(static_cast<size_t>(size) * sizeof(Rank)) {
    const int file = ::shm_open(name.c_str(), O_RDWR | O_CREAT, 0600);
    if (file < 0) raise<IoError>(name, ": ", std::strerror(errno));
    const bool grown = ::ftruncate(file, static_cast<off_t>(bytes_)) == 0;
    void* data = grown ? ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                                MAP_SHARED, file, 0)
                       : MAP_FAILED;
    const int error = errno;
    ::close(file);
    if (data == MAP_FAILED) raise<IoError>(name, ": ", std::strerror(error));
    ranks_ = static_cast<Rank*>(data);
  }
  ~SharedRanks() { ::munmap(ranks_, bytes_); }
  SharedRanks(const SharedRanks&) = delete;
  SharedRanks& operator=(const SharedRanks&) = delete;

  Rank& operator[](int rank) const { return ranks_[rank]; }
  // Afterwards it ends with the last rank.
  void forget_name() const { ::shm_unlink(name_.c_str()); }

 private:
  std::string name_;
  size_t bytes_;
  Rank* ranks_;
};

// One rank, as long as it has something to do.
class Member {
 public:
  Member(const std::string& name, int size, int rank, int device)
      : ranks_(name, size), size_(size), rank_(rank), device_(device) {}
  ~Member() {
    ranks_[rank_].gone = 1;
    if (rank_ == 0 && !has_joined_) ranks_.forget_name();
  }
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  int size() const { return size_; }
  int rank() const { return rank_; }
  int device() const { return device_; }
  bool has_joined() const { return has_joined_; }

  // The first call joins, later ones ask whether all ranks are there:
  // ncclInProgress until then.
  ncclResult_t join() {
    if (has_joined_) return error_;
    if (!is_joining_ && ranks_[rank_].joined.exchange(device_ + 1) != 0) {
      return fail(ncclInvalidUsage, str("rank ", rank_, " has joined twice"));
    }
    is_joining_ = true;
    for (int other = 0; other < size_; ++other) {
      if (ranks_[other].joined != 0) continue;
      if (Clock::now() - created_ <= kPatience) return ncclInProgress;
      return fail(ncclSystemError, str("rank ", other, " does not join"));
    }
    has_joined_ = true;
    if (rank_ == 0) ranks_.forget_name();
    for (int other = 0; other < size_; ++other) {
      if (other != rank_ && ranks_[other].joined == device_ + 1) {
        return fail(ncclInvalidUsage, str("ranks ", rank_, " and ", other,
                                          " are both on device ", device_));
      }
    }
    return ncclSuccess;
  }

  // Whatever is still to be done is not.
  void abort() {
    aborted_ = true;
    ranks_[rank_].gone = 1;
  }

  uint64_t next_step() { return steps_++; }

  // Whether a rank may publish step n: all have read the one before.
  bool may_publish(uint64_t n) {
    return all([&](const Rank& rank) {
      const bool gone = rank.gone != 0;
      return rank.consumed >= n || gone;
    });
  }
  void publish(uint64_t n, const Step& step, const void* data, size_t bytes) {
    if (aborted_) return;
    Rank& own = ranks_[rank_];
    own.step = step;
    if (data != nullptr) std::memcpy(own.data, data, bytes);
    own.published = n + 1;
  }

  // Whether step n can be read, or must be given up. For a rank that has ended
  // it waits forever, as on a GPU, but says so.
  bool may_consume(uint64_t n, const Step& step) {
    if (aborted_) return true;
    if (n != asked_step_) {
      asked_step_ = n;
      asked_since_ = Clock::now();
    }
    for (int other = 0; other < size_; ++other) {
      const bool gone = ranks_[other].gone != 0;  // before the counter
      if (ranks_[other].published > n) continue;
      if (gone && error_ == ncclSuccess) {
        report(ncclRemoteError,
               str(step.name, ": rank ", rank_, " waits for rank ", other,
                   ", which has ended"));
      }
      if (Clock::now() - asked_since_ <= kPatience) return false;
      report(ncclInternalError,
             str(step.name, ": rank ", rank_, " has waited ", kPatience.count(),
                 " seconds for rank ", other));
      fail_device(cudaErrorLaunchFailure);
      return true;
    }
    return true;
  }
  // Calls read(rank's data) for each rank in order.
  template <class Read>
  void consume(uint64_t n, const Step& step, Read read) {
    if (aborted_) return;
    for (int other = 0; other < size_; ++other) {
      const Step& theirs = ranks_[other].step;
      if (theirs != step) {
        report(ncclInvalidUsage,
               str("rank ", rank_, " does ", describe(step), ", but rank ",
                   other, " ", describe(theirs)));
        return fail_device(cudaErrorLaunchFailure);
      }
    }
    for (int other = 0; other < size_; ++other) {
      read(other, ranks_[other].data);
    }
    ranks_[rank_].consumed = n + 1;
  }

 private:
  template <class Predicate>
  bool all(Predicate predicate) const {
    if (aborted_) return true;
    for (int other = 0; other < size_; ++other) {
      if (!predicate(ranks_[other])) return false;
    }
    return true;
  }

  static std::string describe(const Step& step) {
    return str(step.name, " of ", step.count, " elements of type ", step.type,
               ", root or operation ", step.detail);
  }

  void report(ncclResult_t error, const std::string& message) {
    std::fprintf(stderr, "CUDA emulation: %s\n", message.c_str());
    error_ = error;
  }

  SharedRanks ranks_;
  int size_;
  int rank_;
  int device_;
  Clock::time_point created_ = Clock::now();
  bool is_joining_ = false;
  bool has_joined_ = false;
  std::atomic<bool> aborted_ = false;
  std::atomic<ncclResult_t> error_ = ncclSuccess;
  uint64_t steps_ = 0;
  uint64_t asked_step_ = ~uint64_t{0};
  Clock::time_point asked_since_;
};

size_t size_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
    case ncclUint8:
      return 1;
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32:
      return 4;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64:
      return 8;
  }
  return 0;
}

// Combines `count` numbers of another rank with those before.
using Combine = void(ncclRedOp_t op, char* to, const char* from, size_t count);

// 16-bit floats are rounded after each addition.
template <class T>
using Wide = std::conditional_t<sizeof(T) == 2, float, T>;

template <class T>
void combine(ncclRedOp_t op, char* to, const char* from, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    T first;
    T second;
    std::memcpy(&first, to + i * sizeof(T), sizeof(T));
    std::memcpy(&second, from + i * sizeof(T), sizeof(T));
    auto a = static_cast<Wide<T>>(first);
    const auto b = static_cast<Wide<T>>(second);
    switch (op) {
      case ncclSum:
        a = static_cast<Wide<T>>(a + b);
        break;
      case ncclProd:
        a = static_cast<Wide<T>>(a * b);
        break;
      case ncclMax:
        a = std::max(a, b);
        break;
      case ncclMin:
        a = std::min(a, b);
        break;
    }
    first = static_cast<T>(a);
    std::memcpy(to + i * sizeof(T), &first, sizeof(T));
  }
}

Combine* combine_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
      return combine<int8_t>;
    case ncclUint8:
      return combine<uint8_t>;
    case ncclInt32:
      return combine<int32_t>;
    case ncclUint32:
      return combine<uint32_t>;
    case ncclInt64:
      return combine<int64_t>;
    case ncclUint64:
      return combine<uint64_t>;
    case ncclFloat32:
      return combine<float>;
    case ncclFloat64:
      return combine<double>;
    case ncclFloat16:
      return combine<float16>;
    case ncclBfloat16:
      return combine<bfloat16>;
  }
  return nullptr;
}

}  // namespace
}  // namespace catena::cuda::emulation

using catena::str;
using namespace catena::cuda::emulation;  // NOLINT

struct ncclComm {
  std::shared_ptr<Member> member;  // also of the work on streams
  std::weak_ptr<Member> finalized = {};

  std::shared_ptr<Member> any_member() const {
    return member != nullptr ? member : finalized.lock();
  }
};

namespace {

// Adds the steps of an operation to the stream. `read(rank, i, data, n)` takes
// n elements of a rank's part, from the i-th on.
template <class Read>
ncclResult_t start(const char* name, const void* send, void* receive,
                   size_t count, ncclDataType_t type, int detail, bool sends,
                   ncclComm_t comm, cudaStream_t stream, Read read) {
  if (comm == nullptr) return fail(ncclInvalidArgument, "comm is null");
  const std::shared_ptr<Member>& member = comm->member;
  if (member == nullptr || !member->has_joined()) {
    return fail(ncclInvalidUsage, str(name, ": the communicator is not ready"));
  }
  const size_t itemsize = size_of(type);
  if (itemsize == 0) {
    return fail(ncclInvalidArgument, str(name, ": no such type"));
  }
  for (const void* data : {send, static_cast<const void*>(receive)}) {
    if (count > 0 && device_of(data) != member->device()) {
      return fail(ncclInvalidArgument,
                  str(name, ": expected memory of device ", member->device()));
    }
  }
  const size_t per_step = kStepBytes / itemsize;
  for (size_t begin = 0; begin < count; begin += per_step) {
    const size_t n = std::min(per_step, count - begin);
    const char* data =
        sends ? static_cast<const char*>(send) + begin * itemsize : nullptr;
    const uint64_t at = member->next_step();
    Step step{};
    std::strncpy(step.name, name, sizeof(step.name) - 1);
    step.count = count;
    step.type = type;
    step.detail = detail;
    cudaError_t status = submit_when(
        stream, [=] { return member->may_publish(at); },
        [=] { member->publish(at, step, data, n * itemsize); });
    if (status == cudaSuccess) {
      status = submit_when(
          stream, [=] { return member->may_consume(at, step); },
          [=] {
            member->consume(at, step, [&](int rank, const char* theirs) {
              read(rank, begin, theirs, n);
            });
          });
    }
    if (status != cudaSuccess) {
      return fail(ncclUnhandledCudaError,
                  str(name, ": ", cudaGetErrorString(status)));
    }
  }
  return ncclSuccess;
}

}  // namespace

ncclResult_t ncclGetVersion(int* version) {
  *version = 21400;
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error";
    case ncclSystemError:
      return "unhandled system error";
    case ncclInternalError:
      return "internal error";
    case ncclInvalidArgument:
      return "invalid argument";
    case ncclInvalidUsage:
      return "invalid usage";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
  }
  return "unknown result code";
}

const char* ncclGetLastError(ncclComm_t /*comm*/) { return last_error.c_str(); }

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  if (is_to_fail()) return fail(ncclSystemError, "a failure on request");
  std::random_device random;
  std::snprintf(id->internal, sizeof(id->internal), "/catena_nccl_%08x%08x%08x",
                random(), random(), random());
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId id,
                              int rank) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  return ncclCommInitRankConfig(comm, size, id, rank, &config);
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int size, ncclUniqueId id,
                                    int rank, ncclConfig_t* config) {
  if (is_to_fail()) return fail(ncclSystemError, "a failure on request");
  *comm = nullptr;
  if (size < 1 || size > kMaxRanks || rank < 0 || rank >= size ||
      std::strncmp(id.internal, "/catena_nccl_", 13) != 0) {
    return fail(ncclInvalidArgument,
                str("ncclCommInitRank: rank ", rank, " of ", size));
  }
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return ncclUnhandledCudaError;
  try {
    auto member = std::make_shared<Member>(id.internal, size, rank, device);
    ncclResult_t result = member->join();
    while (result == ncclInProgress && config->blocking != 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      result = member->join();
    }
    if (result == ncclSuccess || result == ncclInProgress) {
      *comm = new ncclComm{std::move(member)};
    }
    return result;
  } catch (const catena::IoError& error) {
    return fail(ncclSystemError, error.what());
  }
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  if (is_to_fail()) return fail(ncclInternalError, "a failure on request");
  if (comm == nullptr || comm->member == nullptr) {
    return fail(ncclInvalidArgument, "comm is null or finalized");
  }
  comm->finalized = comm->member;
  comm->member.reset();
  return ncclInProgress;
}

// What is on streams is still done.
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  delete comm;
  return reported(ncclSuccess, ncclInternalError);
}
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  if (comm != nullptr) {
    if (const auto member = comm->any_member()) member->abort();
  }
  delete comm;
  return reported(ncclSuccess, ncclInternalError);
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  if (is_to_fail()) return fail(ncclInternalError, "a failure on request");
  if (comm == nullptr) return fail(ncclInvalidArgument, "comm is null");
  if (comm->member != nullptr) {
    *error = comm->member->join();
  } else {
    *error = comm->finalized.expired() ? ncclSuccess : ncclInProgress;
  }
  return ncclSuccess;
}

ncclResult_t ncclAllReduce(const void* send, void* receive, size_t count,
                           ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                           cudaStream_t stream) {
  if (is_to_fail()) return fail(ncclUnhandledCudaError, "a failure on request");
  const size_t itemsize = size_of(type);
  // In the order of the ranks, so that all get the same bits.
  const auto read = [=, combine = combine_of(type)](
                        int rank, size_t begin, const char* data, size_t n) {
    char* to = static_cast<char*>(receive) + begin * itemsize;
    if (rank == 0) {
      std::memcpy(to, data, n * itemsize);
    } else {
      combine(op, to, data, n);
    }
  };
  return start("ncclAllReduce", send, receive, count, type, op, /*sends=*/true,
               comm, stream, read);
}

ncclResult_t ncclBroadcast(const void* send, void* receive, size_t count,
                           ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t stream) {
  if (is_to_fail()) return fail(ncclUnhandledCudaError, "a failure on request");
  if (comm != nullptr && (root < 0 || root >= comm->member->size())) {
    return fail(ncclInvalidArgument, str("ncclBroadcast: no rank ", root));
  }
  const size_t itemsize = size_of(type);
  const auto read = [=](int rank, size_t begin, const char* data, size_t n) {
    if (rank != root) return;
    std::memcpy(static_cast<char*>(receive) + begin * itemsize, data,
                n * itemsize);
  };
  // Only the root's `send` counts; others may leave it null.
  const bool sends = comm != nullptr && comm->member->rank() == root;
  return start("ncclBroadcast", sends ? send : receive, receive, count, type,
               root, sends, comm, stream, read);
}

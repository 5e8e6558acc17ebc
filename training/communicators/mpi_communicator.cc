#include "catena/training/communicators/mpi_communicator.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "catena/training/communicators/mpi_ring_sum.h"
#include "catena/training/communicators/mpi_session.h"
#include "catena/training/communicators/wait_limit.h"

namespace catena::training::communicators {
namespace {

// MPI's counts are int.
constexpr int64_t kMaxCount = std::numeric_limits<int>::max();
// Sums of more bytes per rank use a ring.
constexpr int64_t kMinRingBytes = 32 << 10;
// The number of tags that every MPI supports.
constexpr int kTags = 32768;

MPI_Datatype mpi_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat32:
      return MPI_FLOAT;
    case Dtype::kFloat64:
      return MPI_DOUBLE;
    case Dtype::kInt32:
      return MPI_INT32_T;
    case Dtype::kInt64:
      return MPI_INT64_T;
    default:
      raise<DtypeError>(
          "start_allreduce: expected float32, float64, int32 or int64, got ",
          dtype);
  }
}

void check_contiguous(const Array& x, std::string_view operation) {
  if (x.is_contiguous()) return;
  raise<ValueError>(operation, ": expected a contiguous array, got strides ",
                    x.strides());
}

// An MPI operation on the memory of an array, or on a host copy of it.
class MpiRequest final : public Communicator::Request {
 public:
  // Makes progress; returns whether it is done.
  using Advance = std::function<bool()>;
  // `start` starts the operation on the host array.
  MpiRequest(const Array& x, std::chrono::seconds timeout,
             std::string_view operation,
             const std::function<Advance(const Array& host)>& start)
      : x_(x),
        host_(x.to_device(native_device())),
        timeout_(timeout),
        operation_(operation),
        advance_(start(host_)) {}
  // After an exception MPI may still write to the memory.
  ~MpiRequest() override {
    if (!is_done_) MpiSession::instance().keep(host_);
  }

  bool test() override {
    if (is_done_) return true;
    if (!advance_()) return false;
    is_done_ = true;
    if (!host_.is_same(x_)) x_.assign(host_.to_device(x_.device()));
    return true;
  }
  void wait() override {
    MpiSession::instance().wait_until([this] { return test(); }, operation_,
                                      timeout_);
  }

 private:
  Array x_;
  Array host_;
  std::chrono::seconds timeout_;
  std::string_view operation_;
  Advance advance_;
  bool is_done_ = false;
};

// Splits an operation into MPI requests, each of at most as many elements as an
// int can count.
MpiRequest::Advance in_parts(
    const Array& host, int64_t count, int64_t item_bytes,
    std::string_view operation,
    const std::function<void(char* first, int count, MPI_Request* request)>&
        start) {
  std::vector<MPI_Request> requests;
  for (int64_t begin = 0; begin < count; begin += kMaxCount) {
    MPI_Request& request = requests.emplace_back(MPI_REQUEST_NULL);
    start(host.raw_data() + begin * item_bytes,
          static_cast<int>(std::min(count - begin, kMaxCount)), &request);
  }
  return [requests = std::move(requests), operation]() mutable {
    int done = 0;
    check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(),
                          &done, MPI_STATUSES_IGNORE),
              operation);
    return done != 0;
  };
}

struct Group {
  int rank = 0;
  int size = 1;
};

Group group_of(MPI_Comm comm) {
  Group group;
  check_mpi(MPI_Comm_rank(comm, &group.rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &group.size), "MPI_Comm_size");
  return group;
}

MPI_Comm duplicate(MPI_Comm comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(comm, &copy), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN),
            "MPI_Comm_set_errhandler");
  return copy;
}

MPI_Comm split(MPI_Comm comm, int color, int key) {
  MPI_Comm part = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(comm, color, key, &part), "MPI_Comm_split");
  return part;
}

// The processes on this machine.
MPI_Comm node_of(const Group& world, int intra_size) {
  if (intra_size > 0) {
    return split(MPI_COMM_WORLD, world.rank / intra_size, world.rank);
  }
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED,
                                world.rank, MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  return node;
}

}  // namespace

struct MpiCommunicator::Channels {
  Place place;
  MPI_Comm arrays = MPI_COMM_NULL;
  MPI_Comm bytes = MPI_COMM_NULL;

  static std::unique_ptr<Channels> create(const MpiOptions& options,
                                          Scope scope) {
    if (options.timeout <= std::chrono::seconds(0)) {
      raise<ValueError>(
          "create_communicator: expected a positive timeout, got ",
          options.timeout.count(), " seconds");
    }
    const MpiSession& session = MpiSession::instance(options.timeout);
    const Group world{.rank = session.rank(), .size = session.size()};
    if (options.intra_size < 0 ||
        (options.intra_size > 0 && world.size % options.intra_size != 0)) {
      raise<ValueError>(
          "create_communicator: expected an intra_size that "
          "divides the number of ranks, ",
          world.size, ", got ", options.intra_size);
    }
    const WaitLimit limit("create_communicator", session.name(),
                          options.timeout);
    MPI_Comm node = node_of(world, options.intra_size);
    const Group intra = group_of(node);
    // Ranks with the same number within their nodes; those with number 0 lead.
    MPI_Comm peers = split(MPI_COMM_WORLD, intra.rank, world.rank);
    const Group inter = group_of(peers);

    auto channels = std::make_unique<Channels>();
    switch (scope) {
      case Scope::kAll:
        channels->open(MPI_COMM_WORLD);
        channels->place = {.rank = world.rank,
                           .size = world.size,
                           .intra_rank = intra.rank,
                           .intra_size = intra.size,
                           .inter_rank = inter.rank,
                           .inter_size = inter.size};
        break;
      case Scope::kNode:
        channels->open(node);
        channels->place = {.rank = intra.rank,
                           .size = intra.size,
                           .intra_rank = intra.rank,
                           .intra_size = intra.size};
        break;
      case Scope::kLeaders:
        channels->open(intra.rank == 0 ? peers : MPI_COMM_SELF);
        if (intra.rank == 0) {
          channels->place = {.rank = inter.rank,
                             .size = inter.size,
                             .inter_rank = inter.rank,
                             .inter_size = inter.size};
        }
        break;
    }
    MPI_Comm_free(&node);
    MPI_Comm_free(&peers);
    return channels;
  }

  void open(MPI_Comm comm) {
    arrays = duplicate(comm);
    bytes = duplicate(comm);
  }
};

MpiCommunicator::MpiCommunicator(std::string_view name,
                                 const BucketPolicy& policy,
                                 const MpiOptions& options, Scope scope)
    : MpiCommunicator(name, policy, options, Channels::create(options, scope)) {
}

MpiCommunicator::MpiCommunicator(std::string_view name,
                                 const BucketPolicy& policy,
                                 const MpiOptions& options,
                                 std::unique_ptr<Channels> channels)
    : Communicator(channels->place, policy),
      name_(name),
      options_(options),
      exceptions_(std::uncaught_exceptions()),
      channels_(std::move(channels)) {}

// MPI's communicators are not freed: that is a collective operation, which must
// not run while a rank is exiting.
MpiCommunicator::~MpiCommunicator() {
  if (std::uncaught_exceptions() > exceptions_) {
    MpiSession::instance().note_failure();
  }
}

std::unique_ptr<Communicator::Request> MpiCommunicator::start_allreduce(
    const Array& x) {
  constexpr std::string_view kOperation = "allreduce";
  check_contiguous(x, "start_allreduce");
  const MPI_Datatype type = mpi_type(x.dtype());
  const auto start = [&](const Array& host) -> MpiRequest::Advance {
    // Small sums are faster with MPI's trees than with a ring.
    if (size() > 1 && x.nbytes() >= size() * kMinRingBytes) {
      const auto sum = std::make_shared<MpiRingSum>(
          host, type, channels_->arrays, rank(), size(), next_tag_);
      next_tag_ = (next_tag_ + 1) % kTags;
      return [sum] { return sum->test(); };
    }
    return in_parts(host, x.size(), x.itemsize(), kOperation,
                    [&](char* first, int count, MPI_Request* request) {
                      check_mpi(
                          MPI_Iallreduce(MPI_IN_PLACE, first, count, type,
                                         MPI_SUM, channels_->arrays, request),
                          "MPI_Iallreduce");
                    });
  };
  return std::make_unique<MpiRequest>(x, options_.timeout, kOperation, start);
}

std::unique_ptr<Communicator::Request> MpiCommunicator::start_bcast(
    const Array& x, int root) {
  constexpr std::string_view kOperation = "bcast";
  check_contiguous(x, "start_bcast");
  const auto start = [&](const Array& host) {
    return in_parts(host, x.nbytes(), 1, kOperation,
                    [&](char* first, int count, MPI_Request* request) {
                      check_mpi(MPI_Ibcast(first, count, MPI_BYTE, root,
                                           channels_->arrays, request),
                                "MPI_Ibcast");
                    });
  };
  return std::make_unique<MpiRequest>(x, options_.timeout, kOperation, start);
}

namespace {

void wait_for(MPI_Request request, std::string_view operation,
              std::chrono::seconds timeout) {
  MpiSession::instance().wait_until(
      [&] {
        int done = 0;
        check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), operation);
        return done != 0;
      },
      operation, timeout);
}

}  // namespace

std::string MpiCommunicator::do_bcast(std::string bytes, int root) {
  auto size = static_cast<int64_t>(bytes.size());
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibcast(&size, 1, MPI_INT64_T, root, channels_->bytes, &request),
            "MPI_Ibcast");
  wait_for(request, "bcast", options_.timeout);
  bytes.resize(static_cast<size_t>(size));
  for (int64_t begin = 0; begin < size; begin += kMaxCount) {
    const int count = static_cast<int>(std::min(size - begin, kMaxCount));
    check_mpi(MPI_Ibcast(bytes.data() + begin, count, MPI_BYTE, root,
                         channels_->bytes, &request),
              "MPI_Ibcast");
    wait_for(request, "bcast", options_.timeout);
  }
  return bytes;
}

std::vector<std::string> MpiCommunicator::do_allgather(
    const std::string& bytes, std::string_view operation) {
  if (static_cast<int64_t>(bytes.size()) > kMaxCount / size()) {
    raise<ValueError>("allgather_bytes: expected at most ", kMaxCount / size(),
                      " bytes of each rank, got ", bytes.size());
  }
  const int count = static_cast<int>(bytes.size());
  std::vector<int> counts(static_cast<size_t>(size()));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT,
                           channels_->bytes, &request),
            "MPI_Iallgather");
  wait_for(request, operation, options_.timeout);
  std::vector<int> offsets;
  int total = 0;
  for (const int size : counts) {
    offsets.push_back(total);
    total += size;
  }
  std::string gathered(static_cast<size_t>(total), '\0');
  check_mpi(MPI_Iallgatherv(bytes.data(), count, MPI_BYTE, gathered.data(),
                            counts.data(), offsets.data(), MPI_BYTE,
                            channels_->bytes, &request),
            "MPI_Iallgatherv");
  wait_for(request, operation, options_.timeout);
  std::vector<std::string> all;
  for (int rank = 0; rank < size(); ++rank) {
    all.push_back(gathered.substr(offsets[rank], counts[rank]));
  }
  return all;
}

}  // namespace catena::training::communicators

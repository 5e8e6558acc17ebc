#include <nccl.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/array/source_location.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/event.h"
#include "catena/cuda/stream.h"
#include "catena/training/communicators/nccl_factory.h"

// Arrays go through NCCL, on a separate stream; everything else through
// `control`, the communicator that connected the ranks.
namespace catena::training::communicators {
namespace {

void check(ncclResult_t status, std::string_view call,
           const SourceLocation& where = SourceLocation::current()) {
  if (status == ncclSuccess) [[likely]]
    return;
  throw cuda::CudaError(call, ncclGetErrorString(status),
                        ncclGetLastError(nullptr), where);
}

ncclDataType_t nccl_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat32:
      return ncclFloat32;
    case Dtype::kFloat64:
      return ncclFloat64;
    case Dtype::kInt32:
      return ncclInt32;
    case Dtype::kInt64:
      return ncclInt64;
    default:
      raise<DtypeError>(
          "start_allreduce: expected float32, float64, int32 or int64, got ",
          dtype);
  }
}

// A name of a GPU that is unique over all machines.
std::string gpu_name(int device) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::array<char, 32> bus{};
  cuda::check(cudaDeviceGetPCIBusId(bus.data(), bus.size(), device),
              "cudaDeviceGetPCIBusId");
  return str(host.data(), " ", bus.data());
}

// Work submitted to the stream, up to an event.
class NcclRequest final : public Communicator::Request {
 public:
  NcclRequest(Array x, const cuda::Stream& stream)
      : x_(std::move(x)),
        done_({.device = stream.device(), .disable_timing = true}) {
    done_.record(stream.ptr());
  }
  ~NcclRequest() override {
    // The memory must not be reused while NCCL writes to it.
    if (!has_waited_) cuda::ignore(cudaEventSynchronize(done_.ptr()));
  }
  bool test() override { return done_.done(); }
  void wait() override {
    // The stream waits, not the host. The null stream is that of the current
    // device.
    const int device = done_.device();
    const cuda::DeviceGuard guard(device);
    cuda::check(
        cudaStreamWaitEvent(cuda::current_stream(device), done_.ptr(), 0),
        "cudaStreamWaitEvent");
    has_waited_ = true;
  }

 private:
  Array x_;
  cuda::Event done_;
  bool has_waited_ = false;
};

class NcclCommunicator final : public Communicator {
 public:
  NcclCommunicator(std::unique_ptr<Communicator> control,
                   const BucketPolicy& policy)
      : Communicator({.rank = control->rank(),
                      .size = control->size(),
                      .intra_rank = control->intra_rank(),
                      .intra_size = control->intra_size(),
                      .inter_rank = control->inter_rank(),
                      .inter_size = control->inter_size()},
                     policy),
        control_(std::move(control)),
        device_(current_device().index()),
        exceptions_(std::uncaught_exceptions()),
        stream_({.device = device_, .non_blocking = true}) {
    check_gpus();
    const cuda::DeviceGuard guard(device_);
    ncclUniqueId id{};
    if (rank() == 0) check(ncclGetUniqueId(&id), "ncclGetUniqueId");
    const std::string sent =
        control_->bcast_bytes({reinterpret_cast<const char*>(&id), sizeof(id)});
    std::memcpy(&id, sent.data(), sizeof(id));
    check(ncclCommInitRank(&comm_, size(), id, rank()), "ncclCommInitRank");
  }

  ~NcclCommunicator() override {
    if (comm_ == nullptr) return;
    // Destruction waits for the other ranks, which may never arrive.
    if (std::uncaught_exceptions() > exceptions_) {
      static_cast<void>(ncclCommAbort(comm_));
    } else {
      static_cast<void>(ncclCommDestroy(comm_));
    }
  }

  std::string_view name() const override { return "nccl"; }

  std::unique_ptr<Request> start_allreduce(const Array& x) override {
    check_array(x, "start_allreduce");
    const ncclDataType_t type = nccl_type(x.dtype());
    return start(x, [&] {
      check(ncclAllReduce(x.raw_data(), x.raw_data(),
                          static_cast<size_t>(x.size()), type, ncclSum, comm_,
                          stream_.ptr()),
            "ncclAllReduce");
    });
  }

  std::unique_ptr<Request> start_bcast(const Array& x, int root) override {
    check_array(x, "start_bcast");
    return start(x, [&] {
      check(ncclBroadcast(x.raw_data(), x.raw_data(),
                          static_cast<size_t>(x.nbytes()), ncclUint8, root,
                          comm_, stream_.ptr()),
            "ncclBroadcast");
    });
  }

 protected:
  std::string do_bcast(std::string bytes, int root) override {
    return control_->bcast_bytes(std::move(bytes), root);
  }
  std::vector<std::string> do_allgather(const std::string& bytes) override {
    return control_->allgather_bytes(bytes);
  }

 private:
  // NCCL would only report "invalid usage".
  void check_gpus() {
    const std::vector<std::string> gpus =
        control_->allgather_bytes(gpu_name(device_));
    for (int other = 0; other < size(); ++other) {
      if (other == rank() || gpus[other] != gpus[rank()]) continue;
      raise<DeviceError>("nccl: expected a different GPU for each rank, but ",
                         "ranks ", rank(), " and ", other, " are both on ",
                         gpus[rank()], ", cuda:", device_);
    }
  }

  void check_array(const Array& x, std::string_view operation) const {
    if (x.device() != cuda_device(device_)) {
      raise<DeviceError>(operation, ": expected an array on cuda:", device_,
                         ", the device of this communicator, got one on ",
                         x.device());
    }
    if (!x.is_contiguous()) {
      raise<ValueError>(operation,
                        ": expected a contiguous array, got strides ",
                        x.strides());
    }
  }

  template <class Start>
  std::unique_ptr<Request> start(const Array& x, const Start& submit) {
    const cuda::DeviceGuard guard(device_);
    cuda::order_after(device_, stream_.ptr(), device_,
                      cuda::current_stream(device_));
    submit();
    return std::make_unique<NcclRequest>(x, stream_);
  }

  std::unique_ptr<Communicator> control_;
  int device_;
  int exceptions_;
  cuda::Stream stream_;
  ncclComm_t comm_ = nullptr;
};

std::unique_ptr<Communicator> create(std::unique_ptr<Communicator> control,
                                     const BucketPolicy& policy) {
  return std::make_unique<NcclCommunicator>(std::move(control), policy);
}

// Registers the factory when the library is linked, like CUDA's kernels.
[[maybe_unused]] const bool kIsRegistered = [] {
  internal::nccl_factory() = &create;
  return true;
}();

}  // namespace
}  // namespace catena::training::communicators

#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <iomanip>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "catena/array/core/source_location.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/event.h"
#include "catena/cuda/failure.h"
#include "catena/cuda/nccl_library.h"
#include "catena/cuda/stream.h"
#include "catena/training/communicators/forwarding_communicator.h"
#include "catena/training/communicators/nccl_factory.h"

// Arrays go through NCCL, on a separate stream; everything else through
// `control`, the communicator that connected the ranks.
namespace catena::training::communicators {
namespace {

using cuda::call_nccl;

using Clock = std::chrono::steady_clock;

void check(ncclResult_t status, std::string_view call,
           const SourceLocation& where = SourceLocation::current()) {
  if (status == ncclSuccess) [[likely]]
    return;
  throw cuda::CudaError(call, call_nccl<ncclGetErrorString>(status),
                        call_nccl<ncclGetLastError>(nullptr), where);
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
    case Dtype::kFloat16:
      return ncclFloat16;
    case Dtype::kBFloat16:
      return ncclBfloat16;
    default:
      raise<DtypeError>(
          "start_allreduce: expected a float, int32 or int64, got ", dtype);
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

// "1.5 s".
std::string seconds_since(Clock::time_point start) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1)
       << std::chrono::duration<double>(Clock::now() - start).count() << " s";
  return text.str();
}

// Work on NCCL's stream.
struct Operation {
  Operation(std::string what, const cuda::Stream& stream)
      : what(std::move(what)),
        begun({.device = stream.device(), .disable_timing = true}),
        done({.device = stream.device(), .disable_timing = true}) {}

  std::string what;
  cuda::Event begun;  // all that this rank does before
  cuda::Event done;
  std::optional<Clock::time_point> since;  // when `begun` was first seen done
};

// A communicator of NCCL, which a thread watches: NCCL's kernels wait for the
// other ranks, whatever happens to them. Calls don't block, so that each holds
// the lock for a short time only.
class WatchedComm {
 public:
  WatchedComm(const Communicator& control, int device,
              std::chrono::milliseconds timeout)
      : control_(control), device_(device), timeout_(timeout) {}
  ~WatchedComm() { end(); }
  WatchedComm(const WatchedComm&) = delete;
  WatchedComm& operator=(const WatchedComm&) = delete;

  void connect(const ncclUniqueId& id) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    const std::unique_lock lock(mutex_);
    settle(call_nccl<ncclCommInitRankConfig>(&comm_, control_.size(), id,
                                             control_.rank(), &config),
           "ncclCommInitRankConfig");
    thread_ = std::thread([this] { watch(); });
  }

  // Adds what submit(comm) does to the stream.
  template <class Submit>
  std::shared_ptr<Operation> start(std::string what, const cuda::Stream& stream,
                                   std::string_view call,
                                   const Submit& submit) {
    const auto operation = std::make_shared<Operation>(std::move(what), stream);
    const std::unique_lock lock(mutex_);
    throw_if_failed();
    operation->begun.record(stream.ptr());
    const ncclResult_t status = submit(comm_);
    if (status != ncclInProgress) communicators::check(status, call);
    try {
      settle(status, call);
      operation->done.record(stream.ptr());
      pending_.push_back(operation);
    } catch (const std::exception& error) {
      // It is under way, but nothing says when it will have been done.
      if (failure_.empty()) {
        failure_ = str("nccl: rank ", control_.rank(), " of ", control_.size(),
                       " has lost ", operation->what, ": ", error.what());
      }
      abort();
      throw;
    }
    changed_.notify_one();
    return operation;
  }

  void check() {
    const std::unique_lock lock(mutex_);
    throw_if_failed();
  }

  // Waits for what is under way, unless it is to be aborted. A failure while it
  // waits stays reported, since nobody can have seen it.
  void end(bool aborts = true) noexcept {
    const bool had_failed = has_failed();
    if (!aborts) finish();
    {
      const std::unique_lock lock(mutex_);
      is_ending_ = true;
      if (aborts) abort();
      changed_.notify_one();
    }
    if (thread_.joinable()) thread_.join();
    if (comm_ != nullptr) {
      static_cast<void>(
          call_nccl<ncclCommDestroy>(std::exchange(comm_, nullptr)));
    }
    if (aborts || had_failed) cuda::withdraw_failure(this);
  }

 private:
  static constexpr auto kPeriod = std::chrono::milliseconds(50);

  // A rank that has left may have done its part before.
  static constexpr auto kGrace = std::chrono::seconds(1);

  // Waits until a call has an effect.
  void settle(ncclResult_t status, std::string_view call) {
    const Clock::time_point start = Clock::now();
    while (status == ncclInProgress) {
      const auto waited = Clock::now() - start;
      const std::string reason = waited > kGrace ? control_.failure() : "";
      if (!reason.empty() || waited > timeout_) {
        fail(call, start, reason);
        throw_if_failed();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      communicators::check(call_nccl<ncclCommGetAsyncError>(comm_, &status),
                           "ncclCommGetAsyncError");
    }
    communicators::check(status, call);
  }

  // The failure of a device is sticky, so that further calls report it.
  static bool is_done(const cuda::Event& event) noexcept {
    for (int question = 0; question < 2; ++question) {
      const cudaError_t status = cudaEventQuery(event.ptr());
      cuda::ignore(status);
      if (status == cudaSuccess) return true;
      if (status == cudaErrorNotReady) return false;
    }
    return true;
  }

  void watch() noexcept {
    cuda::ignore(cudaSetDevice(device_));
    // Or its queries would break captures of other threads.
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cuda::ignore(cudaThreadExchangeStreamCaptureMode(&mode));
    std::unique_lock lock(mutex_);
    while (true) {
      if (pending_.empty()) {
        changed_.wait(lock, [&] { return is_ending_ || !pending_.empty(); });
      } else {
        changed_.wait_for(lock, kPeriod, [&] { return is_ending_; });
      }
      if (is_ending_ || comm_ == nullptr) return;
      while (!pending_.empty() && is_done(pending_.front()->done)) {
        pending_.pop_front();
      }
      if (!pending_.empty()) examine(*pending_.front());
    }
  }

  // Aborts an operation that will not be done.
  void examine(Operation& operation) {
    if (!operation.since) {
      if (!is_done(operation.begun)) return;
      operation.since = Clock::now();
    }
    ncclResult_t state = ncclSuccess;
    const ncclResult_t answer = call_nccl<ncclCommGetAsyncError>(comm_, &state);
    const ncclResult_t status = answer != ncclSuccess ? answer : state;
    const auto waited = Clock::now() - *operation.since;
    if (status != ncclSuccess && status != ncclInProgress) {
      fail(operation.what, *operation.since,
           str(answer != ncclSuccess ? "ncclCommGetAsyncError: " : "",
               call_nccl<ncclGetErrorString>(status), " ",
               call_nccl<ncclGetLastError>(comm_)));
    } else if (waited > timeout_) {
      fail(operation.what, *operation.since, {});
    } else if (waited > kGrace) {
      const std::string reason = control_.failure();
      if (!reason.empty()) fail(operation.what, *operation.since, reason);
    }
  }

  void fail(std::string_view what, Clock::time_point since,
            std::string_view reason) {
    failure_ = str(
        "nccl: rank ", control_.rank(), " of ", control_.size(), " has waited ",
        seconds_since(since), " for the others in ", what,
        reason.empty() ? ", longer than the timeout; has a rank ended, does "
                         "it hang, or does it make other calls?"
                       : ": ",
        reason);
    cuda::report_failure(device_, this,
                         std::make_exception_ptr(CommunicatorError(failure_)));
    abort();
  }

  void abort() {
    if (comm_ == nullptr) return;
    static_cast<void>(call_nccl<ncclCommAbort>(std::exchange(comm_, nullptr)));
    pending_.clear();
  }

  bool has_failed() {
    const std::unique_lock lock(mutex_);
    return !failure_.empty();
  }

  void throw_if_failed() const {
    if (!failure_.empty()) throw CommunicatorError(failure_);
  }

  // Waits as long as the watching thread allows.
  void finish() noexcept {
    std::shared_ptr<Operation> last;
    {
      const std::unique_lock lock(mutex_);
      if (!pending_.empty()) last = pending_.back();
    }
    if (last != nullptr) cuda::ignore(cudaEventSynchronize(last->done.ptr()));
    const std::unique_lock lock(mutex_);
    if (comm_ == nullptr) return;
    try {
      settle(call_nccl<ncclCommFinalize>(comm_), "ncclCommFinalize");
    } catch (const Error&) {
      abort();
    }
  }

  const Communicator& control_;
  const int device_;
  const std::chrono::milliseconds timeout_;
  std::thread thread_;
  // Guards everything below.
  std::mutex mutex_;
  std::condition_variable changed_;
  ncclComm_t comm_ = nullptr;  // null once it has failed
  std::deque<std::shared_ptr<Operation>> pending_;
  std::string failure_;
  bool is_ending_ = false;
};

// Work submitted to the stream, up to an event.
class NcclRequest final : public Communicator::Request {
 public:
  NcclRequest(Array x, std::shared_ptr<Operation> operation,
              std::shared_ptr<WatchedComm> comm)
      : x_(std::move(x)),
        operation_(std::move(operation)),
        comm_(std::move(comm)) {}
  ~NcclRequest() override {
    // The memory must not be reused while NCCL writes to it. The host does not
    // wait: the other ranks may never come.
    try {
      if (!has_waited_) make_stream_wait();
    } catch (const Error&) {
    }
  }
  bool test() override {
    comm_->check();
    return has_waited_ || operation_->done.done();
  }
  void wait() override {
    comm_->check();
    make_stream_wait();
    has_waited_ = true;
  }

 private:
  // The stream waits, not the host. The null stream is that of the current
  // device.
  void make_stream_wait() {
    const int device = operation_->done.device();
    const cuda::DeviceGuard guard(device);
    cuda::check(cudaStreamWaitEvent(cuda::current_stream(device),
                                    operation_->done.ptr(), 0),
                "cudaStreamWaitEvent");
  }

  Array x_;
  std::shared_ptr<Operation> operation_;
  std::shared_ptr<WatchedComm> comm_;
  bool has_waited_ = false;
};

class NcclCommunicator final : public ForwardingCommunicator {
 public:
  NcclCommunicator(std::unique_ptr<Communicator> control,
                   const BucketPolicy& policy, const NcclOptions& options)
      : ForwardingCommunicator(std::move(control), policy),
        device_(current_device().index()),
        exceptions_(std::uncaught_exceptions()),
        stream_({.device = device_, .non_blocking = true}) {
    if (options.timeout <= std::chrono::milliseconds(0)) {
      raise<ValueError>("nccl: expected a positive timeout, got ",
                        options.timeout.count(), " ms");
    }
    check_gpus();
    const cuda::DeviceGuard guard(device_);
    ncclUniqueId id{};
    if (rank() == 0) check(call_nccl<ncclGetUniqueId>(&id), "ncclGetUniqueId");
    const std::string sent = this->control().bcast_bytes(
        {reinterpret_cast<const char*>(&id), sizeof(id)});
    std::memcpy(&id, sent.data(), sizeof(id));
    comm_ = std::make_shared<WatchedComm>(this->control(), device_,
                                          options.timeout);
    comm_->connect(id);
  }

  ~NcclCommunicator() override {
    // After an exception the other ranks may never arrive.
    if (comm_) comm_->end(std::uncaught_exceptions() > exceptions_);
  }

  std::string_view name() const override { return "nccl"; }
  bool sums_16_bit() const override { return true; }

  std::unique_ptr<Request> start_allreduce(const Array& x) override {
    check_array(x, "start_allreduce");
    const ncclDataType_t type = nccl_type(x.dtype());
    return start("allreduce", x, "ncclAllReduce", [&](ncclComm_t comm) {
      return call_nccl<ncclAllReduce>(x.raw_data(), x.raw_data(),
                                      static_cast<size_t>(x.size()), type,
                                      ncclSum, comm, stream_.ptr());
    });
  }

  std::unique_ptr<Request> start_bcast(const Array& x, int root) override {
    check_array(x, "start_bcast");
    return start("bcast", x, "ncclBroadcast", [&](ncclComm_t comm) {
      return call_nccl<ncclBroadcast>(x.raw_data(), x.raw_data(),
                                      static_cast<size_t>(x.nbytes()),
                                      ncclUint8, root, comm, stream_.ptr());
    });
  }

 private:
  // NCCL would only report "invalid usage".
  void check_gpus() {
    const std::vector<std::string> gpus =
        control().allgather_bytes(gpu_name(device_));
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

  template <class Submit>
  std::unique_ptr<Request> start(std::string_view operation, const Array& x,
                                 std::string_view call, const Submit& submit) {
    const cuda::DeviceGuard guard(device_);
    cuda::order_after(device_, stream_.ptr(), device_,
                      cuda::current_stream(device_));
    auto started =
        comm_->start(str(operation, " of ", x.dtype(), " ", x.shape()), stream_,
                     call, submit);
    return std::make_unique<NcclRequest>(x, std::move(started), comm_);
  }

  int device_;
  int exceptions_;
  cuda::Stream stream_;
  std::shared_ptr<WatchedComm> comm_;
};

std::unique_ptr<Communicator> create(std::unique_ptr<Communicator> control,
                                     const BucketPolicy& policy,
                                     const NcclOptions& options) {
  return std::make_unique<NcclCommunicator>(std::move(control), policy,
                                            options);
}

// Registers the factory when the library is linked, like CUDA's kernels.
[[maybe_unused]] const bool kIsRegistered = [] {
  internal::nccl_factory() = &create;
  return true;
}();

}  // namespace
}  // namespace catena::training::communicators

#include "catena/training/communicators/create_communicator.h"

#include <utility>

#include "catena/training/communicators/hierarchical_communicator.h"

namespace catena::training::communicators {
namespace {

using Scope = MpiCommunicator::Scope;

constexpr BucketPolicy kOneByOne{.bucket_bytes = 0, .overlap = false};

// Larger buckets, since each sum takes three steps.
constexpr BucketPolicy kFewAndLarge{.bucket_bytes = 64 << 20, .overlap = false};

bool is_on_gpu() { return !current_device().is_native(); }

internal::NcclFactory& require_nccl() {
  const auto factory = internal::nccl_factory();
  if (factory == nullptr) {
    raise<NotImplementedError>(
        "create_communicator: 'nccl' needs a program that is built with "
        "--config=cuda; 'mpi' works on every device");
  }
  if (!is_on_gpu()) {
    raise<DeviceError>(
        "create_communicator: 'nccl' expected a CUDA device as the current "
        "device (see DeviceScope), got ",
        current_device());
  }
  return *factory;
}

}  // namespace

std::unique_ptr<Communicator> create_communicator(
    std::string_view name, const CommunicatorOptions& options) {
  const BucketPolicy policy = options.bucket_policy.value_or(BucketPolicy());
  const auto mpi = [&](Scope scope, const BucketPolicy& with) {
    return std::make_unique<MpiCommunicator>(name, with, options.mpi, scope);
  };
  if (name == "naive") {
    return mpi(Scope::kAll, options.bucket_policy.value_or(kOneByOne));
  }
  if (name == "mpi") return mpi(Scope::kAll, policy);
  if (name == "nccl") {
    auto& create = require_nccl();
    return create(mpi(Scope::kAll, policy), policy, options.nccl);
  }
  if (name == "hierarchical") {
    std::unique_ptr<Communicator> intra = mpi(Scope::kNode, policy);
    if (is_on_gpu() && internal::nccl_factory() != nullptr) {
      intra = require_nccl()(std::move(intra), policy, options.nccl);
    }
    return std::make_unique<HierarchicalCommunicator>(
        mpi(Scope::kAll, policy), std::move(intra),
        mpi(Scope::kLeaders, policy),
        options.bucket_policy.value_or(kFewAndLarge));
  }
  raise<ValueError>(
      "create_communicator: expected naive, mpi, nccl or hierarchical, got '",
      name, "'");
}

}  // namespace catena::training::communicators

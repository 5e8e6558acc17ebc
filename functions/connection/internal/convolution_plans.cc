#include "catena/functions/connection/internal/convolution_plans.h"

#include <cudnn.h>

#include <span>

#include "absl/container/flat_hash_map.h"
#include "catena/array/core/error.h"
#include "catena/autograd/config.h"
#include "catena/cuda/cudnn_handle.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/workspace_size.h"
#include "catena/functions/connection/internal/convolution_graph.h"
#include "catena/functions/cudnn/backend.h"

namespace catena::functions {
namespace {

using cudnn::BackendPlan;
using cudnn::ImageOrder;

cudnn::PlanLimits limits_for(Dtype dtype) {
  return {.workspace = cuda::get_max_workspace_size(),
          .deterministic = config().cudnn_deterministic,
          .may_round_inputs = dtype == Dtype::kFloat64 ||
                              cudnn::math_type(dtype) != CUDNN_FMA_MATH};
}

// Plans are found once for each key, by each thread: cuDNN does not say that
// threads may share them. Cleared when there are too many.
const std::vector<BackendPlan>& plans_for(const ConvolutionKey& key,
                                          cudnnHandle_t handle,
                                          const ConvolutionGraph& graph,
                                          Dtype dtype) {
  constexpr size_t kMaxKeys = 4096;
  constexpr size_t kMaxPlans = 4;  // more only help where memory is short
  thread_local absl::flat_hash_map<ConvolutionKey, std::vector<BackendPlan>>
      found;
  const auto known = found.find(key);
  if (known != found.end()) return known->second;
  if (found.size() >= kMaxKeys) found.clear();
  return found[key] = cudnn::find_plans(handle, graph.operations(),
                                        limits_for(dtype), kMaxPlans);
}

bool is_aligned(std::span<void* const> data) {
  for (const void* each : data) {
    if (reinterpret_cast<uintptr_t>(each) % cudnn::kBackendAlignment != 0) {
      return false;
    }
  }
  return true;
}

bool execute(const BackendPlan& plan, cudnnHandle_t handle, int device,
             const ConvolutionGraph& graph) {
  try {
    const cuda::Memory workspace(plan.workspace(), device);
    plan.execute(handle, graph.ids(), graph.data(), workspace.ptr());
    return true;
  } catch (const OutOfMemoryError&) {
    return false;
  } catch (const cudnn::NotSupported&) {
    return false;
  }
}

}  // namespace

bool run_convolution_plan(ConvolutionPass pass, const ConvolutionArgs& args,
                          const ConvolutionEpilogue& epilogue, ImageOrder order,
                          const ConvolutionKey& key) {
  const int device = args.x.device().index();
  const cuda::DeviceGuard guard(device);
  const cudnnHandle_t handle = cuda::cudnn_handle(device);
  try {
    const ConvolutionGraph graph(pass, args, epilogue, order);
    if (!is_aligned(graph.data())) return false;
    ConvolutionKey whole = key;
    whole.insert(whole.end(), {args.b.defined(), epilogue.residual.defined(),
                               epilogue.relu});
    for (const BackendPlan& plan :
         plans_for(whole, handle, graph, args.x.dtype())) {
      if (execute(plan, handle, device, graph)) return true;
    }
  } catch (const cudnn::NotSupported&) {
    // A tensor or operation that cuDNN does not know.
  }
  return false;
}

}  // namespace catena::functions

#include "catena/functions/cudnn/backend.h"

#include <algorithm>
#include <array>
#include <optional>

#include "catena/cuda/cudnn_handle.h"
#include "catena/functions/cudnn/cudnn_slot.h"

namespace catena::functions::cudnn {
namespace {

using cuda::call_cudnn;

// A graph that no engine takes is refused in several ways.
void check_offered(cudnnStatus_t status, const char* call) {
  const auto category = CUDNN_STATUS_CATEGORY(status);
  if (category == CUDNN_STATUS_NOT_SUPPORTED ||
      category == CUDNN_STATUS_BAD_PARAM) {
    throw NotSupported();
  }
  cuda::check(status, call);
}

std::vector<cudnnBackendDescriptor_t> addresses_of(
    std::span<const BackendDescriptor> descriptors) {
  std::vector<cudnnBackendDescriptor_t> addresses;
  for (const BackendDescriptor& each : descriptors) {
    addresses.push_back(each.get());
  }
  return addresses;
}

BackendDescriptor graph_of(cudnnHandle_t handle,
                           std::span<const BackendDescriptor> operations) {
  BackendDescriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  const auto addresses = addresses_of(operations);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle);
  check_offered(call_cudnn<cudnnBackendSetAttribute>(
                    graph.get(), CUDNN_ATTR_OPERATIONGRAPH_OPS,
                    CUDNN_TYPE_BACKEND_DESCRIPTOR,
                    static_cast<int64_t>(addresses.size()), addresses.data()),
                "cudnnBackendSetAttribute");
  graph.finalize();
  return graph;
}

// The engines' configurations that a heuristic recommends.
std::vector<BackendDescriptor> recommended(const BackendDescriptor& graph,
                                           cudnnBackendHeurMode_t mode) {
  BackendDescriptor heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristic.set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
  heuristic.finalize();
  const int64_t offered = heuristic.count(CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                          CUDNN_TYPE_BACKEND_DESCRIPTOR);
  std::vector<BackendDescriptor> configs;
  for (int64_t i = 0; i < offered; ++i) {
    configs.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  }
  auto addresses = addresses_of(configs);
  const int64_t given =
      heuristic.read(CUDNN_ATTR_ENGINEHEUR_RESULTS,
                     CUDNN_TYPE_BACKEND_DESCRIPTOR, offered, addresses.data());
  configs.erase(configs.begin() + std::min(given, offered), configs.end());
  return configs;
}

// Whether an engine's arithmetic is within the limits.
bool is_allowed(const BackendDescriptor& config, const PlanLimits& limits) {
  const BackendDescriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t address = engine.get();
  config.read(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
              &address);
  std::array<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT>
      notes{};
  const int64_t count =
      engine.read(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                  static_cast<int64_t>(notes.size()), notes.data());
  return std::none_of(notes.begin(), notes.begin() + count, [&](auto note) {
    switch (note) {
      case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
        return limits.deterministic;
      case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:
        return !limits.may_round_inputs;
      // To a type of a smaller range, and sums in 16 bits: never.
      case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS:
      case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
        return true;
      default:
        return false;
    }
  });
}

// nullopt if the engine does not take the graph after all.
std::optional<BackendPlan> plan_of(cudnnHandle_t handle,
                                   const BackendDescriptor& config,
                                   const PlanLimits& limits) {
  if (!is_allowed(config, limits)) return std::nullopt;
  BackendDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
  // Whatever the reason is, there are other engines.
  if (call_cudnn<cudnnBackendFinalize>(plan.get()) != CUDNN_STATUS_SUCCESS) {
    return std::nullopt;
  }
  const int64_t workspace =
      plan.number(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
  if (workspace > limits.workspace) return std::nullopt;
  return BackendPlan(std::move(plan), workspace);
}

}  // namespace

BackendDescriptor::BackendDescriptor(cudnnBackendDescriptorType_t type) {
  check_offered(call_cudnn<cudnnBackendCreateDescriptor>(type, &descriptor_),
                "cudnnBackendCreateDescriptor");
}

BackendDescriptor::~BackendDescriptor() {
  if (descriptor_ == nullptr) return;
  static_cast<void>(call_cudnn<cudnnBackendDestroyDescriptor>(descriptor_));
}

void BackendDescriptor::set(cudnnBackendAttributeName_t name,
                            cudnnBackendAttributeType_t type, int64_t count,
                            const void* values) {
  check_offered(call_cudnn<cudnnBackendSetAttribute>(descriptor_, name, type,
                                                     count, values),
                "cudnnBackendSetAttribute");
}

void BackendDescriptor::set(cudnnBackendAttributeName_t name,
                            const BackendDescriptor& value) {
  const cudnnBackendDescriptor_t address = value.get();
  set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &address);
}

void BackendDescriptor::set_pointers(cudnnBackendAttributeName_t name,
                                     std::span<void* const> values) {
  set(name, CUDNN_TYPE_VOID_PTR, static_cast<int64_t>(values.size()),
      values.data());
}

void BackendDescriptor::finalize() {
  check_offered(call_cudnn<cudnnBackendFinalize>(descriptor_),
                "cudnnBackendFinalize");
}

int64_t BackendDescriptor::number(cudnnBackendAttributeName_t name) const {
  int64_t value = 0;
  read(name, CUDNN_TYPE_INT64, 1, &value);
  return value;
}

int64_t BackendDescriptor::count(cudnnBackendAttributeName_t name,
                                 cudnnBackendAttributeType_t type) const {
  return read(name, type, 0, nullptr);
}

int64_t BackendDescriptor::read(cudnnBackendAttributeName_t name,
                                cudnnBackendAttributeType_t type, int64_t count,
                                void* values) const {
  int64_t found = 0;
  check_offered(call_cudnn<cudnnBackendGetAttribute>(descriptor_, name, type,
                                                     count, &found, values),
                "cudnnBackendGetAttribute");
  return found;
}

BackendDescriptor backend_tensor(const BackendTensor& tensor) {
  BackendDescriptor result(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  result.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, tensor.id);
  result.set(CUDNN_ATTR_TENSOR_DATA_TYPE, tensor.type);
  result.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kBackendAlignment);
  result.set_all(CUDNN_ATTR_TENSOR_DIMENSIONS, tensor.extents);
  result.set_all(CUDNN_ATTR_TENSOR_STRIDES, tensor.strides);
  result.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, tensor.is_virtual);
  result.finalize();
  return result;
}

void BackendPlan::execute(cudnnHandle_t handle, std::span<const int64_t> ids,
                          std::span<void* const> data, void* workspace) const {
  BackendDescriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.set_all(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
  pack.set_pointers(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, data);
  pack.set_pointers(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, {&workspace, 1});
  pack.finalize();
  check_offered(
      call_cudnn<cudnnBackendExecute>(handle, plan_.get(), pack.get()),
      "cudnnBackendExecute");
}

std::vector<BackendPlan> find_plans(
    cudnnHandle_t handle, std::span<const BackendDescriptor> operations,
    const PlanLimits& limits, size_t most) {
  std::vector<BackendPlan> plans;
  try {
    const BackendDescriptor graph = graph_of(handle, operations);
    for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
      for (const BackendDescriptor& config : recommended(graph, mode)) {
        if (plans.size() == most) return plans;
        auto plan = plan_of(handle, config, limits);
        if (plan) plans.push_back(*std::move(plan));
      }
    }
  } catch (const NotSupported&) {
    // No engine takes the graph, or no more than were found.
  }
  return plans;
}

}  // namespace catena::functions::cudnn

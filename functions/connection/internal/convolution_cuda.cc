// Convolutions by cuDNN.

#include <cudnn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "catena/array/array.h"
#include "catena/array/channels_last.h"
#include "catena/array/core/error.h"
#include "catena/array/core/work_record.h"
#include "catena/array/creation.h"
#include "catena/array/image_order.h"
#include "catena/autograd/config.h"
#include "catena/cuda/cudnn_handle.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/workspace_size.h"
#include "catena/functions/connection/internal/convolution_cudnn.h"
#include "catena/functions/connection/internal/convolution_kernel.h"
#include "catena/functions/connection/internal/convolution_plans.h"
#include "catena/functions/cudnn/descriptors.h"

namespace catena::functions {
namespace {

using catena::cuda::call_cudnn;
using cudnn::check;

using FilterDescriptor =
    cudnn::Descriptor<cudnnFilterDescriptor_t, cudnnCreateFilterDescriptor,
                      cudnnDestroyFilterDescriptor>;
using ConvolutionDescriptor =
    cudnn::Descriptor<cudnnConvolutionDescriptor_t,
                      cudnnCreateConvolutionDescriptor,
                      cudnnDestroyConvolutionDescriptor>;
using ActivationDescriptor =
    cudnn::Descriptor<cudnnActivationDescriptor_t,
                      cudnnCreateActivationDescriptor,
                      cudnnDestroyActivationDescriptor>;

using Ints = cudnn::Extents;

// cuDNN's descriptors of a convolution of arrays in one order.
struct Problem {
  Problem(cudnnHandle_t handle, const ConvolutionArgs& args,
          cudnn::ImageOrder order)
      : handle(handle),
        order(order),
        x_data(args.x.raw_data()),
        W_data(args.W.raw_data()),
        y_data(args.y.raw_data()) {
    const Dtype dtype = args.x.dtype();
    const Ints filter = cudnn::image_extents(args.W);
    x.set(cudnn::image_extents(args.x), dtype, order);
    y.set(cudnn::image_extents(args.y), dtype, order);
    check(call_cudnn<cudnnSetFilterNdDescriptor>(
              W, cudnn::data_type(dtype),
              order == cudnn::ImageOrder::kC ? CUDNN_TENSOR_NCHW
                                             : CUDNN_TENSOR_NHWC,
              static_cast<int>(filter.size()), filter.data()),
          "cudnnSetFilterNdDescriptor");
    const Window& window = args.geometry.window;
    const Ints pad = cudnn::spatial_sizes(window.pad, 0);
    const Ints stride = cudnn::spatial_sizes(window.stride, 1);
    const Ints dilate = cudnn::spatial_sizes(window.dilate, 1);
    check(call_cudnn<cudnnSetConvolutionNdDescriptor>(
              convolution, static_cast<int>(pad.size()), pad.data(),
              stride.data(), dilate.data(), CUDNN_CROSS_CORRELATION,
              cudnn::sum_type(dtype)),
          "cudnnSetConvolutionNdDescriptor");
    check(call_cudnn<cudnnSetConvolutionGroupCount>(
              convolution, static_cast<int>(args.geometry.groups)),
          "cudnnSetConvolutionGroupCount");
    set_math_type(cudnn::math_type(dtype));
  }

  void set_math_type(cudnnMathType_t type) const {
    check(call_cudnn<cudnnSetConvolutionMathType>(convolution, type),
          "cudnnSetConvolutionMathType");
  }

  cudnnHandle_t handle;
  cudnn::ImageOrder order;
  cudnn::TensorDescriptor x, y;
  FilterDescriptor W;
  ConvolutionDescriptor convolution;
  char* x_data;
  char* W_data;
  char* y_data;
};

// Each pass's three cuDNN functions: choosing algorithms by heuristics,
// choosing by benchmarking, and the computation.
struct Forward {
  using Performance = cudnnConvolutionFwdAlgoPerf_t;
  static constexpr int kMax = CUDNN_CONVOLUTION_FWD_ALGO_COUNT;

  static cudnnStatus_t expect(const Problem& p, int* count,
                              Performance* found) {
    return call_cudnn<cudnnGetConvolutionForwardAlgorithm_v7>(
        p.handle, p.x, p.W, p.convolution, p.y, kMax, count, found);
  }
  static cudnnStatus_t measure(const Problem& p, int* count, Performance* found,
                               void* workspace, size_t bytes) {
    return call_cudnn<cudnnFindConvolutionForwardAlgorithmEx>(
        p.handle, p.x, p.x_data, p.W, p.W_data, p.convolution, p.y, p.y_data,
        kMax, count, found, workspace, bytes);
  }
  static cudnnStatus_t run(const Problem& p, int algorithm, void* workspace,
                           size_t bytes, const void* one, const void* zero) {
    return call_cudnn<cudnnConvolutionForward>(
        p.handle, one, p.x, p.x_data, p.W, p.W_data, p.convolution,
        static_cast<cudnnConvolutionFwdAlgo_t>(algorithm), workspace, bytes,
        zero, p.y, p.y_data);
  }
};

struct BackwardData {
  using Performance = cudnnConvolutionBwdDataAlgoPerf_t;
  static constexpr int kMax = CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT;

  static cudnnStatus_t expect(const Problem& p, int* count,
                              Performance* found) {
    return call_cudnn<cudnnGetConvolutionBackwardDataAlgorithm_v7>(
        p.handle, p.W, p.y, p.convolution, p.x, kMax, count, found);
  }
  static cudnnStatus_t measure(const Problem& p, int* count, Performance* found,
                               void* workspace, size_t bytes) {
    return call_cudnn<cudnnFindConvolutionBackwardDataAlgorithmEx>(
        p.handle, p.W, p.W_data, p.y, p.y_data, p.convolution, p.x, p.x_data,
        kMax, count, found, workspace, bytes);
  }
  static cudnnStatus_t run(const Problem& p, int algorithm, void* workspace,
                           size_t bytes, const void* one, const void* zero) {
    return call_cudnn<cudnnConvolutionBackwardData>(
        p.handle, one, p.W, p.W_data, p.y, p.y_data, p.convolution,
        static_cast<cudnnConvolutionBwdDataAlgo_t>(algorithm), workspace, bytes,
        zero, p.x, p.x_data);
  }
};

struct BackwardWeights {
  using Performance = cudnnConvolutionBwdFilterAlgoPerf_t;
  static constexpr int kMax = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT;

  static cudnnStatus_t expect(const Problem& p, int* count,
                              Performance* found) {
    return call_cudnn<cudnnGetConvolutionBackwardFilterAlgorithm_v7>(
        p.handle, p.x, p.y, p.convolution, p.W, kMax, count, found);
  }
  static cudnnStatus_t measure(const Problem& p, int* count, Performance* found,
                               void* workspace, size_t bytes) {
    return call_cudnn<cudnnFindConvolutionBackwardFilterAlgorithmEx>(
        p.handle, p.x, p.x_data, p.y, p.y_data, p.convolution, p.W, p.W_data,
        kMax, count, found, workspace, bytes);
  }
  static cudnnStatus_t run(const Problem& p, int algorithm, void* workspace,
                           size_t bytes, const void* one, const void* zero) {
    return call_cudnn<cudnnConvolutionBackwardFilter>(
        p.handle, one, p.x, p.x_data, p.y, p.y_data, p.convolution,
        static_cast<cudnnConvolutionBwdFilterAlgo_t>(algorithm), workspace,
        bytes, zero, p.W, p.W_data);
  }
};

struct Choice {
  int algorithm;
  size_t workspace;
  cudnnMathType_t math_type;
};

// In order of speed.
using Choices = std::vector<Choice>;

template <class Performance>
Choices allowed(std::span<const Performance> found, Dtype dtype) {
  const auto limit =
      static_cast<size_t>(catena::cuda::get_max_workspace_size());
  const bool deterministic = config().cudnn_deterministic;
  const cudnnMathType_t math_type = cudnn::math_type(dtype);
  Choices choices;
  for (const Performance& candidate : found) {
    if (candidate.status == CUDNN_STATUS_SUCCESS && candidate.memory <= limit &&
        (!deterministic || candidate.determinism == CUDNN_DETERMINISTIC)) {
      // cuDNN may suggest tensor cores, or conversions, that were not asked
      // for.
      choices.push_back(
          {static_cast<int>(candidate.algo), candidate.memory,
           math_type == CUDNN_FMA_MATH ? math_type : candidate.mathType});
    }
  }
  std::erase_if(choices, [](const Choice& choice) {
    return choice.math_type == CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION;
  });
  return choices;
}

// As much as there is, up to the limit.
catena::cuda::Memory measuring_workspace(int device) {
  int64_t size = catena::cuda::get_max_workspace_size();
  while (true) {
    try {
      return catena::cuda::Memory(size, device);
    } catch (const OutOfMemoryError&) {
      if (size == 0) throw;
      size /= 2;
    }
  }
}

// Empty if cuDNN does not support the convolution.
template <class Pass>
Choices search(const Problem& problem, Dtype dtype, int device) try {
  std::array<typename Pass::Performance, Pass::kMax> found;
  int count = 0;
  if (config().autotune) {
    const catena::cuda::Memory workspace = measuring_workspace(device);
    check(Pass::measure(problem, &count, found.data(), workspace.ptr(),
                        static_cast<size_t>(workspace.size())),
          "cudnnFindConvolution...AlgorithmEx");
  } else {
    check(Pass::expect(problem, &count, found.data()),
          "cudnnGetConvolution...Algorithm_v7");
  }
  return allowed(std::span<const typename Pass::Performance>(
                     found.data(), static_cast<size_t>(count)),
                 dtype);
} catch (const cudnn::NotSupported&) {
  return {};
}

using Key = ConvolutionKey;

Key key_of(ConvolutionPass pass, const ConvolutionArgs& args,
           cudnn::ImageOrder order) {
  const Config& settings = config();
  Key key = {static_cast<int64_t>(pass),
             args.x.device().index(),
             static_cast<int64_t>(args.x.dtype()),
             args.geometry.groups,
             catena::cuda::get_max_workspace_size(),
             settings.cudnn_deterministic,
             cudnn::math_type(args.x.dtype()),
             settings.autotune,
             static_cast<int64_t>(order),
             args.x.ndim()};
  const Window& window = args.geometry.window;
  for (const Shape* shape : {&args.x.shape(), &args.W.shape(), &args.y.shape(),
                             &window.stride, &window.pad, &window.dilate}) {
    key.insert(key.end(), shape->begin(), shape->end());
  }
  return key;
}

// The algorithms found for each convolution. Cleared when there are too many.
template <class Search>
std::shared_ptr<const Choices> cached_choices(const Key& key,
                                              const Search& search) {
  constexpr size_t kMaxKeys = 4096;
  struct Cache {
    std::mutex mutex;
    absl::flat_hash_map<Key, std::shared_ptr<const Choices>> choices;
  };
  static Cache& cache = *new Cache;
  {
    const std::lock_guard lock(cache.mutex);
    const auto found = cache.choices.find(key);
    if (found != cache.choices.end()) return found->second;
  }
  const auto choices = std::make_shared<const Choices>(search());
  const std::lock_guard lock(cache.mutex);
  if (cache.choices.size() >= kMaxKeys) cache.choices.clear();
  cache.choices.insert_or_assign(key, choices);
  return choices;
}

// cuDNN pads both ends equally, and uses 32-bit sizes.
bool is_supported(const ConvolutionArgs& args) {
  const Window& window = args.geometry.window;
  constexpr int64_t kMax = std::numeric_limits<int>::max();
  return args.x.ndim() <= 5 && args.x.size() <= kMax && args.W.size() <= kMax &&
         args.y.size() <= kMax &&
         out_size_of(spatial_of(args.x.shape()), window, false) ==
             spatial_of(args.y.shape());
}

// Null when that much memory is not free.
std::optional<catena::cuda::Memory> try_allocate(size_t bytes, int device) {
  try {
    return catena::cuda::Memory(static_cast<int64_t>(bytes), device);
  } catch (const OutOfMemoryError&) {
    return std::nullopt;
  }
}

// Calls `run` with an algorithm's number and workspace. False when cuDNN does
// not support it, or has too little memory.
template <class Run>
bool run_choice(const Problem& problem, const Choice& choice, int device,
                const Run& run) {
  const auto workspace = try_allocate(choice.workspace, device);
  if (!workspace) return false;
  problem.set_math_type(choice.math_type);
  try {
    check(run(choice.algorithm, workspace->ptr(), choice.workspace),
          "cudnnConvolution...");
  } catch (const cudnn::NotSupported&) {
    return false;
  }
  return true;
}

// The fastest of a pass's algorithms with which `run` works.
template <class Pass, class Run>
bool run_fastest(ConvolutionPass pass, const ConvolutionArgs& args,
                 const Problem& problem, const Run& run) {
  const int device = args.x.device().index();
  const auto choices = cached_choices(key_of(pass, args, problem.order), [&] {
    return search<Pass>(problem, args.x.dtype(), device);
  });
  return std::ranges::any_of(*choices, [&](const Choice& choice) {
    return run_choice(problem, choice, device, run);
  });
}

// A forward pass that adds a bias in the same call, and maybe more.
class FusedForward {
 public:
  FusedForward(const Problem& problem, const ConvolutionArgs& args,
               const ConvolutionEpilogue& epilogue)
      : problem_(problem),
        epilogue_(epilogue),
        b_(args.b),
        one_(1, args.x.dtype()),
        of_residual_(epilogue.residual.defined() ? 1 : 0, args.x.dtype()) {
    Ints of_channels = cudnn::image_extents(args.y);
    std::ranges::fill(of_channels, 1);
    of_channels[1] = static_cast<int>(b_.size());
    b_descriptor_.set(of_channels, args.x.dtype());
    check(call_cudnn<cudnnSetActivationDescriptor>(
              activation_,
              epilogue.relu ? CUDNN_ACTIVATION_RELU : CUDNN_ACTIVATION_IDENTITY,
              CUDNN_PROPAGATE_NAN, /*coef=*/0),
          "cudnnSetActivationDescriptor");
  }

  cudnnStatus_t run(int number, void* workspace, size_t bytes) const {
    const Problem& p = problem_;
    const auto algorithm = static_cast<cudnnConvolutionFwdAlgo_t>(number);
    // The only one for an activation that is none.
    if (!epilogue_.relu &&
        algorithm != CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM) {
      return CUDNN_STATUS_NOT_SUPPORTED;
    }
    const Array& residual = epilogue_.residual;
    const cudnnStatus_t status =
        call_cudnn<cudnnConvolutionBiasActivationForward>(
            p.handle, one_, p.x, p.x_data, p.W, p.W_data, p.convolution,
            algorithm, workspace, bytes, of_residual_, p.y,
            residual.defined() ? residual.raw_data() : p.y_data, b_descriptor_,
            b_.raw_data(), activation_, p.y, p.y_data);
    // Some versions report so what they do not support.
    return CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_BAD_PARAM
               ? CUDNN_STATUS_NOT_SUPPORTED
               : status;
  }

 private:
  const Problem& problem_;
  const ConvolutionEpilogue& epilogue_;
  const Array& b_;
  cudnn::Factor one_;
  cudnn::Factor of_residual_;
  cudnn::TensorDescriptor b_descriptor_;
  ActivationDescriptor activation_;
};

// By the graph API, if the config says so. Only the other functions of cuDNN
// measure their algorithms.
bool run_plan(ConvolutionPass pass, const ConvolutionArgs& args,
              const ConvolutionEpilogue& epilogue, cudnn::ImageOrder order) {
  return config().use_cudnn_graph && !config().autotune &&
         run_convolution_plan(pass, args, epilogue, order,
                              key_of(pass, args, order));
}

template <class Pass>
bool run_pass(ConvolutionPass pass, const ConvolutionArgs& args,
              cudnn::ImageOrder order) {
  if (run_plan(pass, args, {.residual = Array(), .relu = false}, order)) {
    return true;
  }
  const int device = args.x.device().index();
  const catena::cuda::DeviceGuard guard(device);
  const Problem problem(catena::cuda::cudnn_handle(device), args, order);
  const cudnn::Factor one(1, args.x.dtype());
  const cudnn::Factor zero(0, args.x.dtype());
  const auto run = [&](int algorithm, void* workspace, size_t bytes) {
    return Pass::run(problem, algorithm, workspace, bytes, one, zero);
  };
  if (!args.b.defined()) return run_fastest<Pass>(pass, args, problem, run);
  // Added to y in a pass of its own, the bias would cost as much as reading and
  // writing y.
  const Array none;
  const ConvolutionEpilogue bias_alone = {.residual = none, .relu = false};
  const FusedForward fused(problem, args, bias_alone);
  bool has_bias = true;
  const auto run_with_bias = [&](int algorithm, void* workspace, size_t bytes) {
    const cudnnStatus_t status = fused.run(algorithm, workspace, bytes);
    has_bias = CUDNN_STATUS_CATEGORY(status) != CUDNN_STATUS_NOT_SUPPORTED;
    return has_bias ? status : run(algorithm, workspace, bytes);
  };
  if (!run_fastest<Pass>(pass, args, problem, run_with_bias)) return false;
  if (!has_bias) {
    Shape of_channels = args.b.shape();
    for (int d = 2; d < args.y.ndim(); ++d) of_channels.push_back(1);
    args.y += args.b.reshape(of_channels);
  }
  return true;
}

using cudnn::ImageOrder;

bool is_in(ImageOrder order, const Array& a) {
  return order == ImageOrder::kC ? a.is_contiguous()
                                 : array::is_channels_last(a);
}

// The array itself if it is in that order, else a copy.
Array in_order(ImageOrder order, const Array& a) {
  return order == ImageOrder::kC ? a.contiguous() : array::in_channels_last(a);
}

bool convolve_in(ImageOrder order, ConvolutionPass pass,
                 const ConvolutionArgs& given) {
  const auto prepared = [&](const Array& a, ConvolutionPass computes) {
    if (pass != computes) return in_order(order, a);
    if (is_in(order, a)) return a;
    return order == ImageOrder::kC
               ? array::empty_like(a)
               : array::empty_channels_last(a.shape(), a.dtype(), a.device());
  };
  const Array x = prepared(given.x, ConvolutionPass::kBackwardData);
  const Array W = prepared(given.W, ConvolutionPass::kBackwardWeights);
  const Array y = prepared(given.y, ConvolutionPass::kForward);
  const Array b = given.b.defined() ? given.b.contiguous() : Array();
  const ConvolutionArgs args = {given.function, given.geometry, x, W, y, b};
  const auto finish = [](bool done, const Array& result, const Array& wanted) {
    if (done && !result.is_same(wanted)) wanted.assign(result);
    return done;
  };
  switch (pass) {
    case ConvolutionPass::kForward:
      return finish(run_pass<Forward>(pass, args, order), y, given.y);
    case ConvolutionPass::kBackwardData:
      return finish(run_pass<BackwardData>(pass, args, order), x, given.x);
    case ConvolutionPass::kBackwardWeights:
      return finish(run_pass<BackwardWeights>(pass, args, order), W, given.W);
  }
  return false;
}

// Whether the result, or both images that give a gradient of weights, have
// their channels last.
bool are_channels_last(ConvolutionPass pass, const ConvolutionArgs& args) {
  const auto is_last = [&](const Array& images, ConvolutionPass computes) {
    return (pass != computes && pass != ConvolutionPass::kBackwardWeights) ||
           array::keeps_channels_last(images);
  };
  return is_last(args.x, ConvolutionPass::kBackwardData) &&
         is_last(args.y, ConvolutionPass::kForward);
}

// The numbers of a convolution, in this thread's record of its work.
void record(ConvolutionPass pass, const ConvolutionArgs& args, bool relu) {
  WorkRecord* const record = current_work_record();
  if (record == nullptr) return;
  const Key key = key_of(pass, args, ImageOrder::kC);
  record->add_bytes(key.data(), key.size() * sizeof(key[0]));
  record->add({relu});
}

bool convolve(ConvolutionPass pass, const ConvolutionArgs& args) {
  if (!is_supported(args)) return false;
  record(pass, args, /*relu=*/false);
  // Not all dtypes and sizes are supported with channels last.
  return (are_channels_last(pass, args) &&
          convolve_in(ImageOrder::kChannelsLast, pass, args)) ||
         convolve_in(ImageOrder::kC, pass, args);
}

bool convolve_fused(const ConvolutionArgs& given,
                    const ConvolutionEpilogue& epilogue) {
  if (!is_supported(given)) return false;
  record(ConvolutionPass::kForward, given, epilogue.relu);
  const auto order =
      given.y.is_contiguous() ? ImageOrder::kC : ImageOrder::kChannelsLast;
  const auto ordered = [&](const Array& a) { return in_order(order, a); };
  const Array x = ordered(given.x);
  const Array W = ordered(given.W);
  const Array b = given.b.contiguous();
  const bool adds = epilogue.residual.defined();
  const Array residual = adds ? ordered(epilogue.residual) : Array();
  const ConvolutionEpilogue ready = {residual, epilogue.relu};
  const ConvolutionArgs args = {
      given.function, given.geometry, x, W, given.y, b};
  if (run_plan(ConvolutionPass::kForward, args, ready, order)) return true;
  const int device = x.device().index();
  const catena::cuda::DeviceGuard guard(device);
  const Problem problem(catena::cuda::cudnn_handle(device), args, order);
  const FusedForward fused(problem, args, ready);
  return run_fastest<Forward>(
      ConvolutionPass::kForward, args, problem,
      [&](int algorithm, void* workspace, size_t bytes) {
        return fused.run(algorithm, workspace, bytes);
      });
}

[[maybe_unused]] const bool installed =
    convolution_cudnn.fill(cudnn::WithLibrary<convolve>::call) &&
    fused_convolution_cudnn.fill(cudnn::WithLibrary<convolve_fused>::call);

}  // namespace
}  // namespace catena::functions

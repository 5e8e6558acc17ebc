// Recurrent layers with cuDNN, which computes the products of all steps in few
// launches.

#include <cudnn.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "catena/array/core/capture.h"
#include "catena/array/creation.h"
#include "catena/array/random/drawn_places.h"
#include "catena/array/random/random.h"
#include "catena/array/take.h"
#include "catena/cuda/cudnn_handle.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/stream.h"
#include "catena/functions/cudnn/descriptors.h"
#include "catena/functions/rnn/internal/n_step_cudnn.h"
#include "catena/functions/rnn/internal/n_step_dropout.h"

namespace catena::functions {
namespace {

using cuda::call_cudnn;
using cudnn::check;
using RnnDescriptor =
    cudnn::Descriptor<cudnnRNNDescriptor_t, cudnnCreateRNNDescriptor,
                      cudnnDestroyRNNDescriptor>;
using RnnDataDescriptor =
    cudnn::Descriptor<cudnnRNNDataDescriptor_t, cudnnCreateRNNDataDescriptor,
                      cudnnDestroyRNNDataDescriptor>;
using DropoutDescriptor =
    cudnn::Descriptor<cudnnDropoutDescriptor_t, cudnnCreateDropoutDescriptor,
                      cudnnDestroyDropoutDescriptor>;

cudnnRNNMode_t mode_of(NStepKind kind) {
  switch (kind) {
    case NStepKind::kLstm:
      return CUDNN_LSTM;
    case NStepKind::kGru:
      return CUDNN_GRU;
    case NStepKind::kTanh:
      return CUDNN_RNN_TANH;
    case NStepKind::kRelu:
      return CUDNN_RNN_RELU;
  }
  __builtin_unreachable();
}

// The lengths of the sequences, in descending order, from the rows of each
// step.
std::vector<int> lengths_of(const std::vector<int64_t>& batch_sizes) {
  std::vector<int> lengths(static_cast<size_t>(batch_sizes[0]), 0);
  for (const int64_t rows : batch_sizes) {
    for (int64_t b = 0; b < rows; ++b) ++lengths[b];
  }
  return lengths;
}

// The row permutation that reverses every sequence in time; it is its own
// inverse.
std::vector<int64_t> reversed_rows(const std::vector<int64_t>& batch_sizes,
                                   const std::vector<int>& lengths) {
  std::vector<int64_t> firsts;
  int64_t total = 0;
  for (const int64_t rows : batch_sizes) {
    firsts.push_back(total);
    total += rows;
  }
  std::vector<int64_t> order;
  for (size_t t = 0; t < batch_sizes.size(); ++t) {
    for (int64_t b = 0; b < batch_sizes[t]; ++b) {
      order.push_back(firsts[lengths[b] - 1 - t] + b);
    }
  }
  return order;
}

// The states of cuDNN's generator, on one stream or for one piece of captured
// work: each call goes on from where the one before it has left them, and
// setting them up takes as long as many calls.
class DropoutStates {
 public:
  DropoutStates(int device, int64_t bytes, cudaStream_t stream)
      : memory_(bytes, device, stream) {}

  void* ptr() const { return memory_.ptr(); }
  // To hold while reading the states and submitting the call that starts from
  // them.
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

  // Sets them up on the current stream if our generator says so.
  void follow(array::random::Generator& generator) {
    const auto held = lock();
    const std::optional<uint64_t> seed = seeds_.next(generator);
    if (!seed) return;
    const cuda::DeviceGuard guard(memory_.device());
    const DropoutDescriptor descriptor;
    check(call_cudnn<cudnnSetDropoutDescriptor>(
              descriptor, cuda::cudnn_handle(memory_.device()), kAnyRatio,
              ptr(), static_cast<size_t>(memory_.size()), *seed),
          "cudnnSetDropoutDescriptor");
  }

  // Those of the device's current stream, which stay as long as the process.
  static std::shared_ptr<DropoutStates> of_stream(int device, int64_t bytes) {
    using Key = std::pair<int, cudaStream_t>;
    struct Shared {
      std::mutex mutex;
      std::map<Key, std::shared_ptr<DropoutStates>> states;
    };
    static Shared& shared = *new Shared;
    const cudaStream_t stream = cuda::current_stream(device);
    const std::scoped_lock lock(shared.mutex);
    std::shared_ptr<DropoutStates>& states = shared.states[{device, stream}];
    if (!states) {
      states = std::make_shared<DropoutStates>(device, bytes, stream);
    }
    return states;
  }

 private:
  static constexpr float kAnyRatio = 0.5F;  // each call has its own

  std::mutex mutex_;
  cuda::Memory memory_;
  NStepDropoutSeed seeds_;
};

// cuDNN's descriptors of a network, which may be a single layer.
class Network {
 public:
  // `kept` is what a forward pass has kept, if this is for its gradients.
  // `dropout` has states for the call; without it they are the next ones.
  Network(const NStepNetwork& form, const NStepInputs& in,
          const CudnnNStepKept& kept = {}, const Array& dropout = {})
      : guard_(in.x.device().index()),
        device_(in.x.device()),
        handle_(cuda::cudnn_handle(device_.index())),
        dtype_(in.x.dtype()),
        batch_(form.batch_sizes[0]),
        states_(static_cast<int>(form.n_layers * form.directions())),
        lengths_(lengths_of(form.batch_sizes)),
        lengths_there_(kept.lengths) {
    const auto batch = static_cast<int>(batch_);
    const auto in_size = static_cast<int>(in.x.shape()[1]);
    const auto units = static_cast<int>(in.hx.shape().back());
    width_ = units * static_cast<int>(form.directions());
    const cudnnDataType_t type = cudnn::data_type(dtype_);
    set_dropout(static_cast<float>(form.dropout_ratio), dropout);
    const cudnnStatus_t status = call_cudnn<cudnnSetRNNDescriptor_v8>(
        rnn_, CUDNN_RNN_ALGO_STANDARD, mode_of(form.kind),
        CUDNN_RNN_DOUBLE_BIAS,
        form.is_bidirectional ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL,
        CUDNN_LINEAR_INPUT, type, cudnn::sum_type(dtype_),
        cudnn::math_type(dtype_), in_size, units, /*projSize=*/units,
        static_cast<int>(form.n_layers), dropout_,
        CUDNN_RNN_PADDED_IO_DISABLED);
    // Versions without bfloat16 call it a bad parameter.
    if (dtype_ == Dtype::kBFloat16 && status == CUDNN_STATUS_BAD_PARAM) {
      throw cudnn::NotSupported();
    }
    check(status, "cudnnSetRNNDescriptor_v8");
    const auto describe_rows = [&](const RnnDataDescriptor& rows, int width) {
      check(call_cudnn<cudnnSetRNNDataDescriptor>(
                rows, type, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, lengths_[0],
                batch, width, lengths_.data(), /*paddingFill=*/nullptr),
            "cudnnSetRNNDataDescriptor");
    };
    describe_rows(x_, in_size);
    describe_rows(y_, width_);
    h_.set({states_, batch, units}, dtype_);
    check(call_cudnn<cudnnGetRNNWeightSpaceSize>(handle_, rnn_, &weight_bytes_),
          "cudnnGetRNNWeightSpaceSize");
  }

  // cuDNN orders matrices, biases and layers as we do.
  NStepWeightLayout layout(int weights_of_layer) const {
    // It computes addresses from the buffer's and does not look into it.
    const cuda::Memory buffer(static_cast<int64_t>(weight_bytes_),
                              device_.index());
    NStepWeightLayout result{
        .bytes = static_cast<int64_t>(weight_bytes_), .ws = {}, .bs = {}};
    const auto place = [&](const void* part) {
      if (part == nullptr) throw cudnn::NotSupported();
      return static_cast<const char*>(part) -
             static_cast<const char*>(buffer.ptr());
    };
    const cudnn::TensorDescriptor matrix_form;
    const cudnn::TensorDescriptor bias_form;
    for (int layer = 0; layer < states_; ++layer) {
      for (int id = 0; id < weights_of_layer; ++id) {
        void* matrix = nullptr;
        void* bias = nullptr;
        check(call_cudnn<cudnnGetRNNWeightParams>(
                  handle_, rnn_, layer, weight_bytes_, buffer.ptr(), id,
                  matrix_form, &matrix, bias_form, &bias),
              "cudnnGetRNNWeightParams");
        result.ws.push_back(place(matrix));
        result.bs.push_back(place(bias));
      }
    }
    return result;
  }

  // `trains`: whether to keep what gradients need.
  CudnnNStepResult forward(const NStepInputs& in, const Array& weights,
                           bool trains) const {
    const Array x = in.x.contiguous();
    const Array hx = in.hx.contiguous();
    const Array cx = contiguous_or_none(in.cx);
    const Array y = array::empty({x.shape()[0], width_}, dtype_, device_);
    CudnnNStepResult result;
    result.hy = room_for_states(hx);
    if (cx.defined()) result.cy = room_for_states(cx);
    // Only training drops out.
    const bool reserves = trains || states_of_dropout_ != nullptr;
    const cudnnForwardMode_t mode =
        reserves ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE;
    const Space space = space_of(mode);
    Array reserve;
    if (reserves) {
      reserve = array::empty({static_cast<int64_t>(space.reserve)},
                             Dtype::kUInt8, device_);
    }
    const cuda::Memory workspace(static_cast<int64_t>(space.work),
                                 device_.index());
    const Array lengths =
        array::array(std::vector<int32_t>(lengths_.begin(), lengths_.end()),
                     std::nullopt, device_);
    std::unique_lock<std::mutex> lock;
    if (going_on_ != nullptr) lock = going_on_->lock();
    const Array dropout = trains ? copy_of_dropout() : Array();
    check(call_cudnn<cudnnRNNForward>(
              handle_, rnn_, mode, lengths.data<int32_t>(), x_, x.raw_data(),
              y_, y.raw_data(), h_, hx.raw_data(), result.hy.raw_data(), h_,
              data_of(cx), data_of(result.cy), weight_bytes_,
              weights.raw_data(), space.work, workspace.ptr(),
              reserves ? space.reserve : 0, data_of(reserve)),
          "cudnnRNNForward");
    if (trains) {
      result.kept = {.reserve = reserve,
                     .weights = weights,
                     .lengths = lengths,
                     .order = {},
                     .dropout = dropout};
    }
    result.y = y;
    return result;
  }

  CudnnNStepNetworkGradients gradients(
      const CudnnNStepGradientArgs& args) const {
    const NStepInputs& in = args.in;
    const Array x = in.x.contiguous();
    const Array y = args.y.contiguous();
    const Array gy =
        args.gy.defined() ? args.gy.contiguous() : array::zeros_like(y);
    const Array hx = in.hx.contiguous();
    const Array cx = contiguous_or_none(in.cx);
    const Array ghy = contiguous_or_none(args.ghy);
    const Array gcy = contiguous_or_none(args.gcy);
    const Array& weights = args.kept.weights;
    const Array& reserve = args.kept.reserve;
    CudnnNStepNetworkGradients result;
    result.x = array::empty_like(x);
    const auto room_for = [&](const Array& state, const Array& gradient) {
      return gradient.defined() ? room_for_states(gradient)
                                : array::zeros_like(state);
    };
    result.hx = room_for(hx, ghy);
    if (cx.defined()) result.cx = room_for(cx, gcy);
    const size_t work = space_of(CUDNN_FWD_MODE_TRAINING).work;
    const cuda::Memory workspace(static_cast<int64_t>(work), device_.index());
    const auto reserve_bytes = static_cast<size_t>(reserve.size());
    const int32_t* const lengths = lengths_there_.data<int32_t>();
    check(call_cudnn<cudnnRNNBackwardData_v8>(
              handle_, rnn_, lengths, y_, y.raw_data(), gy.raw_data(), x_,
              result.x.raw_data(), h_, hx.raw_data(), data_of(ghy),
              result.hx.raw_data(), h_, data_of(cx), data_of(gcy),
              data_of(result.cx), weight_bytes_, weights.raw_data(), work,
              workspace.ptr(), reserve_bytes, reserve.raw_data()),
          "cudnnRNNBackwardData_v8");
    if (!args.wants_weights) return result;
    result.weights = array::zeros({static_cast<int64_t>(weight_bytes_)},
                                  Dtype::kUInt8, device_);  // it is added to
    check(call_cudnn<cudnnRNNBackwardWeights_v8>(
              handle_, rnn_, CUDNN_WGRAD_MODE_ADD, lengths, x_, x.raw_data(),
              h_, hx.raw_data(), y_, y.raw_data(), weight_bytes_,
              result.weights.raw_data(), work, workspace.ptr(), reserve_bytes,
              reserve.raw_data()),
          "cudnnRNNBackwardWeights_v8");
    return result;
  }

 private:
  struct Space {
    size_t work = 0;
    size_t reserve = 0;
  };

  Space space_of(cudnnForwardMode_t mode) const {
    Space space;
    check(call_cudnn<cudnnGetRNNTempSpaceSizes>(handle_, rnn_, mode, x_,
                                                &space.work, &space.reserve),
          "cudnnGetRNNTempSpaceSizes");
    return space;
  }

  void set_dropout(float ratio, const Array& states) {
    if (ratio == 0) {
      check(call_cudnn<cudnnSetDropoutDescriptor>(dropout_, handle_, 0, nullptr,
                                                  0, 0),
            "cudnnSetDropoutDescriptor");
      return;
    }
    // Its states go on by themselves.
    if (!states.defined() && array::random::DrawnPlaces::are_noted()) {
      throw cudnn::NotSupported();
    }
    check(call_cudnn<cudnnDropoutGetStatesSize>(handle_, &dropout_bytes_),
          "cudnnDropoutGetStatesSize");
    if (!states.defined()) going_on_ = states_that_go_on();
    states_of_dropout_ =
        states.defined() ? states.raw_data() : going_on_->ptr();
    check(call_cudnn<cudnnRestoreDropoutDescriptor>(
              dropout_, handle_, ratio, states_of_dropout_, dropout_bytes_,
              /*seed=*/0),
          "cudnnRestoreDropoutDescriptor");
  }

  std::shared_ptr<DropoutStates> states_that_go_on() const {
    const int device = device_.index();
    const auto bytes = static_cast<int64_t>(dropout_bytes_);
    array::random::Generator& generator = array::random::generator(device_);
    Capture* const capture = current_capture(device_);
    if (capture == nullptr) {
      auto states = DropoutStates::of_stream(device, bytes);
      states->follow(generator);
      return states;
    }
    // Each launch goes on from the states of the one before it. Not memory of
    // the graph's stream: there, temporaries may have been before.
    auto states =
        std::make_shared<DropoutStates>(device, bytes, cudaStream_t{});
    capture->on_launch([states, device, &generator] {
      cuda::order_after(device, cuda::current_stream(device), device, nullptr);
      states->follow(generator);
    });
    return states;
  }

  // The states before the call, to repeat it.
  Array copy_of_dropout() const {
    if (states_of_dropout_ == nullptr) return {};
    const auto bytes = static_cast<int64_t>(dropout_bytes_);
    Array copy = array::empty({bytes}, Dtype::kUInt8, device_);
    cuda::copy_async(copy.raw_data(), states_of_dropout_, bytes,
                     device_.index(), cuda::current_stream(device_.index()));
    return copy;
  }

  // For what cuDNN writes over the states, or their gradients, of sequences; a
  // layer's further rows keep theirs.
  Array room_for_states(const Array& states) const {
    const bool has_further = states.ndim() == 2 && states.shape()[0] > batch_;
    return has_further ? states.copy() : array::empty_like(states);
  }
  static Array contiguous_or_none(const Array& a) {
    return a.defined() ? a.contiguous() : a;
  }
  static void* data_of(const Array& a) {
    return a.defined() ? a.raw_data() : nullptr;
  }

  cuda::DeviceGuard guard_;
  Device device_;
  cudnnHandle_t handle_;
  Dtype dtype_;
  int64_t batch_;
  int states_;  // the layers, in each direction
  int width_ = 0;
  std::vector<int> lengths_;
  Array lengths_there_;
  DropoutDescriptor dropout_;
  std::shared_ptr<DropoutStates> going_on_;  // of them, the shared ones
  void* states_of_dropout_ = nullptr;        // null without dropout
  size_t dropout_bytes_ = 0;
  RnnDescriptor rnn_;
  RnnDataDescriptor x_;
  RnnDataDescriptor y_;
  cudnn::TensorDescriptor h_;
  size_t weight_bytes_ = 0;
};

// Steps without rows come last and are ignored.
NStepNetwork network_of(const NStepLayer& layer) {
  NStepNetwork result{.kind = layer.kind, .batch_sizes = layer.batch_sizes};
  std::vector<int64_t>& sizes = result.batch_sizes;
  while (!sizes.empty() && sizes.back() == 0) sizes.pop_back();
  return result;
}

bool is_offered(const NStepInputs& in) {
  return cudnn::is_usual(in.x) && cudnn::is_usual(in.hx) &&
         std::ranges::all_of(in.ws, cudnn::is_usual);
}

// A network of one direction goes from the first step to the last, so rows are
// reversed for the other one.
Array in_order(const Array& rows, const Array& order) {
  if (!rows.defined() || !order.defined()) return rows;
  // All places are valid, so use the mode that does not wait for the device.
  return array::take(rows, order, {.axis = 0, .mode = array::IndexMode::kClip});
}

std::optional<CudnnNStepResult> run(const NStepLayer& layer,
                                    const NStepInputs& in, bool trains) {
  if (!is_offered(in)) return std::nullopt;
  const NStepNetwork form = network_of(layer);
  Array order;
  if (layer.is_reversed) {
    order = array::array(
        reversed_rows(form.batch_sizes, lengths_of(form.batch_sizes)),
        std::nullopt, in.x.device());
  }
  NStepInputs ordered{
      .x = in_order(in.x, order), .hx = in.hx, .ws = {}, .bs = {}, .cx = in.cx};
  const Network network(form, ordered);
  const Array weights = pack_weights(
      network.layout(static_cast<int>(in.ws.size())), in.ws, in.bs);
  CudnnNStepResult result = network.forward(ordered, weights, trains);
  result.y = in_order(result.y, order);
  if (trains) result.kept.order = order;
  return result;
}

std::optional<NStepInputs> run_gradients(const NStepLayer& layer,
                                         const CudnnNStepGradientArgs& args) {
  const NStepInputs& in = args.in;
  const Array& order = args.kept.order;
  const NStepInputs ordered{
      .x = in_order(in.x, order), .hx = in.hx, .ws = {}, .bs = {}, .cx = in.cx};
  const Array y = in_order(args.y, order);
  const Array gy = in_order(args.gy, order);
  const Network network(network_of(layer), ordered, args.kept);
  CudnnNStepNetworkGradients of = network.gradients(
      {ordered, y, args.kept, gy, args.ghy, args.gcy, args.wants_weights});
  NStepInputs result{
      .x = in_order(of.x, order), .hx = of.hx, .ws = {}, .bs = {}, .cx = of.cx};
  if (args.wants_weights) {
    const NStepWeightLayout layout =
        network.layout(static_cast<int>(in.ws.size()));
    result.ws = unpacked_weights(of.weights, layout.ws, in.ws);
    result.bs = unpacked_weights(of.weights, layout.bs, in.bs);
  }
  return result;
}

std::optional<NStepWeightLayout> network_layout(const NStepNetwork& form,
                                                const NStepInputs& in) {
  if (!is_offered(in)) return std::nullopt;
  NStepNetwork without_dropout = form;  // which needs states
  without_dropout.dropout_ratio = 0;
  const size_t layers = form.n_layers * form.directions();
  return Network(without_dropout, in)
      .layout(static_cast<int>(in.ws.size() / layers));
}

std::optional<CudnnNStepResult> run_network(const NStepNetwork& form,
                                            const CudnnNStepNetworkArgs& args) {
  // A call writes over the states.
  const Array dropout = args.dropout.defined() ? args.dropout.copy() : Array();
  return Network(form, args.in, {}, dropout)
      .forward(args.in, args.weights, args.trains);
}

std::optional<CudnnNStepNetworkGradients> run_network_gradients(
    const NStepNetwork& form, const CudnnNStepGradientArgs& args) {
  return Network(form, args.in, args.kept, args.kept.dropout).gradients(args);
}

[[maybe_unused]] const bool installed =
    n_step_cudnn.fill(cudnn::WithLibrary<run>::call) &&
    n_step_gradients_cudnn.fill(cudnn::WithLibrary<run_gradients>::call) &&
    n_step_network_layout_cudnn.fill(
        cudnn::WithLibrary<network_layout>::call) &&
    n_step_network_cudnn.fill(cudnn::WithLibrary<run_network>::call) &&
    n_step_network_gradients_cudnn.fill(
        cudnn::WithLibrary<run_network_gradients>::call);

}  // namespace
}  // namespace catena::functions

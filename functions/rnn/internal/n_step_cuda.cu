// Recurrent layers with cuDNN, which computes the products of all steps in few
// launches.

#include <cudnn.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "catena/array/assign_all.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/take.h"
#include "catena/cuda/cudnn_handle.h"
#include "catena/cuda/device.h"
#include "catena/cuda/device_memory.h"
#include "catena/functions/cudnn/descriptors.h"
#include "catena/functions/rnn/internal/n_step_cudnn.h"

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

// cuDNN's descriptors of a layer. It runs from the first step to the last, so
// sequences are reversed for the backward direction.
class Layer {
 public:
  // `kept` is what a forward pass has kept, if this is for its gradients.
  Layer(const NStepLayer& layer, const NStepInputs& in,
        const CudnnNStepKept& kept = {})
      : guard_(in.x.device().index()),
        device_(in.x.device()),
        handle_(cuda::cudnn_handle(device_.index())),
        dtype_(in.x.dtype()),
        weights_(static_cast<int>(in.ws.size())) {
    const std::vector<int> lengths = lengths_of(layer.batch_sizes);
    const auto batch = static_cast<int>(lengths.size());
    const auto in_size = static_cast<int>(in.x.shape()[1]);
    const auto units = static_cast<int>(in.hx.shape()[1]);
    const cudnnDataType_t type = cudnn::data_type(dtype_);
    check(call_cudnn<cudnnSetDropoutDescriptor>(dropout_, handle_, 0, nullptr,
                                                0, 0),
          "cudnnSetDropoutDescriptor");
    const cudnnStatus_t status = call_cudnn<cudnnSetRNNDescriptor_v8>(
        rnn_, CUDNN_RNN_ALGO_STANDARD, mode_of(layer.kind),
        CUDNN_RNN_DOUBLE_BIAS, CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, type,
        cudnn::sum_type(dtype_), cudnn::math_type(dtype_), in_size, units,
        /*projSize=*/units, /*numLayers=*/1, dropout_,
        CUDNN_RNN_PADDED_IO_DISABLED);
    // Versions without bfloat16 call it a bad parameter.
    if (dtype_ == Dtype::kBFloat16 && status == CUDNN_STATUS_BAD_PARAM) {
      throw cudnn::NotSupported();
    }
    check(status, "cudnnSetRNNDescriptor_v8");
    const auto describe_rows = [&](const RnnDataDescriptor& rows, int width) {
      check(call_cudnn<cudnnSetRNNDataDescriptor>(
                rows, type, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, lengths[0],
                batch, width, lengths.data(), /*paddingFill=*/nullptr),
            "cudnnSetRNNDataDescriptor");
    };
    describe_rows(x_, in_size);
    describe_rows(y_, units);
    h_.set({1, batch, units}, dtype_);
    check(call_cudnn<cudnnGetRNNWeightSpaceSize>(handle_, rnn_, &weight_bytes_),
          "cudnnGetRNNWeightSpaceSize");
    if (kept.lengths.defined()) {
      lengths_ = kept.lengths;
      order_ = kept.order;
      return;
    }
    lengths_ =
        array::array(std::vector<int32_t>(lengths.begin(), lengths.end()),
                     std::nullopt, device_);
    if (layer.is_reversed) {
      order_ = array::array(reversed_rows(layer.batch_sizes, lengths),
                            std::nullopt, device_);
    }
  }

  CudnnNStepResult forward(const NStepInputs& in, bool trains) const {
    const Array x = in_order(in.x);
    const Array hx = in.hx.contiguous();
    const Array cx = contiguous_or_none(in.cx);
    const Array weights = pack(in);
    const Array y =
        array::empty({x.shape()[0], hx.shape()[1]}, dtype_, device_);
    // Rows after those of the first step have no sequence and are kept.
    CudnnNStepResult result;
    result.hy = hx.copy();
    if (cx.defined()) result.cy = cx.copy();
    const cudnnForwardMode_t mode =
        trains ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE;
    const Space space = space_of(mode);
    Array reserve;
    if (trains) {
      reserve = array::empty({static_cast<int64_t>(space.reserve)},
                             Dtype::kUInt8, device_);
    }
    const cuda::Memory workspace(static_cast<int64_t>(space.work),
                                 device_.index());
    check(call_cudnn<cudnnRNNForward>(
              handle_, rnn_, mode, lengths_.data<int32_t>(), x_, x.raw_data(),
              y_, y.raw_data(), h_, hx.raw_data(), result.hy.raw_data(), h_,
              data_of(cx), data_of(result.cy), weight_bytes_,
              weights.raw_data(), space.work, workspace.ptr(),
              trains ? space.reserve : 0, data_of(reserve)),
          "cudnnRNNForward");
    if (trains) result.kept = {reserve, weights, lengths_, order_};
    result.y = in_order(y);
    return result;
  }

  NStepInputs gradients(const CudnnNStepGradientArgs& args) const {
    const NStepInputs& in = args.in;
    const Array x = in_order(in.x);
    const Array y = in_order(args.y);
    const Array gy =
        args.gy.defined() ? in_order(args.gy) : array::zeros_like(y);
    const Array hx = in.hx.contiguous();
    const Array cx = contiguous_or_none(in.cx);
    const Array ghy = contiguous_or_none(args.ghy);
    const Array gcy = contiguous_or_none(args.gcy);
    const Array& weights = args.kept.weights;
    const Array& reserve = args.kept.reserve;
    NStepInputs result;
    const Array gx = array::empty_like(x);
    result.hx = ghy.defined() ? ghy.copy() : array::zeros_like(hx);
    if (cx.defined()) {
      result.cx = gcy.defined() ? gcy.copy() : array::zeros_like(cx);
    }
    const size_t work = space_of(CUDNN_FWD_MODE_TRAINING).work;
    const cuda::Memory workspace(static_cast<int64_t>(work), device_.index());
    const auto reserve_bytes = static_cast<size_t>(reserve.size());
    check(call_cudnn<cudnnRNNBackwardData_v8>(
              handle_, rnn_, lengths_.data<int32_t>(), y_, y.raw_data(),
              gy.raw_data(), x_, gx.raw_data(), h_, hx.raw_data(), data_of(ghy),
              result.hx.raw_data(), h_, data_of(cx), data_of(gcy),
              data_of(result.cx), weight_bytes_, weights.raw_data(), work,
              workspace.ptr(), reserve_bytes, reserve.raw_data()),
          "cudnnRNNBackwardData_v8");
    result.x = in_order(gx);
    if (!args.wants_weights) return result;
    const Array gradient = zeros(weight_bytes_);  // to which is added
    check(call_cudnn<cudnnRNNBackwardWeights_v8>(
              handle_, rnn_, CUDNN_WGRAD_MODE_ADD, lengths_.data<int32_t>(), x_,
              x.raw_data(), h_, hx.raw_data(), y_, y.raw_data(), weight_bytes_,
              gradient.raw_data(), work, workspace.ptr(), reserve_bytes,
              reserve.raw_data()),
          "cudnnRNNBackwardWeights_v8");
    for (const Array& w : in.ws) result.ws.push_back(array::empty_like(w));
    for (const Array& b : in.bs) result.bs.push_back(array::empty_like(b));
    std::vector<array::Assignment> parts = parts_of(gradient, result);
    for (auto& [to, from] : parts) std::swap(to, from);
    array::assign_all(parts);
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

  Array zeros(size_t count) const {
    return array::zeros({static_cast<int64_t>(count)}, Dtype::kUInt8, device_);
  }
  static Array contiguous_or_none(const Array& a) {
    return a.defined() ? a.contiguous() : a;
  }
  static void* data_of(const Array& a) {
    return a.defined() ? a.raw_data() : nullptr;
  }

  Array in_order(const Array& rows) const {
    if (!order_.defined()) return rows.contiguous();
    // All sizes are valid, so use the mode that does not wait for the device.
    return array::take(rows, order_,
                       {.axis = 0, .mode = array::IndexMode::kClip});
  }

  // The weights in cuDNN's packed layout.
  Array pack(const NStepInputs& in) const {
    size_t bytes = 0;
    for (const Array& w : in.ws) bytes += static_cast<size_t>(w.nbytes());
    for (const Array& b : in.bs) bytes += static_cast<size_t>(b.nbytes());
    const Array packed = bytes == weight_bytes_
                             ? array::empty({static_cast<int64_t>(bytes)},
                                            Dtype::kUInt8, device_)
                             : zeros(weight_bytes_);  // there are gaps
    array::assign_all(parts_of(packed, in));
    return packed;
  }

  // The matrices and biases in cuDNN's layout, as views of `packed`, each with
  // ours. cuDNN orders them as we do.
  std::vector<array::Assignment> parts_of(const Array& packed,
                                          const NStepInputs& own) const {
    std::vector<array::Assignment> parts;
    const auto add = [&](const void* part, const Array& own) {
      const int64_t begin = static_cast<const char*>(part) - packed.raw_data();
      const Array bytes = packed[{Slice(begin, begin + own.nbytes())}];
      parts.push_back(
          {.to = bytes.view(dtype_).reshape(own.shape()), .from = own});
    };
    for (int id = 0; id < weights_; ++id) {
      const cudnn::TensorDescriptor matrix_form;
      const cudnn::TensorDescriptor bias_form;
      void* matrix = nullptr;
      void* bias = nullptr;
      check(call_cudnn<cudnnGetRNNWeightParams>(
                handle_, rnn_, /*pseudoLayer=*/0, weight_bytes_,
                packed.raw_data(), id, matrix_form, &matrix, bias_form, &bias),
            "cudnnGetRNNWeightParams");
      add(matrix, own.ws[id]);
      add(bias, own.bs[id]);
    }
    return parts;
  }

  cuda::DeviceGuard guard_;
  Device device_;
  cudnnHandle_t handle_;
  Dtype dtype_;
  int weights_;  // matrices, and as many biases
  DropoutDescriptor dropout_;
  RnnDescriptor rnn_;
  RnnDataDescriptor x_;
  RnnDataDescriptor y_;
  cudnn::TensorDescriptor h_;
  size_t weight_bytes_ = 0;
  Array lengths_;
  Array order_;  // undefined from the first step to the last
};

// Steps without rows come last and are ignored.
NStepLayer without_empty_steps(const NStepLayer& layer) {
  NStepLayer result = layer;
  std::vector<int64_t>& sizes = result.batch_sizes;
  while (!sizes.empty() && sizes.back() == 0) sizes.pop_back();
  return result;
}

bool is_offered(const NStepInputs& in) {
  return cudnn::is_usual(in.x) && cudnn::is_usual(in.hx) &&
         std::ranges::all_of(in.ws, cudnn::is_usual);
}

std::optional<CudnnNStepResult> run(const NStepLayer& layer,
                                    const NStepInputs& in, bool trains) {
  if (!is_offered(in)) return std::nullopt;
  return Layer(without_empty_steps(layer), in).forward(in, trains);
}

std::optional<NStepInputs> run_gradients(const NStepLayer& layer,
                                         const CudnnNStepGradientArgs& args) {
  return Layer(without_empty_steps(layer), args.in, args.kept).gradients(args);
}

[[maybe_unused]] const bool installed =
    n_step_cudnn.fill(cudnn::WithLibrary<run>::call) &&
    n_step_gradients_cudnn.fill(cudnn::WithLibrary<run_gradients>::call);

}  // namespace
}  // namespace catena::functions

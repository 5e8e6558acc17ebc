#pragma once

#include <optional>

#include "catena/array/array.h"
#include "catena/functions/cudnn/cudnn_slot.h"
#include "catena/functions/normalization/internal/channel_call.h"

// Batch normalization with cuDNN. Arrays of x's size are packed according to
// the layout; per-channel arrays have the dtype that x is computed in.
namespace catena::functions {

// Moving averages, contiguous and of gamma's dtype, both or neither:
//   average += share * (the batch's mean or unbiased variance - average)
struct CudnnBatchAverages {
  Array mean;
  Array var;
  double share = 0;
};

struct CudnnBatchNormalization {
  Array y;
  Array mean;
  Array inverse_std;
};
// Also updates the averages. nullopt, and no update, when cuDNN declines.
inline constinit CudnnSlot<std::optional<CudnnBatchNormalization>(
    const Array& x, const Array& gamma, const Array& beta, double eps,
    const ChannelLayout& layout, const CudnnBatchAverages& averages)>
    batch_normalization_cudnn;

struct CudnnBatchGradients {
  Array gx;
  Array ggamma;
  Array gbeta;
};
inline constinit CudnnSlot<std::optional<CudnnBatchGradients>(
    const Array& gy, const Array& x, const Array& gamma, const Array& mean,
    const Array& inverse_std, double eps, const ChannelLayout& layout)>
    batch_gradients_cudnn;

}  // namespace catena::functions

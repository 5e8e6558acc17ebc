#include "catena/array/kernels/kernel_definition.h"
#include "catena/functions/normalization/internal/channel_args.h"
#ifdef __CUDACC__
#include "catena/functions/normalization/internal/channel_launcher.cuh"
#else
#include "catena/functions/normalization/internal/channel_loop.h"
#endif

namespace catena::kernels::CATENA_BACKEND {

template <class T>
struct Loop<functions::ChannelFamily, functions::ChannelMomentsOp, T> {
  static constexpr auto* run = ChannelLoop<T>::moments;
};
template <class T>
struct Loop<functions::ChannelFamily, functions::ChannelSumsOp, T> {
  static constexpr auto* run = ChannelLoop<T>::sums;
};
template <class T>
struct Loop<functions::ChannelFamily, functions::ChannelAffineOp, T> {
  static constexpr auto* run = ChannelLoop<T>::affine;
};

extern const auto kChannelKernels = register_kernels<functions::ChannelFamily>(
    TypeList<functions::ChannelMomentsOp, functions::ChannelSumsOp,
             functions::ChannelAffineOp>());

}  // namespace catena::kernels::CATENA_BACKEND

#pragma once

#include "catena/array/core/shape.h"
#include "catena/caffe/net.pb.h"

// Window sizes along each of ndim axes, given in a message either as a list or
// as one number for each of two axes. Throws ValueError when both are given,
// for another number of axes, or out of range.
namespace catena::caffe {

// Params are ConvolutionParameter or PoolingParameter.
template <class Params>
Shape window_kernel(const Params& params, int ndim);
template <class Params>
Shape window_stride(const Params& params, int ndim);
template <class Params>
Shape window_pad(const Params& params, int ndim);
Shape window_dilation(const ConvolutionParameter& params, int ndim);

}  // namespace catena::caffe

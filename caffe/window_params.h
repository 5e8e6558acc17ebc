#pragma once

#include "catena/array/shape.h"
#include "catena/caffe/net.pb.h"

// Sizes of windows along each of ndim axes, which a message has in a list, or
// in one number for each of two axes. ValueError when they are given in both
// ways, for another number of axes, or out of range.
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

#pragma once

#include <string_view>

#include "catena/array/core/dtype.h"
#include "catena/array/core/host_device.h"
#include "catena/array/kernels/elementwise_args.h"

// Running averages of batch normalization.
namespace catena::functions {

struct RunningStatisticsFamily : array::ElementwiseFamily {
  template <class Op>
  using Dtypes = TypeList<float, double>;
};

// average <- decay * average + rate * statistic, for means and variances.
struct RunningStatisticsOp {
  static constexpr std::string_view kName =
      "running statistics of batch_normalization";
  double decay;
  double mean_rate;
  double var_rate;
  template <class T>
  CATENA_HOST_DEVICE void operator()(T mean, T var, T& mean_average,
                                     T& var_average) const {
    mean_average = T(decay) * mean_average + T(mean_rate) * mean;
    var_average = T(decay) * var_average + T(var_rate) * var;
  }
};

}  // namespace catena::functions

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/caffe/layer_builders.h"
#include "catena/caffe/net.pb.h"
#include "catena/functions/activation/elu.h"
#include "catena/functions/activation/leaky_relu.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/activation/sigmoid.h"
#include "catena/functions/activation/softplus.h"
#include "catena/functions/activation/tanh.h"
#include "catena/functions/math/absolute.h"
#include "catena/functions/math/clip.h"
#include "catena/functions/math/exp.h"
#include "catena/functions/math/log.h"
#include "catena/functions/math/maximum.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/noise/dropout.h"
#include "catena/links/activation/prelu.h"

namespace catena::caffe {
namespace {

namespace F = functions;

Variable affine(const Variable& x, double scale, double shift) {
  const Variable y = scale == 1 ? x : x * scale;
  return shift == 0 ? y : y + shift;
}

Variable constant_like(const Variable& x, double value) {
  return as_variable(array::full_like(x.data(), value));
}

// The natural logarithm of `base`, where -1 means e.
double log_of_base(double base) {
  if (base == -1) return 1;
  if (!(base > 0)) {
    raise<ValueError>("base: expected a positive number or -1 for e, got ",
                      base);
  }
  return std::log(base);
}

}  // namespace

Layer build_relu(const LayerDefinition& definition, const BuildOptions&) {
  const double slope = definition.message->relu_param().negative_slope();
  if (slope == 0) return unary_layer(F::relu);
  return unary_layer([slope](const Variable& x) {
    return F::leaky_relu(x, {.slope = slope});
  });
}

Layer build_prelu(const LayerDefinition& definition, const BuildOptions&) {
  const bool is_shared = definition.message->prelu_param().channel_shared();
  expect_blobs(definition, 1);
  const BlobDefinition& blob = definition.blobs[0];
  const Shape shape = is_shared ? Shape{} : Shape{blob.count};
  expect_blob_shape(definition, 0, shape);
  return {.forward =
              [](const Variables& bottoms, Link* link) {
                return Variables{static_cast<links::PReLU&>(*link)(bottoms[0])};
              },
          .add_link =
              [=](ChainBase& model, const std::string& name) {
                auto& link = model.add_link(name, links::PReLU(shape));
                link.W.set_data(blob.values(shape));
              }};
}

Layer build_elu(const LayerDefinition& definition, const BuildOptions&) {
  return unary_layer(
      [alpha = definition.message->elu_param().alpha()](const Variable& x) {
        return F::elu(x, {.alpha = alpha});
      });
}

Layer build_sigmoid(const LayerDefinition&, const BuildOptions&) {
  return unary_layer(F::sigmoid);
}

Layer build_tanh(const LayerDefinition&, const BuildOptions&) {
  return unary_layer(F::tanh);
}

Layer build_abs_val(const LayerDefinition&, const BuildOptions&) {
  return unary_layer(F::absolute);
}

Layer build_bnll(const LayerDefinition&, const BuildOptions&) {
  return unary_layer([](const Variable& x) { return F::softplus(x); });
}

Layer build_power(const LayerDefinition& definition, const BuildOptions&) {
  const PowerParameter& params = definition.message->power_param();
  const double power = params.power();
  const double scale = params.scale();
  const double shift = params.shift();
  if (power * scale == 0) {
    const double value = power == 0 ? 1 : std::pow(shift, power);
    return unary_layer(
        [value](const Variable& x) { return constant_like(x, value); });
  }
  return unary_layer([=](const Variable& x) {
    const Variable y = affine(x, scale, shift);
    return power == 1 ? y : pow(y, power);
  });
}

Layer build_exp(const LayerDefinition& definition, const BuildOptions&) {
  const ExpParameter& params = definition.message->exp_param();
  const double log_base = log_of_base(params.base());
  return unary_layer([scale = log_base * params.scale(),
                      shift = log_base * params.shift()](const Variable& x) {
    return F::exp(affine(x, scale, shift));
  });
}

Layer build_log(const LayerDefinition& definition, const BuildOptions&) {
  const LogParameter& params = definition.message->log_param();
  const double log_base = log_of_base(params.base());
  if (log_base == 0) raise<ValueError>("base must not be 1");
  return unary_layer(
      [=, scale = params.scale(), shift = params.shift()](const Variable& x) {
        return affine(F::log(affine(x, scale, shift)), 1 / log_base, 0);
      });
}

Layer build_swish(const LayerDefinition& definition, const BuildOptions&) {
  return unary_layer(
      [beta = definition.message->swish_param().beta()](const Variable& x) {
        return x * F::sigmoid(affine(x, beta, 0));
      });
}

Layer build_clip(const LayerDefinition& definition, const BuildOptions&) {
  const ClipParameter& params = definition.message->clip_param();
  const double min = params.min();
  const double max = params.max();
  if (!(min < max)) {
    raise<ValueError>("expected min < max, got ", min, " and ", max);
  }
  return unary_layer([=](const Variable& x) { return F::clip(x, min, max); });
}

Layer build_threshold(const LayerDefinition& definition, const BuildOptions&) {
  return unary_layer([threshold =
                          definition.message->threshold_param().threshold()](
                         const Variable& x) {
    return as_variable(array::greater(x.data(), threshold).astype(x.dtype()));
  });
}

Layer build_dropout(const LayerDefinition& definition, const BuildOptions&) {
  const double ratio = definition.message->dropout_param().dropout_ratio();
  if (!(ratio >= 0 && ratio < 1)) {
    raise<ValueError>("dropout_ratio: expected a number in [0, 1), got ",
                      ratio);
  }
  return unary_layer(
      [ratio](const Variable& x) { return F::dropout(x, {.ratio = ratio}); });
}

Layer build_eltwise(const LayerDefinition& definition, const BuildOptions&) {
  const EltwiseParameter& params = definition.message->eltwise_param();
  const EltwiseParameter::EltwiseOp operation = params.operation();
  std::vector<double> coefficients(params.coeff().begin(),
                                   params.coeff().end());
  const size_t count = definition.bottoms.size();
  if (operation == EltwiseParameter::PROD && !coefficients.empty()) {
    raise<ValueError>("coeff: PROD takes no coefficients, got ",
                      coefficients.size());
  }
  if (operation != EltwiseParameter::SUM || coefficients.empty())
    coefficients.assign(count, 1);
  if (coefficients.size() != count) {
    raise<ValueError>("coeff: expected one for each of ", count,
                      " bottoms, got ", coefficients.size());
  }
  return {.forward = [=](const Variables& xs, Link* /*link*/) -> Variables {
            for (const Variable& x : xs) {
              if (x.shape() == xs[0].shape()) continue;
              raise<ValueError>("expected bottoms of equal shape, got ",
                                xs[0].shape(), " and ", x.shape());
            }
            Variable y = affine(xs[0], coefficients[0], 0);
            for (size_t i = 1; i < count; ++i) {
              if (operation == EltwiseParameter::SUM) {
                y = y + affine(xs[i], coefficients[i], 0);
              } else if (operation == EltwiseParameter::PROD) {
                y = y * xs[i];
              } else {
                y = F::maximum(y, xs[i]);
              }
            }
            return {y};
          },
          .cost = {.per_output = static_cast<double>(count - 1)}};
}

}  // namespace catena::caffe

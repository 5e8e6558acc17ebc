#include "catena/links/connection/inception_bn.h"

#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/pooling/average_pooling.h"
#include "catena/functions/pooling/max_pooling.h"

namespace catena::links {
namespace {

using functions::relu;

// A convolution without bias, since the normalization has one.
ConvolutionOptions convolution(const InceptionBNOptions& options,
                               int64_t pad = 0, int64_t stride = 1) {
  return {.stride = stride,
          .pad = pad,
          .nobias = true,
          .initialW = options.conv_init};
}

BatchNormalizationOptions normalization(const InceptionBNOptions& options) {
  return {.dtype = options.dtype};
}

// Whether to use max pooling.
bool is_max(const std::string& pooltype) {
  if (pooltype != "max" && pooltype != "avg") {
    raise<NotImplementedError>(
        "InceptionBN: expected pooltype \"max\" or \"avg\", got \"", pooltype,
        "\"");
  }
  return pooltype == "max";
}

}  // namespace

InceptionBN::InceptionBN(std::optional<int64_t> in_channels, int64_t out1,
                         int64_t proj3, int64_t out3, int64_t proj33,
                         int64_t out33, const std::string& pooltype,
                         const InceptionBNOptions& options)
    : proj3(this, "proj3", in_channels, proj3, 1, convolution(options)),
      conv3(this, "conv3", proj3, out3, 3,
            convolution(options, 1, options.stride)),
      proj33(this, "proj33", in_channels, proj33, 1, convolution(options)),
      conv33a(this, "conv33a", proj33, out33, 3, convolution(options, 1)),
      conv33b(this, "conv33b", out33, out33, 3,
              convolution(options, 1, options.stride)),
      proj3n(this, "proj3n", proj3, normalization(options)),
      conv3n(this, "conv3n", out3, normalization(options)),
      proj33n(this, "proj33n", proj33, normalization(options)),
      conv33an(this, "conv33an", out33, normalization(options)),
      conv33bn(this, "conv33bn", out33, normalization(options)),
      has_conv1_(out1 != 0),
      has_poolp_(options.proj_pool.has_value()),
      is_max_(is_max(pooltype)),
      stride_(options.stride) {
  if (has_conv1_) {
    if (stride_ != 1 || !has_poolp_) {
      raise<ValueError>(
          "InceptionBN: expected stride 1 and a proj_pool with out1 ", out1,
          ", got stride ", stride_, has_poolp_ ? "" : " and no proj_pool");
    }
    add_link("conv1",
             Convolution2D(in_channels, out1, 1, convolution(options)));
    add_link("conv1n", BatchNormalization(out1, normalization(options)));
  }
  if (has_poolp_) {
    const int64_t channels = *options.proj_pool;
    add_link("poolp",
             Convolution2D(in_channels, channels, 1, convolution(options)));
    add_link("poolpn", BatchNormalization(channels, normalization(options)));
  }
}

Variable InceptionBN::convolve(const std::string& name, const Variable& x) {
  auto& convolution = dynamic_cast<Convolution2D&>((*this)[name]);
  auto& normalize = dynamic_cast<BatchNormalization&>((*this)[name + "n"]);
  return normalize(convolution(x));
}

Variable InceptionBN::forward(const Variable& x) {
  std::vector<Variable> parts;
  if (has_conv1_) parts.push_back(relu(convolve("conv1", x)));
  parts.push_back(relu(conv3n(conv3(relu(proj3n(proj3(x)))))));
  const Variable once = relu(conv33an(conv33a(relu(proj33n(proj33(x))))));
  parts.push_back(relu(conv33bn(conv33b(once))));
  Variable pooled =
      is_max_
          ? functions::max_pooling_2d(
                x, 3, {.stride = stride_, .pad = 1, .cover_all = false})
          : functions::average_pooling_2d(x, 3, {.stride = stride_, .pad = 1});
  if (has_poolp_) pooled = relu(convolve("poolp", pooled));
  parts.push_back(std::move(pooled));
  return functions::concat(parts);
}

}  // namespace catena::links

#include <utility>

#include "catena/array/core/error.h"
#include "catena/caffe/layer_builders.h"
#include "catena/caffe/net.pb.h"
#include "catena/caffe/window_params.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/connection/embed_id.h"
#include "catena/functions/math/operators.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/deconvolution_nd.h"
#include "catena/links/connection/embed_id.h"
#include "catena/links/connection/linear.h"

namespace catena::caffe {
namespace {

namespace F = functions;

// Shared by convolutions and deconvolutions.
struct ConvolutionParams {
  int64_t num_output;
  int64_t group;
  bool bias_term;
  Shape W;  // of the filters
  Shape kernel;
  Shape stride;
  Shape pad;
  Shape dilation;

  int ndim() const { return kernel.ndim(); }
  // Multiplications of one filter per element.
  double taps() const {
    return static_cast<double>(extent_product(W, 1, W.ndim()));
  }
};

template <class Params>
int64_t checked_num_output(const Params& params) {
  const int64_t result = params.num_output();
  if (result < 1 || result > INT32_MAX) {
    raise<ValueError>(
        "num_output: expected a number from 1 to 2147483647, got ", result);
  }
  return result;
}

ConvolutionParams convolution_params(const LayerDefinition& definition) {
  const ConvolutionParameter& params = definition.message->convolution_param();
  if (definition.bottoms.size() != definition.tops.size()) {
    raise<ValueError>("expected as many tops as bottoms, got ",
                      definition.tops.size(), " and ",
                      definition.bottoms.size());
  }
  ConvolutionParams result;
  result.num_output = checked_num_output(params);
  result.group = params.group();
  result.bias_term = params.bias_term();
  expect_blobs(definition, result.bias_term ? 2 : 1);
  result.W = definition.blobs[0].shape;
  const int ndim = result.W.ndim() - 2;
  if (ndim < 1 || ndim > 3) {
    raise<ValueError>(
        "blobs[0]: expected filters with 1 to 3 spatial axes, "
        "got shape ",
        result.W);
  }
  if (params.axis() != 1) {
    raise<ValueError>("axis: expected 1, got ", params.axis());
  }
  result.kernel = window_kernel(params, ndim);
  result.stride = window_stride(params, ndim);
  result.pad = window_pad(params, ndim);
  result.dilation = window_dilation(params, ndim);
  if (result.group < 1 || result.num_output % result.group != 0) {
    raise<ValueError>("group: expected a divisor of num_output ",
                      result.num_output, ", got ", result.group);
  }
  if (result.bias_term) expect_blob_shape(definition, 1, {result.num_output});
  return result;
}

Shape with_kernel(int64_t first, int64_t second, const Shape& kernel) {
  Shape result = {first, second};
  for (const int64_t size : kernel) result.push_back(size);
  return result;
}

// get_conv_outsize or get_deconv_outsize.
using OutSize = int64_t (*)(int64_t size, int64_t k, int64_t s, int64_t p,
                            bool cover_all, int64_t d);

// ValueError when the result would have a non-positive extent or too many
// elements.
void check_result(const ConvolutionParams& params, const Variable& x,
                  OutSize out_size, int64_t max_elements) {
  if (x.ndim() != params.ndim() + 2) return;  // rejected by the function
  Shape result = {x.shape()[0], params.num_output};
  for (int i = 0; i < params.ndim(); ++i) {
    result.push_back(out_size(x.shape()[i + 2], params.kernel[i],
                              params.stride[i], params.pad[i], false,
                              params.dilation[i]));
    if (result.back() < 1) {
      raise<ValueError>("no window fits into the bottom of shape ", x.shape());
    }
  }
  check_size(result, max_elements);
}

// Sets W and, if present, b.
template <class L>
void set_parameters(L& link, const std::vector<BlobDefinition>& blobs,
                    const Shape& W) {
  link.W.set_data(blobs[0].values(W));
  if (blobs.size() > 1) link.b.set_data(blobs[1].values({blobs[1].count}));
}

// Applies a ConvolutionND or DeconvolutionND to each of the bottoms.
template <class L>
Layer convolution_layer(const LayerDefinition& definition,
                        const ConvolutionParams& params, const LayerCost& cost,
                        OutSize out_size, int64_t max_elements) {
  return {.forward =
              [=](const Variables& bottoms, Link* link) {
                Variables tops;
                for (const Variable& x : bottoms) {
                  check_result(params, x, out_size, max_elements);
                  tops.push_back(static_cast<L&>(*link)(x));
                }
                return tops;
              },
          .add_link =
              [params, blobs = definition.blobs](ChainBase& model,
                                                 const std::string& name) {
                auto& link =
                    model.add_link(name, L(params.ndim(), std::nullopt,
                                           params.num_output, params.kernel,
                                           {.stride = params.stride,
                                            .pad = params.pad,
                                            .nobias = !params.bias_term,
                                            .dilate = params.dilation,
                                            .groups = params.group}));
                set_parameters(link, blobs, params.W);
              },
          .cost = cost};
}

}  // namespace

Layer build_convolution(const LayerDefinition& definition,
                        const BuildOptions& options) {
  const ConvolutionParams params = convolution_params(definition);
  expect_blob_shape(definition, 0,
                    with_kernel(params.num_output, params.W[1], params.kernel));
  return convolution_layer<links::ConvolutionND>(
      definition, params, {.per_output = 2 * params.taps()},
      F::get_conv_outsize, options.max_elements);
}

Layer build_deconvolution(const LayerDefinition& definition,
                          const BuildOptions& options) {
  const ConvolutionParams params = convolution_params(definition);
  expect_blob_shape(definition, 0,
                    with_kernel(params.W[0], params.num_output / params.group,
                                params.kernel));
  if (params.W[0] % params.group != 0) {
    raise<ValueError>("group: expected a divisor of ", params.W[0],
                      " input channels, got ", params.group);
  }
  return convolution_layer<links::DeconvolutionND>(
      definition, params, {.per_output = 0, .per_input = 2 * params.taps()},
      F::get_deconv_outsize, options.max_elements);
}

Layer build_inner_product(const LayerDefinition& definition,
                          const BuildOptions& /*options*/) {
  const InnerProductParameter& params =
      definition.message->inner_product_param();
  const int64_t num_output = checked_num_output(params);
  const bool bias_term = params.bias_term();
  const bool transpose = params.transpose();
  expect_blobs(definition, bias_term ? 2 : 1);
  const int64_t in_size = definition.blobs[0].count / num_output;
  const Shape stored =
      transpose ? Shape{in_size, num_output} : Shape{num_output, in_size};
  expect_blob_shape(definition, 0, stored);
  if (bias_term) expect_blob_shape(definition, 1, {num_output});
  return {.forward = [axis = params.axis()](const Variables& bottoms,
                                            Link* link) -> Variables {
            auto& linear = static_cast<links::Linear&>(*link);
            const Variable& x = bottoms[0];
            const int n_batch_axes = axis_among(axis, x.ndim());
            if (n_batch_axes > 0)
              return {linear(x, {.n_batch_axes = n_batch_axes})};
            const Variable y = linear(F::reshape(x, {1, -1}));
            return {F::reshape(y, {-1})};
          },
          .add_link =
              [=, blobs = definition.blobs](ChainBase& model,
                                            const std::string& name) {
                auto& link =
                    model.add_link(name, links::Linear(std::nullopt, num_output,
                                                       {.nobias = !bias_term}));
                set_parameters(link, blobs, stored);
                if (transpose) link.W.set_data(link.W.data().T().copy());
              },
          .cost = {.per_output = 2 * static_cast<double>(in_size)}};
}

Layer build_embed(const LayerDefinition& definition,
                  const BuildOptions& options) {
  const EmbedParameter& params = definition.message->embed_param();
  const int64_t num_output = checked_num_output(params);
  const int64_t input_dim = params.input_dim();
  const bool bias_term = params.bias_term();
  expect_blobs(definition, bias_term ? 2 : 1);
  if (input_dim < 1) {
    raise<ValueError>("input_dim: expected a positive number, got ", input_dim);
  }
  expect_blob_shape(definition, 0, {input_dim, num_output});
  if (bias_term) expect_blob_shape(definition, 1, {num_output});
  return {.forward = [=, max_elements = options.max_elements](
                         const Variables& bottoms, Link* link) -> Variables {
            Shape shape = bottoms[0].shape();
            const Array words = labels_of(bottoms[0], shape);
            shape.push_back(num_output);
            check_size(shape, max_elements);
            const Variable y = F::embed_id(words, link->param("W"));
            return {bias_term ? y + link->param("b") : y};
          },
          .add_link =
              [=, blobs = definition.blobs](ChainBase& model,
                                            const std::string& name) {
                // Avoids drawing initial values that would be replaced.
                auto& link = model.add_link(
                    name,
                    links::EmbedID(input_dim, num_output, {.initialW = 0}));
                link.W.set_data(blobs[0].values({input_dim, num_output}));
                if (bias_term) {
                  link.add_param("b", 0, Shape{num_output})
                      .set_data(blobs[1].values({num_output}));
                }
              },
          .cost = {.per_output = bias_term ? 1.0 : 0.0}};
}

}  // namespace catena::caffe

#include "catena/caffe/connection_layers.h"

#include <utility>

#include "catena/array/error.h"
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

// What convolutions and deconvolutions have in common.
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
};

int64_t checked_num_output(const Message& params) {
  const int64_t result = params.integer("num_output");
  if (result < 1 || result > INT32_MAX) {
    raise<ValueError>(
        "num_output: expected a number from 1 to 2147483647, got ", result);
  }
  return result;
}

ConvolutionParams convolution_params(const LayerDefinition& definition) {
  const Message& params = definition.params("convolution_param");
  ConvolutionParams result;
  result.num_output = checked_num_output(params);
  result.group = params.integer("group");
  result.bias_term = params.boolean("bias_term");
  expect_blobs(definition, result.bias_term ? 2 : 1);
  result.W = definition.blobs[0].shape;
  const int ndim = result.W.ndim() - 2;
  if (ndim < 1 || ndim > 3) {
    raise<ValueError>(
        "blobs[0]: expected filters with 1 to 3 spatial axes, "
        "got shape ",
        result.W);
  }
  if (params.integer("axis") != 1) {
    raise<ValueError>("axis: expected 1, got ", params.integer("axis"));
  }
  result.kernel = window_size(params, kKernel, ndim);
  result.stride = window_size(params, kStride, ndim);
  result.pad = window_size(params, kPad, ndim);
  result.dilation = window_size(params, kDilation, ndim);
  if (result.group < 1 || result.num_output % result.group != 0) {
    raise<ValueError>("group: expected a divisor of num_output ",
                      result.num_output, ", got ", result.group);
  }
  return result;
}

Shape with_kernel(int64_t first, int64_t second, const Shape& kernel) {
  Shape result = {first, second};
  for (const int64_t size : kernel) result.push_back(size);
  return result;
}

// ValueError when an extent of the result would not be positive, or all of them
// together too large.
void check_result(const ConvolutionParams& params, const Variable& x,
                  bool transposed, int64_t max_elements) {
  if (x.ndim() != params.ndim() + 2) return;  // the function refuses it
  Shape result = {x.shape()[0], params.num_output};
  for (int i = 0; i < params.ndim(); ++i) {
    const int64_t size = x.shape()[i + 2];
    result.push_back(
        transposed
            ? F::get_deconv_outsize(size, params.kernel[i], params.stride[i],
                                    params.pad[i], false, params.dilation[i])
            : F::get_conv_outsize(size, params.kernel[i], params.stride[i],
                                  params.pad[i], false, params.dilation[i]));
    if (result.back() < 1) {
      raise<ValueError>("no window fits into the bottom of shape ", x.shape());
    }
  }
  check_size(result, max_elements);
}

// Applies the link to each of the bottoms.
template <class L>
Layer::Forward convolve_each(const ConvolutionParams& params, bool transposed,
                             int64_t max_elements) {
  return [=](const Variables& bottoms, Link* link) {
    Variables tops;
    for (const Variable& x : bottoms) {
      check_result(params, x, transposed, max_elements);
      tops.push_back(static_cast<L&>(*link)(x));
    }
    return tops;
  };
}

// Reads W and, where there is one, b.
template <class L>
void read_parameters(L& link, const NetDefinition& net,
                     const std::vector<BlobDefinition>& blobs, const Shape& W) {
  link.W.set_data(net.read(blobs[0], W));
  if (blobs.size() > 1) {
    link.b.set_data(net.read(blobs[1], {blobs[1].count}));
  }
}

void expect_as_many_tops(const LayerDefinition& definition) {
  if (definition.bottoms.size() != definition.tops.size()) {
    raise<ValueError>("expected as many tops as bottoms, got ",
                      definition.tops.size(), " and ",
                      definition.bottoms.size());
  }
}

}  // namespace

Layer build_convolution(const LayerDefinition& definition,
                        const BuildOptions& options) {
  expect_as_many_tops(definition);
  const ConvolutionParams params = convolution_params(definition);
  expect_blob_shape(definition, 0,
                    with_kernel(params.num_output, params.W[1], params.kernel));
  if (params.bias_term) expect_blob_shape(definition, 1, {params.num_output});
  const double taps =
      static_cast<double>(extent_product(params.W, 1, params.W.ndim()));
  return {
      .forward = convolve_each<links::ConvolutionND>(params, false,
                                                     options.max_elements),
      .add_link =
          [params, blobs = definition.blobs](
              Chain& model, const std::string& name, const NetDefinition& net) {
            auto& link = model.add_link(
                name, links::ConvolutionND(params.ndim(), std::nullopt,
                                           params.num_output, params.kernel,
                                           {.stride = params.stride,
                                            .pad = params.pad,
                                            .nobias = !params.bias_term,
                                            .dilate = params.dilation,
                                            .groups = params.group}));
            read_parameters(link, net, blobs, params.W);
          },
      .cost = {.per_output = 2 * taps}};
}

Layer build_deconvolution(const LayerDefinition& definition,
                          const BuildOptions& options) {
  expect_as_many_tops(definition);
  const ConvolutionParams params = convolution_params(definition);
  expect_blob_shape(definition, 0,
                    with_kernel(params.W[0], params.num_output / params.group,
                                params.kernel));
  if (params.bias_term) expect_blob_shape(definition, 1, {params.num_output});
  if (params.W[0] % params.group != 0) {
    raise<ValueError>("group: expected a divisor of ", params.W[0],
                      " input channels, got ", params.group);
  }
  const double taps =
      static_cast<double>(extent_product(params.W, 1, params.W.ndim()));
  return {
      .forward = convolve_each<links::DeconvolutionND>(params, true,
                                                       options.max_elements),
      .add_link =
          [params, blobs = definition.blobs](
              Chain& model, const std::string& name, const NetDefinition& net) {
            auto& link = model.add_link(
                name, links::DeconvolutionND(params.ndim(), std::nullopt,
                                             params.num_output, params.kernel,
                                             {.stride = params.stride,
                                              .pad = params.pad,
                                              .nobias = !params.bias_term,
                                              .dilate = params.dilation,
                                              .groups = params.group}));
            read_parameters(link, net, blobs, params.W);
          },
      .cost = {.per_output = 0, .per_input = 2 * taps}};
}

Layer build_inner_product(const LayerDefinition& definition,
                          const BuildOptions& /*options*/) {
  const Message& params = definition.params("inner_product_param");
  const int64_t num_output = checked_num_output(params);
  const bool bias_term = params.boolean("bias_term");
  const bool transpose = params.boolean("transpose");
  expect_blobs(definition, bias_term ? 2 : 1);
  const int64_t in_size = definition.blobs[0].count / num_output;
  const Shape stored =
      transpose ? Shape{in_size, num_output} : Shape{num_output, in_size};
  expect_blob_shape(definition, 0, stored);
  if (bias_term) expect_blob_shape(definition, 1, {num_output});
  return {
      .forward = [axis = params.integer("axis")](const Variables& bottoms,
                                                 Link* link) -> Variables {
        auto& linear = static_cast<links::Linear&>(*link);
        const Variable& x = bottoms[0];
        const int n_batch_axes = axis_among(axis, x.ndim());
        if (n_batch_axes > 0) return {linear(x, n_batch_axes)};
        const Variable y = linear(F::reshape(x, {1, -1}));
        return {F::reshape(y, {-1})};
      },
      .add_link =
          [=, blobs = definition.blobs](Chain& model, const std::string& name,
                                        const NetDefinition& net) {
            auto& link =
                model.add_link(name, links::Linear(std::nullopt, num_output,
                                                   {.nobias = !bias_term}));
            read_parameters(link, net, blobs, stored);
            if (transpose) link.W.set_data(link.W.data().T().copy());
          },
      .cost = {.per_output = 2 * static_cast<double>(in_size)}};
}

Layer build_embed(const LayerDefinition& definition,
                  const BuildOptions& options) {
  const Message& params = definition.params("embed_param");
  const int64_t num_output = checked_num_output(params);
  const int64_t input_dim = params.integer("input_dim");
  const bool bias_term = params.boolean("bias_term");
  expect_blobs(definition, bias_term ? 2 : 1);
  if (input_dim < 1) {
    raise<ValueError>("input_dim: expected a positive number, got ", input_dim);
  }
  expect_blob_shape(definition, 0, {input_dim, num_output});
  if (bias_term) expect_blob_shape(definition, 1, {num_output});
  return {
      .forward = [=, max_elements = options.max_elements](
                     const Variables& bottoms, Link* link) -> Variables {
        Shape shape = bottoms[0].shape();
        const Array words = labels_of(bottoms[0], shape);
        shape.push_back(num_output);
        check_size(shape, max_elements);
        const Variable y = F::embed_id(words, link->param("W"));
        return {bias_term ? y + link->param("b") : y};
      },
      .add_link =
          [=, blobs = definition.blobs](Chain& model, const std::string& name,
                                        const NetDefinition& net) {
            // Its first values would be drawn only to be replaced.
            auto& link = model.add_link(
                name, links::EmbedID(input_dim, num_output, {.initialW = 0}));
            link.W.set_data(net.read(blobs[0], {input_dim, num_output}));
            if (bias_term) {
              link.add_param("b", 0, Shape{num_output})
                  .set_data(net.read(blobs[1], {num_output}));
            }
          },
      .cost = {.per_output = bias_term ? 1.0 : 0.0}};
}

}  // namespace catena::caffe

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/concatenate.h"
#include "catena/array/core/dtype.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/autograd/variable.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/connection/convolution_nd.h"
#include "catena/functions/normalization/batch_normalization.h"
#include "catena/functions/pooling/average_pooling.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/tests/benchmarks/cases.h"

namespace catena::benchmarks {
namespace {

namespace F = functions;

// A minibatch of ResNet-50's images after some layer.
Shape shape_of(const CaseOptions& options, int64_t channels, int64_t side) {
  const int64_t batch = batch_of_case(options, 2, 64, 8);
  if (options.small) return {batch, 4, 8, 8};
  return {batch, channels, side, side};
}

double bytes_of(const Array& x) {
  return static_cast<double>(x.size() * item_size(x.dtype()));
}

// --- Functions of images ---

// A function of x, or of x and a residual, and its parameters.
struct Function {
  std::function<Variable(const Variables& inputs)> call;
  Variables parameters = {};
};

struct ImageFunction {
  std::string name;
  std::function<Function(const Shape& shape, const CaseOptions& options)>
      prepare;
  // How often x's bytes are read or written: forward, and in both directions.
  double passes;
  double passes_both_ways;
  int64_t channels;
  int64_t side;
  int inputs = 1;
};

Work prepare_forward(const ImageFunction& function,
                     const CaseOptions& options) {
  const Shape shape = shape_of(options, function.channels, function.side);
  Variables inputs;
  for (int i = 0; i < function.inputs; ++i) {
    inputs.push_back(as_variable(examples(shape, options)));
  }
  return {[call = function.prepare(shape, options).call, inputs] {
            const auto scope = no_backprop_mode();
            call(inputs);
          },
          bytes_of(inputs[0].data()) * function.passes, "B"};
}

Work prepare_both_ways(const ImageFunction& function,
                       const CaseOptions& options) {
  const Shape shape = shape_of(options, function.channels, function.side);
  const Function prepared = function.prepare(shape, options);
  Variables inputs;
  for (int i = 0; i < function.inputs; ++i) {
    inputs.emplace_back(examples(shape, options));
  }
  std::vector<Variable> all(inputs.begin(), inputs.end());
  all.insert(all.end(), prepared.parameters.begin(), prepared.parameters.end());
  const Variable gy =
      as_variable(examples(prepared.call(inputs).shape(), options));
  return {[call = prepared.call, inputs, all, gy] {
            grad({call(inputs)}, all, {.grad_outputs = {gy}});
          },
          bytes_of(inputs[0].data()) * function.passes_both_ways, "B"};
}

void add_image_function(std::vector<Case>& cases,
                        const ImageFunction& function) {
  cases.push_back({.name = function.name,
                   .prepare =
                       [=](const CaseOptions& options) {
                         return prepare_forward(function, options);
                       },
                   .has_images = true,
                   .multiplies = false});
  cases.push_back({.name = function.name + "_both_ways",
                   .prepare =
                       [=](const CaseOptions& options) {
                         return prepare_both_ways(function, options);
                       },
                   .has_images = true,
                   .multiplies = false});
}

// As while training: with statistics of the batch, which become part of the
// running ones. Parameters of float16 images are float32. If there is a second
// input it is added, and relu follows.
Function batch_normalization(const Shape& shape, const CaseOptions& options) {
  const Dtype dtype =
      options.dtype == Dtype::kFloat16 ? Dtype::kFloat32 : options.dtype;
  const auto filled = [&](double value) {
    return array::full({shape[1]}, value, dtype);
  };
  const Variables parameters = {Variable(filled(1)), Variable(filled(0))};
  return {
      [parameters, mean = filled(0), var = filled(1)](const Variables& inputs) {
        F::BatchNormalizationOptions normalization = {.running_mean = mean,
                                                      .running_var = var};
        if (inputs.size() > 1) {
          normalization.residual = inputs[1];
          normalization.relu = true;
        }
        return F::batch_normalization(inputs[0], parameters[0], parameters[1],
                                      normalization);
      },
      parameters};
}

Function max_pooling(const Shape&, const CaseOptions&) {
  return {[](const Variables& inputs) {
    return F::max_pooling_2d(inputs[0], 3,
                             {.stride = 2, .pad = 1, .cover_all = false});
  }};
}

Function average_pooling(const Shape&, const CaseOptions&) {
  return {[](const Variables& inputs) {
    return F::average_pooling_2d(inputs[0], 3, {.stride = 2, .pad = 1});
  }};
}

std::vector<Case> image_functions() {
  std::vector<Case> cases;
  // x is read for the statistics and again for y, and backward with gy for the
  // sums and again for gx.
  add_image_function(cases, {.name = "batch_normalization",
                             .prepare = batch_normalization,
                             .passes = 3,
                             .passes_both_ways = 8,
                             .channels = 256,
                             .side = 56});
  // Besides, the residual is read and its gradient written, and relu's
  // gradient reads y for the sums and for the gradients.
  add_image_function(cases, {.name = "batch_normalization_residual",
                             .prepare = batch_normalization,
                             .passes = 4,
                             .passes_both_ways = 12,
                             .channels = 256,
                             .side = 56,
                             .inputs = 2});
  // y is a quarter of x.
  add_image_function(cases, {.name = "max_pooling",
                             .prepare = max_pooling,
                             .passes = 1.25,
                             .passes_both_ways = 2.5,
                             .channels = 64,
                             .side = 112});
  add_image_function(cases, {.name = "average_pooling",
                             .prepare = average_pooling,
                             .passes = 1.25,
                             .passes_both_ways = 2.5,
                             .channels = 64,
                             .side = 112});
  return cases;
}

// 3x3, from 64 to 64 channels, with both gradients.
Work convolution(const CaseOptions& options) {
  const Shape images = shape_of(options, 64, 56);
  const int64_t channels = images[1];
  const Variable x(examples(images, options));
  const Variable w(examples({channels, channels, 3, 3}, options));
  const Variable gy = as_variable(examples(images, options));
  const double operations =
      2.0 * 9 * static_cast<double>(channels * x.data().size());
  return {[x, w, gy] {
            const Variable y = F::convolution_2d(x, w, {}, {.pad = 1});
            grad({y}, {x, w}, {.grad_outputs = {gy}});
          },
          3 * operations, "FLOP"};
}

// --- Concatenation ---

// The channels of four branches.
Work concat(const CaseOptions& options) {
  Variables xs;
  for (int i = 0; i < 4; ++i) {
    xs.push_back(as_variable(examples(shape_of(options, 64, 56), options)));
  }
  return {[xs] {
            const auto scope = no_backprop_mode();
            F::concat(xs);
          },
          2 * 4 * bytes_of(xs[0].data()), "B"};
}

// The rows of 64 matrices, as of a minibatch's examples.
Work concat_rows(const CaseOptions& options) {
  const int64_t side = size_of_case(options, 64, 8192, 4096);
  std::vector<Array> parts;
  for (int i = 0; i < 64; ++i) {
    parts.push_back(uniform({side / 64, side}, options.dtype));
  }
  return {[parts] { static_cast<void>(array::concatenate(parts)); },
          2 * 64 * bytes_of(parts[0]), "B"};
}

}  // namespace

std::vector<Case> image_cases() {
  std::vector<Case> cases = image_functions();
  cases.push_back(
      {.name = "convolution", .prepare = convolution, .convolves = true});
  cases.push_back({.name = "concat",
                   .prepare = concat,
                   .has_images = true,
                   .multiplies = false});
  cases.push_back(
      {.name = "concat_rows", .prepare = concat_rows, .multiplies = false});
  return cases;
}

}  // namespace catena::benchmarks

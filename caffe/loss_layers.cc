#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/caffe/layer_builders.h"
#include "catena/caffe/net.pb.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/activation/softplus.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/where.h"
#include "catena/functions/loss/hinge.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/math/absolute.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"

namespace catena::caffe {
namespace {

namespace F = functions;

// Scores (outer, classes, inner) and a label for each outer and inner position.
struct Scored {
  int axis;
  Variable x;
  Array labels;  // (outer, inner)

  Scored(const Variables& bottoms, int64_t axis_param)
      : axis(axis_among(axis_param, bottoms[0].ndim())) {
    const Shape& shape = bottoms[0].shape();
    const int64_t outer = extent_product(shape, 0, axis);
    const int64_t inner = extent_product(shape, axis + 1, shape.ndim());
    x = F::reshape(bottoms[0], {outer, shape[axis], inner});
    labels = labels_of(bottoms[1], {outer, inner});
  }
};

template <class Params>
std::optional<int64_t> ignored_label(const Params& params) {
  if (!params.has_ignore_label()) return std::nullopt;
  return params.ignore_label();
}

// The divisor of a loss over positions.
struct Normalization {
  std::optional<int64_t> ignore_label;
  LossParameter::NormalizationMode mode;

  Normalization(const LossParameter& params,
                LossParameter::NormalizationMode otherwise)
      : ignore_label(ignored_label(params)), mode(otherwise) {
    if (params.has_normalization()) {
      mode = params.normalization();
    } else if (params.has_normalize()) {
      mode =
          params.normalize() ? LossParameter::VALID : LossParameter::BATCH_SIZE;
    }
  }

  double divisor(const Array& labels, int64_t batch_size) const {
    int64_t count = 1;
    if (mode == LossParameter::FULL ||
        (mode == LossParameter::VALID && !ignore_label)) {
      count = labels.size();
    } else if (mode == LossParameter::VALID) {
      count = array::count_nonzero(array::not_equal(labels, *ignore_label))
                  .item<int64_t>();
    } else if (mode == LossParameter::BATCH_SIZE) {
      count = batch_size;
    }
    return static_cast<double>(std::max<int64_t>(count, 1));
  }
};

void expect_same_size(const Variables& bottoms) {
  if (bottoms[0].ndim() > 0 && bottoms[0].shape() == bottoms[1].shape()) return;
  raise<ValueError>("expected bottoms of equal shape, got ", bottoms[0].shape(),
                    " and ", bottoms[1].shape());
}

// Positions of the largest values, in descending order; of equal values, the
// last one comes first.
std::vector<int64_t> largest(const std::vector<float>& values, int64_t count) {
  std::vector<int64_t> places(values.size());
  std::iota(places.begin(), places.end(), 0);
  std::partial_sort(places.begin(), places.begin() + count, places.end(),
                    [&](int64_t a, int64_t b) {
                      return values[a] != values[b] ? values[a] > values[b]
                                                    : a > b;
                    });
  places.resize(static_cast<size_t>(count));
  return places;
}

struct ArgMaxParams {
  bool out_max_val;
  int64_t top_k;
  std::optional<int64_t> axis;
};

Array arg_max(const Array& x, const ArgMaxParams& params) {
  const Shape& shape = x.shape();
  const int axis = axis_among(params.axis.value_or(0), x.ndim());
  const int64_t outer = extent_product(shape, 0, params.axis ? axis : 1);
  const int64_t inner =
      params.axis ? extent_product(shape, axis + 1, x.ndim()) : 1;
  const int64_t classes =
      extent_product(shape, 0, x.ndim()) / std::max<int64_t>(outer * inner, 1);
  if (params.top_k > classes) {
    raise<ValueError>("top_k: expected at most ", classes, ", got ",
                      params.top_k);
  }
  const bool both = params.out_max_val && !params.axis;
  Shape result = params.axis ? shape : Shape::filled(std::max(x.ndim(), 3), 1);
  if (params.axis) {
    result[axis] = params.top_k;
  } else {
    result[0] = shape[0];
    result[1] = both ? 2 : 1;
    result[2] = params.top_k;
  }
  const std::vector<float> values = x.to_vector<float>();
  std::vector<float> out(
      static_cast<size_t>(extent_product(result, 0, result.ndim())));
  std::vector<float> row(static_cast<size_t>(classes));
  for (int64_t i = 0; i < outer; ++i) {
    for (int64_t j = 0; j < inner; ++j) {
      for (int64_t c = 0; c < classes; ++c) {
        row[c] = values[(i * classes + c) * inner + j];
      }
      const std::vector<int64_t> places = largest(row, params.top_k);
      for (int64_t k = 0; k < params.top_k; ++k) {
        const float value = row[places[k]];
        const auto place = static_cast<float>(places[k]);
        if (both) {
          out[(2 * i) * params.top_k + k] = place;
          out[(2 * i + 1) * params.top_k + k] = value;
        } else {
          out[(i * params.top_k + k) * inner + j] =
              params.out_max_val ? value : place;
        }
      }
    }
  }
  return array::array(out, result, x.device());
}

}  // namespace

Layer build_softmax(const LayerDefinition& definition, const BuildOptions&) {
  return unary_layer(
      [axis = definition.message->softmax_param().axis()](const Variable& x) {
        return F::softmax(x, {.axis = axis_among(axis, x.ndim())});
      },
      {.per_output = 4});
}

Layer build_softmax_with_loss(const LayerDefinition& definition,
                              const BuildOptions&) {
  const Normalization normalization(definition.message->loss_param(),
                                    LossParameter::VALID);
  const int64_t axis = definition.message->softmax_param().axis();
  const bool has_scores = definition.tops.size() == 2;
  return {
      .forward = [=](const Variables& bottoms, Link* /*link*/) -> Variables {
        const Scored scored(bottoms, axis);
        const Variable losses = F::softmax_cross_entropy(
            scored.x, scored.labels,
            {.ignore_label = normalization.ignore_label.value_or(INT32_MIN),
             .reduce = "no"});
        const Variable loss =
            F::sum(losses) /
            normalization.divisor(scored.labels, scored.x.shape()[0]);
        if (!has_scores) return {loss};
        return {loss, F::softmax(bottoms[0], {.axis = scored.axis})};
      },
      .cost = {.per_output = 0, .per_input = 5}};
}

Layer build_sigmoid_cross_entropy_loss(const LayerDefinition& definition,
                                       const BuildOptions&) {
  const Normalization normalization(definition.message->loss_param(),
                                    LossParameter::BATCH_SIZE);
  return {
      .forward = [=](const Variables& bottoms, Link* /*link*/) -> Variables {
        expect_same_size(bottoms);
        const Variable& x = bottoms[0];
        const Array& t = bottoms[1].data();
        // -t log s(x) - (1 - t) log(1 - s(x)), for targets of any value.
        Variable losses = F::softplus(x) - x * t;
        if (normalization.ignore_label) {
          losses = F::where(array::not_equal(t, *normalization.ignore_label),
                            losses, 0);
        }
        return {F::sum(losses) / normalization.divisor(t, x.shape()[0])};
      },
      .cost = {.per_output = 0, .per_input = 5}};
}

Layer build_euclidean_loss(const LayerDefinition&, const BuildOptions&) {
  return {.forward = [](const Variables& bottoms, Link* /*link*/) -> Variables {
            expect_same_size(bottoms);
            const Variable difference = bottoms[0] - bottoms[1];
            const auto batch_size = static_cast<double>(bottoms[0].shape()[0]);
            return {F::sum(difference * difference) / (2 * batch_size)};
          },
          .cost = {.per_output = 0, .per_input = 3}};
}

Layer build_hinge_loss(const LayerDefinition& definition, const BuildOptions&) {
  const bool is_l1 =
      definition.message->hinge_loss_param().norm() == HingeLossParameter::L1;
  return {.forward = [is_l1](const Variables& bottoms,
                             Link* /*link*/) -> Variables {
            const int64_t batch_size = bottoms[0].len();
            const Variable x = F::reshape(bottoms[0], {batch_size, -1});
            return {F::hinge(x, labels_of(bottoms[1], {batch_size}),
                             {.norm = is_l1 ? "L1" : "L2"})};
          },
          .cost = {.per_output = 0, .per_input = 3}};
}

Layer build_accuracy(const LayerDefinition& definition, const BuildOptions&) {
  const AccuracyParameter& params = definition.message->accuracy_param();
  const int64_t top_k = params.top_k();
  if (top_k < 1) {
    raise<ValueError>("top_k: expected a positive number, got ", top_k);
  }
  return {
      .forward = [top_k, axis = params.axis(), ignore = ignored_label(params)](
                     const Variables& bottoms, Link* /*link*/) -> Variables {
        const Scored scored(bottoms, axis);
        const Array& x = scored.x.data();
        const int64_t classes = x.shape()[1];
        if (top_k > classes) {
          raise<ValueError>("top_k: expected at most ", classes, ", got ",
                            top_k);
        }
        const Array labels =
            scored.labels.reshape({x.shape()[0], 1, x.shape()[2]});
        const Array is_true =
            array::equal(array::arange(classes, Dtype::kInt32, x.device())
                             .reshape({classes, 1}),
                         labels);
        const Array counts = ignore ? array::not_equal(labels, *ignore)
                                    : array::ones_like(labels, Dtype::kBool);
        if (array::any(
                array::logical_and(
                    counts, array::logical_not(array::any(
                                is_true, {.axis = 1, .keepdims = true}))))
                .item<bool>()) {
          raise<ValueError>("expected labels from 0 to ", classes - 1);
        }
        // Ties count against the true class.
        const Array score = array::sum(array::where(is_true, x, 0),
                                       {.axis = 1, .keepdims = true});
        const Array rank = array::count_nonzero(array::greater_equal(x, score),
                                                {.axis = 1, .keepdims = true});
        const Array right =
            array::logical_and(counts, array::less_equal(rank, top_k));
        const auto number = [](const Array& flags) {
          return static_cast<double>(
              array::count_nonzero(flags).item<int64_t>());
        };
        return {as_variable(
            array::full({}, number(right) / std::max(number(counts), 1.0),
                        x.dtype(), x.device()))};
      },
      .cost = {.per_output = 0, .per_input = 2}};
}

Layer build_arg_max(const LayerDefinition& definition, const BuildOptions&) {
  const ArgMaxParameter& params = definition.message->argmax_param();
  ArgMaxParams arg_max_params = {.out_max_val = params.out_max_val(),
                                 .top_k = params.top_k(),
                                 .axis = std::nullopt};
  if (params.has_axis()) arg_max_params.axis = params.axis();
  if (arg_max_params.top_k < 1) {
    raise<ValueError>("top_k: expected a positive number, got ",
                      arg_max_params.top_k);
  }
  return unary_layer([arg_max_params](const Variable& x) {
    return as_variable(arg_max(x.data(), arg_max_params));
  });
}

Layer build_reduction(const LayerDefinition& definition, const BuildOptions&) {
  const ReductionParameter& params = definition.message->reduction_param();
  return unary_layer(
      [operation = params.operation(), axis = params.axis(),
       coefficient = params.coeff()](const Variable& x) {
        const int begin = axis_among(axis, std::max(x.ndim(), 1));
        const Shape& shape = x.shape();
        const int64_t count = extent_product(shape, begin, shape.ndim());
        Variable y = F::reshape(x, {extent_product(shape, 0, begin), count});
        if (operation == ReductionParameter::ASUM) y = F::absolute(y);
        if (operation == ReductionParameter::SUMSQ) y = y * y;
        y = F::sum(y, {.axis = 1}) *
            (operation == ReductionParameter::MEAN
                 ? coefficient / static_cast<double>(count)
                 : coefficient);
        return F::reshape(
            y, Shape(std::span(shape.begin(), static_cast<size_t>(begin))));
      },
      {.per_output = 0, .per_input = 1});
}

}  // namespace catena::caffe

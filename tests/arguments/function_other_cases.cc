// Functions of mathematics, activations, normalizations and recurrent networks;
// and methods of variables.

#include "catena/array/all.h"
#include "catena/functions/functions.h"
#include "catena/tests/arguments/cases.h"
#include "catena/tests/arguments/small_inputs.h"

namespace catena::testing {
namespace {

namespace F = functions;

Variable x() { return variable({3, 4}); }

// What an empty cache has.
Array cached(const F::KeyValueCacheOptions& options) {
  return F::KeyValueCache(options).keys();
}

ArgumentCases along_one_axis() {
  return {
      {"functions::argmax", "axis",
       [](int64_t n) { return F::argmax(x(), n); }},
      {"functions::argmin", "axis",
       [](int64_t n) { return F::argmin(x(), n); }},
      {"functions::bias", "axis",
       [](int64_t n) { return F::bias(x(), variable({4}), n); }},
      {"functions::crelu", "axis", [](int64_t n) { return F::crelu(x(), n); }},
      {"functions::cumprod", "axis",
       [](int64_t n) { return F::cumprod(x(), n); }},
      {"functions::cumsum", "axis",
       [](int64_t n) { return F::cumsum(x(), n); }},
      {"functions::exclusive_cumprod", "axis",
       [](int64_t n) { return F::exclusive_cumprod(x(), n); }},
      {"functions::gumbel_softmax", "axis",
       [](int64_t n) { return F::gumbel_softmax(x(), {.axis = n}); }},
      {"functions::log_softmax", "axis",
       [](int64_t n) { return F::log_softmax(x(), n); }},
      {"functions::maxout", "pool_size",
       [](int64_t n) { return F::maxout(x(), n); }},
      {"functions::maxout", "axis",
       [](int64_t n) { return F::maxout(x(), 2, n); }},
      {"functions::scale", "axis",
       [](int64_t n) { return F::scale(x(), variable({4}), n); }},
      {"functions::softmax", "axis",
       [](int64_t n) { return F::softmax(x(), n); }},
  };
}

ArgumentCases along_axes() {
  return {
      {"functions::average", "axis",
       [](const Axes& axis) { return F::average(x(), axis); }},
      {"functions::logsumexp", "axis",
       [](const Axes& axis) { return F::logsumexp(x(), axis); }},
      {"functions::max", "axis",
       [](const Axes& axis) { return F::max(x(), axis); }},
      {"functions::mean", "axis",
       [](const Axes& axis) { return F::mean(x(), axis); }},
      {"functions::min", "axis",
       [](const Axes& axis) { return F::min(x(), axis); }},
      {"functions::normalize", "axis",
       [](const Axes& axis) { return F::normalize(x(), {.axis = axis}); }},
      {"functions::prod", "axis",
       [](const Axes& axis) { return F::prod(x(), axis); }},
      {"functions::sum", "axis",
       [](const Axes& axis) { return F::sum(x(), axis); }},
      {"functions::batch_normalization", "axis",
       [](const Axes& axis) {
         return F::batch_normalization(x(), variable({4}), variable({4}),
                                       {.axis = axis});
       }},
      {"functions::batch_renormalization", "axis",
       [](const Axes& axis) {
         return F::batch_renormalization(x(), variable({4}), variable({4}), 1,
                                         0, {.axis = axis});
       }},
      {"functions::fixed_batch_normalization", "axis",
       [](const Axes& axis) {
         return F::fixed_batch_normalization(x(), variable({4}), variable({4}),
                                             variable({4}), variable({4}),
                                             {.axis = axis});
       }},
      {"functions::fixed_batch_renormalization", "axis",
       [](const Axes& axis) {
         return F::fixed_batch_renormalization(x(), variable({4}),
                                               variable({4}), variable({4}),
                                               variable({4}), {.axis = axis});
       }},
      {"functions::shape_with_kept_axes", "shape",
       [](const Shape& shape) { F::shape_with_kept_axes(shape, {}); }},
  };
}

ArgumentCases counts() {
  return {
      {"functions::decorrelated_batch_normalization", "groups",
       [](int64_t n) {
         return F::decorrelated_batch_normalization(x(), {.groups = n});
       }},
      {"functions::fixed_decorrelated_batch_normalization", "groups",
       [](int64_t n) {
         return F::fixed_decorrelated_batch_normalization(
             x(), floats({2, 2}), floats({2, 2, 2}), {.groups = n});
       }},
      {"functions::group_normalization", "groups",
       [](int64_t n) {
         return F::group_normalization(x(), n, variable({4}), variable({4}));
       }},
      {"functions::attention", "window",
       [](int64_t n) {
         const Variable heads = variable({1, 2, 3, 4});
         return F::attention(heads, heads, heads, {.window = n});
       }},
      {"functions::KeyValueCache", "batch",
       [](int64_t n) { return cached({.batch = n, .capacity = 3}); }},
      {"functions::KeyValueCache", "heads",
       [](int64_t n) { return cached({.heads = n, .capacity = 3}); }},
      {"functions::KeyValueCache", "size",
       [](int64_t n) { return cached({.size = n, .capacity = 3}); }},
      {"functions::KeyValueCache", "capacity",
       [](int64_t n) { return cached({.capacity = n}); }},
      {"functions::KeyValueCache::cut", "length",
       [](int64_t n) {
         F::KeyValueCache cache({.capacity = 3});
         cache.append(floats({1, 1, 2, 1}), floats({1, 1, 2, 1}));
         cache.cut(n);
         return cache.keys();
       }},
      {"functions::KeyValueCache::select", "items",
       [](int64_t n) {
         F::KeyValueCache cache({.batch = 2, .capacity = 3});
         cache.append(floats({2, 1, 2, 1}), floats({2, 1, 2, 1}));
         const int64_t items[] = {1, n};
         return cache.select(items).keys();
       }},
      {"functions::rotary_tables", "size",
       [](int64_t n) { return F::rotary_tables(array::arange(3), n).cos; }},
      {"functions::rotary_tables", "positions",
       [](const Array& at) { return F::rotary_tables(at, 4).cos; }},
      {"functions::linear", "n_batch_axes",
       [](int64_t n) {
         return F::linear(variable({2, 3, 4}), variable({2, 4}), {},
                          {.n_batch_axes = n});
       }},
      {"functions::layer_normalization", "n_batch_axes",
       [](int64_t n) {
         return F::layer_normalization(variable({2, 3, 4}), variable({4}),
                                       variable({4}), {.n_batch_axes = n});
       }},
      {"functions::rms_normalization", "n_batch_axes",
       [](int64_t n) {
         return F::rms_normalization(variable({2, 3, 4}), variable({4}),
                                     {.n_batch_axes = n});
       }},
      {"functions::local_response_normalization", "n",
       [](int64_t n) {
         return F::local_response_normalization(variable({1, 3, 2, 2}),
                                                {.n = n});
       }},
      {"functions::polygamma", "n",
       [](int64_t n) { return F::polygamma(n, x()); }},
      {"functions::polygamma", "n",
       [](const Array& n) { return F::polygamma(Variable(n), variable({3})); }},
      {"functions::tensordot", "axes",
       [](int64_t n) { return F::tensordot(x(), x(), n); }},
      {"functions::tensordot", "a_axes",
       [](const Axes& axes) {
         return F::tensordot(x(), x(), axes, {0, 1});
       }},
      {"functions::tensordot", "b_axes",
       [](const Axes& axes) { return F::tensordot(x(), x(), {1}, axes); }},
      {"functions::ExecutionPlan", "max_plans",
       [](int64_t n) {
         F::ExecutionPlan plan(
             [](const Variable& input) { return F::tanh(input); },
             {.max_plans = static_cast<size_t>(n)});
         return plan(floats({2, 3}));
       }},
  };
}

// One layer, one direction or two, of one input and one unit.
ArgumentCases recurrent() {
  const auto state = [](int layers) { return variable({layers, 2, 1}); };
  const auto weights = [](int layers, int count) {
    return std::vector(static_cast<size_t>(layers),
                       variables(count, Shape{1, 1}));
  };
  const auto biases = [](int layers, int count) {
    return std::vector(static_cast<size_t>(layers), variables(count, Shape{1}));
  };
  const auto xs = [] { return variables(2, {2, 1}); };
  return {
      {"functions::n_step_lstm", "n_layers",
       [=](int64_t n) {
         return F::n_step_lstm(n, 0, state(1), state(1), weights(1, 8),
                               biases(1, 8), xs())
             .ys;
       }},
      {"functions::n_step_bilstm", "n_layers",
       [=](int64_t n) {
         return F::n_step_bilstm(n, 0, state(2), state(2), weights(2, 8),
                                 biases(2, 8), xs())
             .ys;
       }},
      {"functions::n_step_gru", "n_layers",
       [=](int64_t n) {
         return F::n_step_gru(n, 0, state(1), weights(1, 6), biases(1, 6), xs())
             .ys;
       }},
      {"functions::n_step_bigru", "n_layers",
       [=](int64_t n) {
         return F::n_step_bigru(n, 0, state(2), weights(2, 6), biases(2, 6),
                                xs())
             .ys;
       }},
      {"functions::n_step_rnn", "n_layers",
       [=](int64_t n) {
         return F::n_step_rnn(n, 0, state(1), weights(1, 2), biases(1, 2), xs())
             .ys;
       }},
      {"functions::n_step_birnn", "n_layers",
       [=](int64_t n) {
         return F::n_step_birnn(n, 0, state(2), weights(2, 2), biases(2, 2),
                                xs())
             .ys;
       }},
  };
}

}  // namespace

ArgumentCases function_other_cases() {
  ArgumentCases cases = along_one_axis();
  for (const ArgumentCases& more : {along_axes(), counts(), recurrent()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

ArgumentCases variable_cases() {
  return {
      {"Variable::max", "axis", [](const Axes& axis) { return x().max(axis); }},
      {"Variable::mean", "axis",
       [](const Axes& axis) { return x().mean(axis); }},
      {"Variable::min", "axis", [](const Axes& axis) { return x().min(axis); }},
      {"Variable::sum", "axis", [](const Axes& axis) { return x().sum(axis); }},
      {"Variable::operator[]", "index", [](int64_t n) { return x()[n]; }},
      {"Variable::operator[]", "indexes",
       [](const Slice& slice) {
         return x()[{1, slice}];
       }},
      {"Variable::operator[]", "indices",
       [](const Array& indices) { return x()[indices]; }},
      {"Variable::reshape", "shape",
       [](const Shape& shape) { return x().reshape(shape); }},
      {"Variable::reshape", "shape",
       [](int64_t n) { return x().reshape(2, n); }},
      {"Variable::transpose", "axes",
       [](const Axes& axes) { return x().transpose(axes); }},
      {"Variable::transpose", "axes",
       [](int64_t n) { return x().transpose(n, 0); }},
  };
}

}  // namespace catena::testing

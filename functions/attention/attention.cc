#include "catena/functions/attention/attention.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/attention/internal/attention_args.h"
#include "catena/functions/attention/internal/head_order.h"
#include "catena/functions/attention/plain_attention.h"
#include "catena/functions/engines/rows/row_call.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/identity.h"

namespace catena::functions {
namespace {

// x as kernels take it: rows of consecutive elements, one after another.
Array with_rows(const Array& x) {
  const int64_t item = item_size(x.dtype());
  const bool has_rows = x.strides()[3] == item &&
                        x.strides()[2] >= x.shape()[3] * item &&
                        x.strides()[2] % item == 0;
  return has_rows ? x : x.contiguous();
}

AttentionArgs::Operand operand(const Array& x) {
  const int64_t item = item_size(x.dtype());
  return {static_cast<char*>(x.raw_data()), x.strides()[0] / item,
          x.strides()[1] / item, x.strides()[2] / item};
}

class Attention final : public FunctionNode {
 public:
  // The options are checked and have their defaults.
  explicit Attention(const AttentionOptions& options) : options_(options) {}

  std::string_view label() const override { return "attention"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::Attention>(
        {{"scale", *options_.scale},
         {"causal", options_.causal},
         {"window", options_.window.value_or(0)},
         {"mask", options_.mask},
         {"lengths", options_.lengths},
         {"alibi_slopes", options_.alibi_slopes},
         {"soft_cap", options_.soft_cap},
         {"dropout", options_.dropout}});
  }
  bool repeats() const override { return options_.dropout == 0; }

  void check_type_forward(TypeCheck& in) const override {
    const auto [q, k, v] = in.names<3>({"q", "k", "v"});
    in.expect_floating(q);
    in.expect(k.dtype() == q.dtype(), v.dtype() == q.dtype());
    for (const auto x : {q, k, v}) in.expect(x.ndim() == type_check::Term(4));
    in.expect(k.shape(0) == q.shape(0), k.shape(3) == q.shape(3));
    for (const int axis : {0, 1, 2}) in.expect(v.shape(axis) == k.shape(axis));
    const Shape& shape = q.array().shape();
    const int64_t kv_heads = k.array().shape()[1];
    if (kv_heads == 0 || shape[1] % kv_heads != 0) {
      in.fail("k.shape[1] divides q.shape[1]",
              str(kv_heads, " does not divide ", shape[1]));
    }
    check_options(in, {shape[0], shape[1], shape[2], k.array().shape()[2]});
  }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1, 2});
    const Array& q = in[0];
    prepare(q.dtype(), q.device());
    check_lengths(in[1].shape()[2]);
    const auto* table = kernel_slot<AttentionForward>.find(q.device());
    if (table == nullptr || !has_tiles(q, in[2])) {
      if (options_.dropout > 0) {
        factors_ = array::random::generator(q.device())
                       .bernoulli_mask(1 - options_.dropout,
                                       scores_shape(q.shape(), in[1].shape()),
                                       q.dtype(), 1 / (1 - options_.dropout))
                       .array();
      }
      const auto scope = no_backprop_mode();
      return {plain_attention(as_variable(q), as_variable(in[1]),
                              as_variable(in[2]), options_, factors_)
                  .data()};
    }
    if (options_.dropout > 0) {
      seed_ = array::random::generator(q.device())
                  .random_integers(0, int64_t{1} << 62);
    }
    if (is_differentiated(0) || is_differentiated(1) || is_differentiated(2)) {
      retain_output(0);
      log_sums_ = array::empty({q.shape()[0], q.shape()[1], q.shape()[2]},
                               computed_dtype(q.dtype()), q.device());
    }
    const Array y = empty_in_order_of(q, in[2].shape()[3]);
    const Arrays rows{with_rows(q), with_rows(in[1]), with_rows(in[2])};
    (*table)[q.dtype()](args_of(rows, y));
    return {y};
  }

  Variables backward(const Indexes& wanted, const Variables& gys) override {
    const bool is_recorded = config().enable_backprop;
    const Array& q = retained_input_array(0);
    const auto* table = kernel_slot<AttentionBackward>.find(q.device());
    if (is_recorded || table == nullptr || !log_sums_.defined()) {
      return composed_gradients(wanted, gys[0], is_recorded);
    }
    Arrays rows;
    for (const int i : {0, 1, 2}) {
      rows.push_back(with_rows(retained_input_array(i)));
    }
    AttentionArgs args = args_of(rows, retained_output_array(0));
    const Array gy = with_rows(gys[0].data());
    args.gy = operand(gy);
    AttentionArgs::Operand* const operands[] = {&args.gq, &args.gk, &args.gv};
    Variables results;
    for (const int i : wanted) {
      const Array& x = retained_input_array(i);
      const Array gx = empty_in_order_of(x, x.shape()[3]);
      *operands[i] = operand(gx);
      results.push_back(as_variable(gx));
    }
    (*table)[q.dtype()](args);
    return results;
  }

 private:
  static Shape scores_shape(const Shape& q, const Shape& k) {
    return {q[0], q[1], q[2], k[2]};
  }

  // Checks the arrays among the options, given the shape of scores.
  void check_options(const TypeCheck& in, const Shape& scores) const {
    const auto expect_shape = [&](std::string_view name, const Array& x,
                                  const Shape& shape) {
      if (x.defined() && x.shape() != shape) {
        in.fail(str(name, ".shape == ", shape), str(x.shape()));
      }
    };
    expect_shape("lengths", options_.lengths, {scores[0]});
    expect_shape("alibi_slopes", options_.alibi_slopes, {scores[1]});
    const Array& mask = options_.mask;
    if (!mask.defined()) return;
    bool broadcasts = mask.ndim() <= 4;
    for (int axis = 1; broadcasts && axis <= mask.ndim(); ++axis) {
      const int64_t extent = mask.shape()[mask.ndim() - axis];
      broadcasts = extent == 1 || extent == scores[4 - axis];
    }
    if (!broadcasts) {
      in.fail(str("mask.shape broadcasts to ", scores), str(mask.shape()));
    }
  }

  // Whether kernels take such arrays.
  static bool has_tiles(const Array& q, const Array& v) {
    return q.device().is_native() ||
           (std::max(q.shape()[3], v.shape()[3]) * item_size(q.dtype()) <=
                kMaxTileRowBytes &&
            std::max(q.shape()[2], v.shape()[2]) <= kMaxTileRows);
  }

  // Own copies of the arrays among the options, as kernels take them.
  void prepare(Dtype dtype, Device device) {
    if (options_.lengths.defined()) {
      options_.lengths =
          options_.lengths.to_device(Device()).astype(Dtype::kInt64);
      lengths_ = options_.lengths.to_device(device);
    }
    const Dtype computed = computed_dtype(dtype);
    for (Array* x : {&options_.alibi_slopes, &options_.mask}) {
      if (!x->defined()) continue;
      const bool is_bool = x->dtype() == Dtype::kBool;
      *x = x->to_device(device).astype(is_bool ? Dtype::kBool : computed);
    }
  }

  void check_lengths(int64_t keys) const {
    if (!options_.lengths.defined()) return;
    const int64_t* const lengths = options_.lengths.data<int64_t>();
    for (int64_t i = 0; i < options_.lengths.size(); ++i) {
      if (lengths[i] < 0 || lengths[i] > keys) {
        raise<ValueError>("attention: expected lengths from 0 to ", keys,
                          ", got ", lengths[i], " for item ", i);
      }
    }
  }

  AttentionArgs args_of(const Arrays& rows, const Array& y) const {
    const Array& q = rows[0];
    const Array& k = rows[1];
    AttentionArgs args{};
    args.batch = q.shape()[0];
    args.heads = q.shape()[1];
    args.queries = q.shape()[2];
    args.size = q.shape()[3];
    args.kv_heads = k.shape()[1];
    args.keys = k.shape()[2];
    args.value_size = y.shape()[3];
    args.scale = *options_.scale;
    args.soft_cap = options_.soft_cap;
    args.causal = options_.causal;
    args.window = options_.window.value_or(0);
    if (lengths_.defined()) args.lengths = lengths_.data<int64_t>();
    if (options_.alibi_slopes.defined()) {
      args.alibi_slopes = options_.alibi_slopes.raw_data();
    }
    if (const Array& mask = options_.mask; mask.defined()) {
      args.mask = static_cast<const char*>(mask.raw_data());
      args.mask_is_bool = mask.dtype() == Dtype::kBool;
      for (int axis = 1; axis <= mask.ndim(); ++axis) {
        const int from = mask.ndim() - axis;
        args.mask_strides[4 - axis] =
            mask.shape()[from] == 1
                ? 0
                : mask.strides()[from] / item_size(mask.dtype());
      }
    }
    args.dropout = options_.dropout;
    if (seed_.defined()) args.seed = seed_.data<int64_t>();
    args.device = q.device();
    args.q = operand(q);
    args.k = operand(k);
    args.v = operand(rows[2]);
    args.y = operand(y);
    args.log_sums = log_sums_.defined() ? log_sums_.raw_data() : nullptr;
    return args;
  }

  // What dropout has multiplied weights by; undefined without dropout.
  Array factors(const Arrays& in) const {
    if (factors_.defined() || options_.dropout == 0) return factors_;
    const Array& q = in[0];
    const Array result = array::empty(scores_shape(q.shape(), in[1].shape()),
                                      q.dtype(), q.device());
    kernel_slot<AttentionFactors>.on(q.device())[q.dtype()](
        args_of(in, retained_output_array(0)), result.raw_data());
    return result;
  }

  Variables composed_gradients(const Indexes& wanted, const Variable& gy,
                               bool is_recorded) const {
    const auto scope = force_backprop_mode();
    std::vector<Variable> xs;
    Arrays in;
    for (const int i : {0, 1, 2}) {
      in.push_back(retained_input_array(i));
      // A variable of its own, even if two inputs are the same.
      xs.push_back(is_recorded ? identity(retained_input(i))
                               : Variable(in.back()));
    }
    const Variable y =
        plain_attention(xs[0], xs[1], xs[2], options_, factors(in));
    std::vector<Variable> inputs;
    for (const int i : wanted) inputs.push_back(xs[i]);
    const std::vector<Variable> gradients =
        grad({y}, inputs,
             {.grad_outputs = {gy}, .enable_double_backprop = is_recorded});
    return {gradients.begin(), gradients.end()};
  }

  AttentionOptions options_;
  Array lengths_;   // those of the options, on the device
  Array seed_;      // of what kernels drop, which they compute from it
  Array factors_;   // drawn, where there is no such kernel
  Array log_sums_;  // kept for the backward kernel; undefined if none will run
};

void check_number(std::string_view name, double value, bool is_good,
                  std::string_view expected) {
  if (!is_good) {
    raise<ValueError>("attention: expected ", expected, " ", name, ", got ",
                      value);
  }
}

}  // namespace

Variable attention(const Variable& q, const Variable& k, const Variable& v,
                   const AttentionOptions& options) {
  AttentionOptions given = options;
  if (!given.scale) {
    const int64_t size = q.ndim() == 4 ? q.shape()[3] : 1;
    given.scale =
        1 / std::sqrt(static_cast<double>(std::max<int64_t>(size, 1)));
  }
  check_number("scale", *given.scale, std::isfinite(*given.scale), "a finite");
  check_number("soft_cap", given.soft_cap,
               given.soft_cap >= 0 && std::isfinite(given.soft_cap),
               "a finite soft cap of at least 0 as");
  check_number("dropout", given.dropout,
               given.dropout >= 0 && given.dropout < 1,
               "a number in [0, 1) as");
  if (given.window.value_or(1) < 1) {
    raise<ValueError>("attention: expected a positive window, got ",
                      *given.window);
  }
  const auto expect_dtype = [](std::string_view name, const Array& x,
                               bool is_good, std::string_view expected) {
    if (x.defined() && !is_good) {
      raise<DtypeError>("attention: expected ", name, " to be ", expected,
                        ", got ", x.dtype());
    }
  };
  const auto dtype_of = [](const Array& x) {
    return x.defined() ? x.dtype() : Dtype::kBool;
  };
  const Dtype mask = dtype_of(given.mask);
  expect_dtype("mask", given.mask, mask == Dtype::kBool || is_floating(mask),
               "bool or floating");
  expect_dtype("lengths", given.lengths, is_integral(dtype_of(given.lengths)),
               "integers");
  expect_dtype("alibi_slopes", given.alibi_slopes,
               is_floating(dtype_of(given.alibi_slopes)), "floating");
  if (!config().train) given.dropout = 0;
  return apply<Attention>({q, k, v}, given);
}

}  // namespace catena::functions

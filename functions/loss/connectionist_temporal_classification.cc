#include "catena/functions/loss/connectionist_temporal_classification.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/cast.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/stack.h"
#include "catena/functions/engines/blocks/block_call.h"
#include "catena/functions/engines/rows/row_call.h"
#include "catena/functions/kinds.h"
#include "catena/functions/loss/internal/ctc_ops.h"
#include "catena/functions/loss/internal/ctc_recorded_gradient.h"
#include "catena/functions/loss/internal/labels.h"
#include "catena/functions/loss/internal/reduce_option.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

constexpr std::string_view kName = "connectionist_temporal_classification";

// The lengths on the host, all `max` if undefined. Throws ValueError naming one
// that is out of range.
std::vector<int32_t> lengths_of(const Array& given, int64_t batch, int64_t min,
                                int64_t max, std::string_view option) {
  if (!given.defined()) {
    return std::vector<int32_t>(batch, static_cast<int32_t>(max));
  }
  if (!is_integral(given.dtype()) || given.shape() != Shape{batch}) {
    raise<ValueError>(kName, ": expected ", option,
                      " to be integers of shape (", batch, ",), got ",
                      given.dtype(), " ", given.shape());
  }
  std::vector<int32_t> lengths;
  for (const int64_t length : given.to_vector<int64_t>()) {
    if (length < min || length > max) {
      raise<ValueError>(kName, ": expected ", option, " from ", min, " to ",
                        max, ", got ", length);
    }
    lengths.push_back(static_cast<int32_t>(length));
  }
  return lengths;
}

CtcPaths make_paths(const Array& t, int64_t steps, const Array& x,
                    int64_t blank_symbol, const CtcOptions& options) {
  const int64_t batch = x.shape()[0];
  const int64_t symbols = x.shape()[1];
  if (t.ndim() != 2 || !is_integral(t.dtype()) || t.shape()[0] != batch) {
    raise<InvalidType>(kName, ": expected integer labels t of shape (", batch,
                       ", L), got ", t.dtype(), " ", t.shape());
  }
  if (blank_symbol < 0 || blank_symbol >= symbols) {
    raise<ValueError>(kName, ": expected blank_symbol from 0 to ", symbols - 1,
                      ", got ", blank_symbol);
  }
  const int64_t max = t.shape()[1];
  const std::vector<int32_t> step_counts =
      lengths_of(options.input_length, batch, 1, steps, "input_length");
  std::vector<int32_t> lengths =
      lengths_of(options.label_length, batch, 0, max, "label_length");
  const std::vector<int64_t> labels = t.to_vector<int64_t>();

  const int64_t length = 2 * max + 1;
  const int64_t padded = length + CtcArgs::kPadding;
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  std::vector<int32_t> path(batch * length, static_cast<int32_t>(blank_symbol));
  std::vector<double> skips(batch * padded, kNever);
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t i = 0; i < lengths[b]; ++i) {
      const int64_t label = labels[b * max + i];
      if (label < 0 || label >= symbols) {
        raise_bad_label(kName, label, symbols, std::nullopt);
      }
      if (label == blank_symbol) {
        raise<ValueError>(
            kName, ": expected labels t other than blank_symbol ", blank_symbol,
            ", got it in t[", b, "][", i,
            "]; the blank stands between labels, and label_length "
            "says where they end");
      }
      path[b * length + 2 * i + 1] = static_cast<int32_t>(label);
      // Skips the blank between two labels, unless the labels are equal.
      if (i > 0 && label != labels[b * max + i - 1]) {
        skips[b * padded + 2 * i + 1] = 0;
      }
    }
    lengths[b] = 2 * lengths[b] + 1;
  }
  return {length, array::array(step_counts, std::nullopt, x.device()),
          array::array(lengths, std::nullopt, x.device()),
          array::array(path, Shape{batch, length}, x.device()),
          array::array(skips, Shape{batch, padded}, native_device())
              .astype(computed_dtype(x.dtype()))
              .to_device(x.device())};
}

// Results of the loss that its gradient needs.
struct Trace {
  CtcPaths paths;
  Array x;         // (T, B, V)
  Array log_sums;  // (T, B)
  Array losses;    // (B,)
  Array places;    // (B, T, P + 2)
  double scale;    // factor of gy
  bool is_mean;

  CtcArgs args() const {
    const Shape& shape = x.shape();
    return {shape[0],
            shape[1],
            shape[2],
            paths.length,
            paths.step_counts.data<int32_t>(),
            paths.path_lengths.data<int32_t>(),
            paths.symbols.data<int32_t>(),
            x.raw_data(),
            log_sums.raw_data(),
            losses.raw_data()};
  }
};

void run_forward(const Trace& trace, bool wants_gradient) {
  const CtcArgs args = trace.args();
  const Array& x = trace.x;
  const Dtype dtype = trace.losses.dtype();
  const Array log_probs =
      array::empty({args.batch, args.steps, args.length}, dtype, x.device());
  run_blocks(CtcEmissionsOp{args, log_probs.raw_data()}, x.dtype(), x.device(),
             args.steps * args.batch, 4 * args.symbols + args.length);
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const Array scratch = wants_gradient
                            ? array::full({args.batch, 2, args.padded()},
                                          kNever, dtype, x.device())
                            : Array();
  run_blocks(CtcPathsOp{args, log_probs.raw_data(),
                        trace.paths.skips.raw_data(), trace.places.raw_data(),
                        scratch.defined() ? scratch.raw_data() : nullptr},
             x.dtype(), x.device(), args.batch, 16 * args.steps * args.length);
}

Array gradient_of(const Trace& trace, const Array& gy) {
  const CtcArgs args = trace.args();
  const Array& x = trace.x;
  Array gx = array::empty_like(x);
  const Array upstream = gy.contiguous();
  run_blocks(CtcGradientOp{args, trace.places.raw_data(), upstream.raw_data(),
                           trace.is_mean ? 0 : 1, trace.scale, gx.raw_data()},
             x.dtype(), x.device(), args.steps * args.batch,
             4 * args.symbols + args.length);
  return gx;
}

class Ctc final : public FunctionNode {
 public:
  Ctc(const CtcPaths& paths, bool is_mean) {
    trace_.paths = paths;
    trace_.is_mean = is_mean;
  }

  std::string_view label() const override { return kName; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::ConnectionistTemporalClassification>(
        {{"reduce", trace_.is_mean ? "mean" : "no"}});
  }

  Arrays forward(const Arrays& in) override {
    retain_input(0);
    const Array& x = in[0];
    const int64_t steps = x.shape()[0];
    const int64_t batch = x.shape()[1];
    const Dtype computed = computed_dtype(x.dtype());
    trace_.x = x.contiguous();
    trace_.log_sums = array::empty({steps, batch}, computed, x.device());
    trace_.losses = array::empty({batch}, computed, x.device());
    trace_.places = array::full(
        {batch, steps, trace_.paths.length + CtcArgs::kPadding},
        -std::numeric_limits<double>::infinity(), computed, x.device());
    trace_.scale = trace_.is_mean ? 1.0 / std::max<double>(batch, 1) : 1;
    run_forward(trace_, config().enable_backprop);
    if (!trace_.is_mean) return {trace_.losses.astype(x.dtype())};
    const Array mean = array::sum(trace_.losses) * trace_.scale;
    return {mean.astype(x.dtype(), Array::CopyPolicy::kIfNeeded)};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    if (config().enable_backprop) {
      const Array& losses = trace_.losses;
      const Variable c = cast(gy[0], losses.dtype()) * trace_.scale;
      return {recorded_ctc_gradient(
          retained_input(0), trace_.is_mean ? c : reshape(c, {-1, 1}),
          trace_.paths,
          array::not_equal(losses, std::numeric_limits<double>::infinity()))};
    }
    return {as_variable(gradient_of(trace_, gy[0].data()))};
  }

 private:
  Trace trace_;
};

void check_types(std::span<const Variable> x) {
  if (x.empty()) {
    raise<InvalidType>(kName, ": expected scores x of at least one step");
  }
  if (!config().type_check) return;
  const auto inputs = refs_of(x);
  TypeCheck in(kName, inputs);
  const type_check::Input first = in[0];
  in.expect_floating(first);
  in.expect(first.ndim() == type_check::Term(2));
  for (int i = 1; i < static_cast<int>(x.size()); ++i) {
    in.expect(in[i].dtype() == first.dtype(), in[i].shape() == first.shape());
  }
}

}  // namespace

Variable connectionist_temporal_classification(std::span<const Variable> x,
                                               const Variable& t,
                                               int64_t blank_symbol,
                                               const CtcOptions& options) {
  return connectionist_temporal_classification(x, t.data(), blank_symbol,
                                               options);
}

Variable connectionist_temporal_classification(std::span<const Variable> x,
                                               const Array& t,
                                               int64_t blank_symbol,
                                               const CtcOptions& options) {
  const bool mean = is_mean(options.reduce, kName);
  check_types(x);
  const CtcPaths paths = make_paths(t, static_cast<int64_t>(x.size()),
                                    x[0].data(), blank_symbol, options);
  return apply<Ctc>({stack(x)}, paths, mean);
}

}  // namespace catena::functions

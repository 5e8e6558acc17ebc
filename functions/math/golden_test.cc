#include <span>
#include <string>

#include "catena/array/core/error.h"
#include "catena/functions/math/absolute.h"
#include "catena/functions/math/add.h"
#include "catena/functions/math/argmax.h"
#include "catena/functions/math/argmin.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/batch_det.h"
#include "catena/functions/math/batch_inv.h"
#include "catena/functions/math/batch_l2_norm_squared.h"
#include "catena/functions/math/batch_matmul.h"
#include "catena/functions/math/bias.h"
#include "catena/functions/math/cholesky.h"
#include "catena/functions/math/clip.h"
#include "catena/functions/math/cumprod.h"
#include "catena/functions/math/cumsum.h"
#include "catena/functions/math/det.h"
#include "catena/functions/math/einsum.h"
#include "catena/functions/math/error_functions.h"
#include "catena/functions/math/exp.h"
#include "catena/functions/math/expm1.h"
#include "catena/functions/math/fft.h"
#include "catena/functions/math/fmod.h"
#include "catena/functions/math/gamma_functions.h"
#include "catena/functions/math/hyperbolic.h"
#include "catena/functions/math/identity.h"
#include "catena/functions/math/inv.h"
#include "catena/functions/math/linear_interpolate.h"
#include "catena/functions/math/log.h"
#include "catena/functions/math/log1p.h"
#include "catena/functions/math/logsumexp.h"
#include "catena/functions/math/matmul.h"
#include "catena/functions/math/max.h"
#include "catena/functions/math/maximum.h"
#include "catena/functions/math/min.h"
#include "catena/functions/math/minimum.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/prod.h"
#include "catena/functions/math/rounding.h"
#include "catena/functions/math/scale.h"
#include "catena/functions/math/sparse_matmul.h"
#include "catena/functions/math/sqrt.h"
#include "catena/functions/math/square.h"
#include "catena/functions/math/sum.h"
#include "catena/functions/math/sum_to.h"
#include "catena/functions/math/tensordot.h"
#include "catena/functions/math/trigonometric.h"
#include "catena/tests/numbers/function_numbers.h"
#include "catena/tests/support/function_golden.h"

namespace catena::functions {
namespace {

using testing::GoldenCall;

AxisSet axis_of(const GoldenCall& c) {
  const auto axis = c.optional_attr<Shape>("axis");
  return axis ? AxisSet(*axis) : AxisSet();
}

template <class Options>
Options reduction(const GoldenCall& c) {
  return {.axis = axis_of(c), .keepdims = c.attr_or("keepdims", false)};
}

MatmulOptions matmul_options(const GoldenCall& c) {
  return {.transa = c.attr_or("transa", false),
          .transb = c.attr_or("transb", false)};
}

// The operator that a case names, of two variables, or of one and a number.
Variable operator_of(const GoldenCall& call) {
  const auto op = call.attr<std::string>("op");
  const auto c = call.attr_or("scalar", 0.0);
  const bool two = call.inputs().size() == 2;
  const Variable x = call[0];
  const Variable y = call[1];
  if (op == "add") return two ? x + y : x + c;
  if (op == "sub") return two ? x - y : x - c;
  if (op == "mul") return two ? x * y : x * c;
  if (op == "div") return two ? x / y : x / c;
  if (op == "pow") return two ? pow(x, y) : pow(x, c);
  if (op == "floordiv") return two ? floordiv(x, y) : floordiv(x, c);
  if (op == "radd") return c + x;
  if (op == "rsub") return c - x;
  if (op == "rmul") return c * x;
  if (op == "rdiv") return c / x;
  if (op == "rpow") return pow(c, x);
  if (op == "rfloordiv") return floordiv(c, x);
  if (op == "neg") return -x;
  if (op == "abs") return abs(x);
  if (op == "matmul") return matmul(x, y);
  raise<ValueError>("unknown operator ", op);
}

Variable sparse_product(const GoldenCall& c) {
  const CooMatrix sparse{c[0], c.attr<Array>("row"), c.attr<Array>("col"),
                         c.attr<Shape>("shape")};
  const MatmulOptions options = matmul_options(c);
  const bool is_first = c.attr<std::string>("sparse") == "a";
  return is_first ? sparse_matmul(sparse, c[1], options)
                  : sparse_matmul(c[1], sparse, options);
}

Variable tensor_product(const GoldenCall& c) {
  const Array axes = c.golden().attr<Array>("axes");
  if (axes.ndim() == 0) return tensordot(c[0], c[1], axes.item<int64_t>());
  return tensordot(c[0], c[1], axes[0].to_vector<int64_t>(),
                   axes[1].to_vector<int64_t>());
}

const testing::GoldenFunction kFunctions[] = {
    {"absolute", absolute},
    {"add", [](const GoldenCall& c) { return add(c.inputs()); }},
    {"arccos", arccos},
    {"arcsin", arcsin},
    {"arctan", arctan},
    {"arctan2", arctan2},
    {"arctanh", arctanh},
    {"argmax",
     [](const GoldenCall& c) {
       return argmax(c[0], c.optional_attr<int64_t>("axis"));
     }},
    {"argmin",
     [](const GoldenCall& c) {
       return argmin(c[0], c.optional_attr<int64_t>("axis"));
     }},
    {"average",
     [](const GoldenCall& c) {
       auto options = reduction<AverageOptions>(c);
       options.weights = c[1];
       return average(c[0], options);
     }},
    {"batch_det", batch_det},
    {"batch_inv", batch_inv},
    {"batch_l2_norm_squared", batch_l2_norm_squared},
    {"batch_matmul",
     [](const GoldenCall& c) {
       return batch_matmul(c[0], c[1], matmul_options(c));
     }},
    {"bias",
     [](const GoldenCall& c) {
       return bias(c[0], c[1], {.axis = c.attr_or("axis", 1)});
     }},
    {"ceil", ceil},
    {"cholesky", cholesky},
    {"clip",
     [](const GoldenCall& c) {
       return clip(c[0], c.attr<double>("x_min"), c.attr<double>("x_max"));
     }},
    {"cos", cos},
    {"cosh", cosh},
    {"cumprod",
     [](const GoldenCall& c) {
       return cumprod(c[0], c.optional_attr<int64_t>("axis"));
     }},
    {"cumsum",
     [](const GoldenCall& c) {
       return cumsum(c[0], c.optional_attr<int64_t>("axis"));
     }},
    {"det", det},
    {"digamma", digamma},
    {"einsum",
     [](const GoldenCall& c) {
       return einsum(c.attr<std::string>("subscripts"), c.inputs());
     }},
    {"erf", erf},
    {"erfc", erfc},
    {"erfcinv", erfcinv},
    {"erfcx", erfcx},
    {"erfinv", erfinv},
    {"exp", exp},
    {"expm1", expm1},
    {"fft", fft},
    {"fix", fix},
    {"floor", floor},
    {"fmod", fmod},
    {"identity",
     [](const GoldenCall& c) { return identity(std::span(c.inputs())); }},
    {"ifft", ifft},
    {"inv", inv},
    {"lgamma", lgamma},
    {"linear_interpolate",
     [](const GoldenCall& c) { return linear_interpolate(c[0], c[1], c[2]); }},
    {"log", log},
    {"log10", log10},
    {"log1p", log1p},
    {"log2", log2},
    {"log_ndtr", log_ndtr},
    {"logsumexp",
     [](const GoldenCall& c) { return logsumexp(c[0], axis_of(c)); }},
    {"matmul",
     [](const GoldenCall& c) { return matmul(c[0], c[1], matmul_options(c)); }},
    {"max",
     [](const GoldenCall& c) { return max(c[0], reduction<MaxOptions>(c)); }},
    {"maximum", maximum},
    {"mean",
     [](const GoldenCall& c) {
       return mean(c[0], reduction<AverageOptions>(c));
     }},
    {"min",
     [](const GoldenCall& c) { return min(c[0], reduction<MinOptions>(c)); }},
    {"minimum", minimum},
    {"ndtr", ndtr},
    {"ndtri", ndtri},
    {"operators", operator_of},
    {"polygamma", polygamma},
    {"prod",
     [](const GoldenCall& c) { return prod(c[0], reduction<ProdOptions>(c)); }},
    {"rsqrt", rsqrt},
    {"scale",
     [](const GoldenCall& c) {
       return scale(c[0], c[1], {.axis = c.attr_or("axis", 1)});
     }},
    {"sign", sign},
    {"sin", sin},
    {"sinh", sinh},
    {"sparse_matmul", sparse_product},
    {"sqrt", sqrt},
    {"square", square},
    {"sum",
     [](const GoldenCall& c) { return sum(c[0], reduction<SumOptions>(c)); }},
    {"sum_to",
     [](const GoldenCall& c) { return sum_to(c[0], c.attr<Shape>("shape")); }},
    {"tan", tan},
    {"tensordot", tensor_product},
    {"zeta", zeta},
};

class MathGolden : public testing::FunctionGoldenTest {};
TEST_P(MathGolden, AgreesWithChainer) { check_case(); }
INSTANTIATE_TEST_SUITE_P(Cases, MathGolden,
                         testing::every_golden_function("functions/math",
                                                        kFunctions),
                         testing::golden_function_name);

TEST(MathGoldenTable, HasARowForEachFile) {
  testing::check_golden_table("functions/math", kFunctions);
}

TEST(MathGoldenTable, GivesUsualResultsForUnusualNumbers) {
  testing::expect_usual_results("functions/math", kFunctions);
}

}  // namespace
}  // namespace catena::functions

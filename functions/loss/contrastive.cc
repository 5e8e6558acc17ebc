#include "catena/functions/loss/contrastive.h"

#include "catena/array/core/error.h"
#include "catena/autograd/config.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/loss/internal/labels.h"
#include "catena/functions/loss/internal/loss_ops.h"
#include "catena/functions/loss/internal/reduce_option.h"
#include "catena/functions/loss/internal/row_distance.h"
#include "catena/functions/loss/internal/same_shape.h"
#include "catena/functions/math/average.h"

namespace catena::functions {
namespace {

constexpr std::string_view kName = "contrastive";

void check_types(const Variable& x0, const Variable& x1, const Variable& y) {
  constexpr std::string_view kNames[] = {"x0", "x1"};
  check_same_shape(kName, {x0, x1}, kNames, /*ndim=*/2);
  if (!config().type_check) return;
  const VariableRef inputs[] = {x0, x1, y};
  TypeCheck in(kName, inputs);
  const auto [a, b, label] = in.names<3>({"x0", "x1", "y"});
  in.expect_integral(label);
  in.expect(label.ndim() == type_check::Term(1));
  in.expect(label.shape(0) == a.shape(0));
}

}  // namespace

Variable contrastive(const Variable& x0, const Variable& x1, const Variable& y,
                     const ContrastiveOptions& options) {
  const bool mean = is_mean(options.reduce, kName);
  if (!(options.margin > 0)) {
    raise<ValueError>(kName, ": expected a positive margin, got ",
                      options.margin);
  }
  check_types(x0, x1, y);
  CheckedLabels(y.data(), /*classes=*/2, std::nullopt, kName);
  const Variable losses =
      elementwise<Contrastive>({options.margin}, squared_row_distance(x0, x1),
                               as_variable(y.data().astype(x0.dtype())));
  return mean ? average(losses) : losses;
}

Variable contrastive(const Variable& x0, const Variable& x1, const Array& y,
                     const ContrastiveOptions& options) {
  return contrastive(x0, x1, as_variable(y), options);
}

}  // namespace catena::functions

#include "catena/functions/connection/embed_id.h"

#include <array>

#include "catena/array/error.h"
#include "catena/array/reduce.h"
#include "catena/array/ufunc.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/array/where.h"

namespace catena::functions {
namespace {

void check_types(const Variable& x, const Variable& W) {
  const std::array<VariableRef, 2> inputs{x, W};
  TypeCheck in("embed_id", inputs);
  const auto [label, weight] = in.names<2>({"x", "W"});
  in.expect_integral(label);
  in.expect_floating(weight);
  in.expect(weight.ndim() == type_check::Term(2));
}

void check_labels(const Array& x, int64_t rows,
                  std::optional<int64_t> ignored) {
  Array bad =
      array::logical_or(array::less(x, 0), array::greater_equal(x, rows));
  if (ignored) {
    bad = array::logical_and(bad, array::not_equal(x, *ignored));
  }
  if (!array::any(bad).item<bool>()) return;
  const int64_t first = array::argmax(bad).item<int64_t>();
  const int64_t label = x.ravel()[first].item<int64_t>();
  if (ignored) {
    raise<ValueError>("embed_id: expected labels from 0 to ", rows - 1, " or ",
                      *ignored, ", which is ignored, got ", label);
  }
  raise<ValueError>("embed_id: expected labels from 0 to ", rows - 1, ", got ",
                    label);
}

}  // namespace

Variable embed_id(const Variable& x, const Variable& W,
                  const EmbedIdOptions& options) {
  check_types(x, W);
  const Array& labels = x.data();
  check_labels(labels, W.shape()[0], options.ignore_label);
  if (!options.ignore_label) return get_item(W, labels, 0);
  const Array counts = array::not_equal(labels, *options.ignore_label);
  const Variable y = get_item(W, array::where(counts, labels, 0), 0);
  return where(counts.expand_dims(-1), y, 0);
}

Variable embed_id(const Array& x, const Variable& W,
                  const EmbedIdOptions& options) {
  return embed_id(as_variable(x), W, options);
}

}  // namespace catena::functions

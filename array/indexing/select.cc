#include "catena/array/indexing/select.h"

#include "catena/array/aliasing.h"
#include "catena/array/core/deferred_errors.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/elementwise.h"
#include "catena/array/indexing/index_check.h"
#include "catena/array/indexing/nonzero.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array {
namespace {

// The common dtype and shape of the arrays.
struct Common {
  explicit Common(const Array& a) : dtype(a.dtype()), shape(a.shape()) {}
  void add(const Array& a, std::string_view operation) {
    dtype = promote(dtype, a.dtype());
    add_shape(a, operation);
  }
  void add_shape(const Array& a, std::string_view operation) {
    shape = broadcast_shapes(shape, a.shape(), operation);
  }
  Dtype dtype;
  Shape shape;
};

std::string describe_bad_choice(std::string_view operation,
                                const int64_t* numbers) {
  return str(operation, ": index ", numbers[0], " is out of range for ",
             numbers[1], " choices");
}
constexpr DeferredError kBadChoice = {describe_bad_choice,
                                      throw_error<IndexError>};

}  // namespace

Array compress(const Array& condition, const Array& a,
               const OptionalAxisOption& options) {
  const Array* const both[] = {&condition, &a};
  common_device(both, "compress");
  if (condition.ndim() != 1) {
    raise<ShapeError>("compress: expected a condition with one axis, got ",
                      condition.shape());
  }
  const Array source = options.axis ? a : a.ravel();
  const int position =
      normalize_axis(options.axis.value_or(Axis(0)), source.ndim(), "compress");
  const int64_t extent = source.shape()[position];
  const Array found = flatnonzero(condition);
  if (found.size() > 0 && condition.size() > extent) {
    if (const auto bad = find_bad_index(found, {.extent = extent})) {
      raise<IndexError>("compress: index ", *bad, " is out of range for axis ",
                        position, " with extent ", extent);
    }
  }
  return take(source, found, position);
}

Array extract(const Array& condition, const Array& a) {
  return compress(condition.ravel(), a);
}

void place(const Array& a, const Array& mask, const Operand& values) {
  check_writable(a, "place");
  const Array* const both[] = {&a, &mask};
  common_device(both, "place");
  if (mask.size() != a.size()) {
    raise<ShapeError>("place: expected a mask with ", a.size(),
                      " elements like the array of shape ", a.shape(),
                      ", got shape ", mask.shape());
  }
  const Array given = asarray(values, std::nullopt, a.device()).ravel();
  const Array found = flatnonzero(mask);
  if (found.size() == 0) return;
  if (given.size() == 0) {
    raise<ValueError>("place: expected values for ", found.size(),
                      " elements, got none");
  }
  const Array order = arange(found.size(), Dtype::kInt64, a.device());
  put(a, found, take(given, order, {.axis = 0, .mode = IndexMode::kWrap}));
}

Array choose(const Array& index, std::span<const Array> choices,
             const IndexModeOptions& options) {
  if (choices.empty()) {
    raise<ValueError>("choose: expected at least one choice, got none");
  }
  const int64_t count = static_cast<int64_t>(choices.size());
  std::vector<const Array*> all = {&index};
  Common common(choices[0]);
  common.add_shape(index, "choose");
  for (const Array& choice : choices) {
    all.push_back(&choice);
    common.add(choice, "choose");
  }
  common_device(all, "choose");
  Array which = index.dtype() == Dtype::kBool ? index.astype(Dtype::kInt64)
                                              : index_array(index, "choose");
  if (options.mode == IndexMode::kWrap) {
    which = remainder(which, count);
  } else if (options.mode == IndexMode::kClip) {
    which = minimum(maximum(which, 0), count - 1);
  } else if (options.mode == IndexMode::kSkip) {
    raise<ValueError>("choose: expected a mode other than kSkip");
  } else {
    check_index(which, 0, {.extent = count, .negative = false}, "choose",
                kBadChoice);
  }
  Array result = choices[0].astype(common.dtype, Array::CopyPolicy::kIfNeeded);
  for (int64_t i = 1; i < count; ++i) {
    result = where(equal(which, i), choices[i], result);
  }
  if (result.shape() == common.shape && count > 1) return result;
  return result.broadcast_to(common.shape).copy();
}

Array select(std::span<const Array> conditions, std::span<const Array> choices,
             const Operand& otherwise) {
  if (conditions.empty() || conditions.size() != choices.size()) {
    raise<ValueError>(
        "select: expected as many choices as conditions and at least one, got ",
        static_cast<int64_t>(conditions.size()), " conditions and ",
        static_cast<int64_t>(choices.size()), " choices");
  }
  Common common(choices[0]);
  std::vector<const Array*> all;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (conditions[i].dtype() != Dtype::kBool) {
      raise<DtypeError>("select: expected conditions of dtype bool, got ",
                        conditions[i].dtype(), " for condition ",
                        static_cast<int64_t>(i));
    }
    all.push_back(&conditions[i]);
    all.push_back(&choices[i]);
    common.add_shape(conditions[i], "select");
    common.add(choices[i], "select");
  }
  const Device device = common_device(all, "select");
  if (otherwise.is_array()) {
    common.add(otherwise.array(), "select");
  } else {
    common.dtype = otherwise.scalar().promoted_with(common.dtype);
  }
  Array result = asarray(otherwise, common.dtype, device);
  for (size_t i = choices.size(); i-- > 0;) {
    result = where(conditions[i], choices[i], result);
  }
  if (result.shape() == common.shape) return result;
  return result.broadcast_to(common.shape).copy();
}

}  // namespace catena::array

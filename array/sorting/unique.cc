#include "catena/array/sorting/unique.h"

#include "catena/array/concatenate.h"
#include "catena/array/creation.h"
#include "catena/array/elementwise.h"
#include "catena/array/index.h"
#include "catena/array/indexing/nonzero.h"
#include "catena/array/sorting/search.h"
#include "catena/array/sorting/sort.h"
#include "catena/array/take.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array {
namespace {

// Flags the start of each run of equal values in a sorted array.
Array run_starts(const Array& sorted) {
  if (sorted.size() == 0) return empty({0}, Dtype::kInt64, sorted.device());
  const Array before = sorted[{Slice(0, -1)}];
  const Array behind = sorted[{Slice(1, {})}];
  Array differs = not_equal(before, behind);
  if (is_floating(sorted.dtype())) {
    differs = logical_and(differs, logical_not(isnan(before)));
  }
  const Array begins = ones(sorted.shape(), Dtype::kBool, sorted.device());
  begins[{Slice(1, {})}].assign(differs);
  return flatnonzero(begins);
}

// The elements of a set that are (or are not) in another.
Array filter(const Array& values, const Array& test,
             const IsinOptions& options) {
  return take(values, flatnonzero(isin(values, test, options)), 0);
}

void check_devices(const Array& a, const Array& b, std::string_view operation) {
  const Array* const both[] = {&a, &b};
  common_device(both, operation);
}

}  // namespace

Array unique(const Array& a) {
  const Array sorted = sort(a, std::nullopt);
  return take(sorted, run_starts(sorted), 0);
}

UniqueParts unique_parts(const Array& a) {
  const Array flat = a.ravel();
  const Array order = argsort(flat);
  const Array starts = run_starts(take(flat, order, 0));
  UniqueParts parts;
  parts.index = take(order, starts, 0);
  parts.values = take(flat, parts.index, 0);
  parts.inverse = searchsorted(parts.values, flat);
  const Array ends =
      concatenate({starts, full({1}, flat.size(), Dtype::kInt64, a.device())});
  parts.counts = subtract(ends[{Slice(1, {})}], ends[{Slice(0, -1)}]);
  return parts;
}

Array isin(const Array& a, const Array& test, const IsinOptions& options) {
  check_devices(a, test, "isin");
  if (test.size() == 0) {
    return full(a.shape(), options.invert, Dtype::kBool, a.device());
  }
  const Array sorted = sort(test, std::nullopt);
  const Array places = minimum(searchsorted(sorted, a), sorted.size() - 1);
  const Array nearest = take(sorted, places, 0);
  return options.invert ? not_equal(nearest, a) : equal(nearest, a);
}

Array in1d(const Array& a, const Array& test, const IsinOptions& options) {
  return isin(a.ravel(), test, options);
}

Array union1d(const Array& a, const Array& b) {
  return unique(concatenate({a, b}, std::nullopt));
}

Array intersect1d(const Array& a, const Array& b) {
  check_devices(a, b, "intersect1d");
  const Dtype dtype = promote(a.dtype(), b.dtype());
  return filter(unique(a.astype(dtype)), b, {});
}

Array setdiff1d(const Array& a, const Array& b) {
  check_devices(a, b, "setdiff1d");
  return filter(unique(a), b, {.invert = true});
}

Array setxor1d(const Array& a, const Array& b) {
  return union1d(setdiff1d(a, b), setdiff1d(b, a));
}

}  // namespace catena::array

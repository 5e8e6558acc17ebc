#include "catena/array/manipulation/axes.h"

#include "catena/array/core/error.h"

namespace catena::array {
namespace {

// The identity permutation.
Axes axes_in_order(int count) {
  Axes axes;
  for (int i = 0; i < count; ++i) axes.push_back(i);
  return axes;
}

// transpose() takes an empty list as reversing all axes.
Array permute(const Array& a, const Axes& axes) {
  return axes.empty() ? a : a.transpose(axes);
}

template <class F>
std::vector<Array> each(std::initializer_list<Array> arrays, F f) {
  std::vector<Array> results;
  for (const Array& a : arrays) results.push_back(f(a));
  return results;
}

}  // namespace

Array rollaxis(const Array& a, int64_t axis, int64_t start) {
  const int from = normalize_axis(axis, a.ndim(), "rollaxis");
  int to = start == a.ndim() ? a.ndim()
                             : normalize_axis(start, a.ndim(), "rollaxis");
  if (from < to) --to;
  Axes axes = axes_in_order(a.ndim());
  axes.erase(from);
  axes.insert(to, from);
  return permute(a, axes);
}

Array moveaxis(const Array& a, const Axes& source, const Axes& destination) {
  if (source.size() != destination.size()) {
    raise<ValueError>("moveaxis: expected as many axes as destinations, got ",
                      source, " and ", destination);
  }
  if (source.empty()) return a;
  normalize_axes(source, a.ndim(), "moveaxis");
  normalize_axes(destination, a.ndim(), "moveaxis");
  Axes axes = Axes::filled(a.ndim(), -1);
  Axes moved;
  for (int i = 0; i < source.size(); ++i) {
    moved.push_back(normalize_axis(source[i], a.ndim(), "moveaxis"));
    axes[normalize_axis(destination[i], a.ndim(), "moveaxis")] = moved.back();
  }
  int next = 0;
  for (int64_t& axis : axes) {
    if (axis >= 0) continue;
    while (moved.contains(next)) ++next;
    axis = next++;
  }
  return a.transpose(axes);
}

Array swapaxes(const Array& a, int64_t axis1, int64_t axis2) {
  Axes axes = axes_in_order(a.ndim());
  std::swap(axes[normalize_axis(axis1, a.ndim(), "swapaxes")],
            axes[normalize_axis(axis2, a.ndim(), "swapaxes")]);
  return permute(a, axes);
}

Array atleast_1d(const Array& a) {
  return a.ndim() == 0 ? a.expand_dims(0) : a;
}

Array atleast_2d(const Array& a) {
  return a.ndim() < 2 ? atleast_1d(a).expand_dims(0) : a;
}

Array atleast_3d(const Array& a) {
  return a.ndim() < 3 ? atleast_2d(a).expand_dims(2) : a;
}

std::vector<Array> atleast_1d(std::initializer_list<Array> arrays) {
  return each(arrays, [](const Array& a) { return atleast_1d(a); });
}
std::vector<Array> atleast_2d(std::initializer_list<Array> arrays) {
  return each(arrays, [](const Array& a) { return atleast_2d(a); });
}
std::vector<Array> atleast_3d(std::initializer_list<Array> arrays) {
  return each(arrays, [](const Array& a) { return atleast_3d(a); });
}

Array asfortranarray(const Array& a, std::optional<Dtype> dtype) {
  const Array reversed = a.T();
  if (dtype && *dtype != a.dtype()) return reversed.astype(*dtype).T();
  return reversed.is_contiguous() ? a : reversed.copy().T();
}

}  // namespace catena::array

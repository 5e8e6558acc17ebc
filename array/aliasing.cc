#include "catena/array/aliasing.h"

#include "catena/array/core/error.h"

namespace catena::array {
namespace {

struct Range {
  const char* begin;
  const char* end;
};

Range bytes_of(const Array& a) {
  Range range{a.raw_data(), a.raw_data()};
  if (a.size() == 0) return range;
  for (int i = 0; i < a.ndim(); ++i) {
    const int64_t reach = (a.shape()[i] - 1) * a.strides()[i];
    (reach < 0 ? range.begin : range.end) += reach;
  }
  range.end += a.itemsize();
  return range;
}

}  // namespace

bool overlaps(const Array& from, const Array& to) {
  const bool same_walk =
      from.raw_data() == to.raw_data() && from.dtype() == to.dtype() &&
      from.shape() == to.shape() && from.strides() == to.strides();
  return !same_walk && may_share_memory(from, to);
}

bool begin_together(const Array& a, const Array& b) {
  return a.defined() && b.defined() && a.raw_data() == b.raw_data();
}

bool may_share_memory(const Array& a, const Array& b) {
  if (a.device() != b.device()) return false;
  const Range x = bytes_of(a);
  const Range y = bytes_of(b);
  return x.begin < y.end && y.begin < x.end;
}

void check_writable(const Array& to, std::string_view operation) {
  for (int i = 0; i < to.ndim(); ++i) {
    if (to.strides()[i] == 0 && to.shape()[i] > 1) {
      raise<ValueError>(operation,
                        ": expected an array whose elements are "
                        "distinct, got a broadcast view of shape ",
                        to.shape());
    }
  }
}

}  // namespace catena::array

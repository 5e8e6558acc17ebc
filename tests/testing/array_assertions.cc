#include "catena/tests/testing/array_assertions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "catena/array/core/error.h"

namespace catena::testing {
namespace {

struct Report {
  std::string assertion;  // including tolerance: "assert_allclose (rtol 0.1)"
  const AssertOptions& options;
  const SourceLocation& where;

  void fail(const std::string& text) const {
    ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line()))
        << (options.err_msg.empty() ? "" : options.err_msg + "\n") << assertion
        << ": " << text;
  }
};

Array on_host(const Array& a, Dtype dtype) {
  return a.to_device(native_device())
      .astype(dtype, Array::CopyPolicy::kIfNeeded)
      .contiguous();
}

template <class T>
std::string text_of(T value) {
  if constexpr (std::is_integral_v<T>) {
    return message_text(value);
  } else {
    return message_text(static_cast<double>(value));
  }
}

template <class T>
bool is_nan(T value) {
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    return std::isnan(static_cast<double>(value));
  }
}

Shape index_at(const Shape& shape, int64_t position) {
  Shape index = shape;
  for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
    index[axis] = position % shape[axis];
    position /= shape[axis];
  }
  return index;
}

// Checks `holds` for all pairs of values, which have the same type; `relation`
// describes it in the message.
template <class Holds>
void check_pairs(const Array& x, const Array& y, Dtype dtype,
                 const Report& report, const std::string& relation,
                 const Holds& holds) {
  if (x.shape() != y.shape() && x.ndim() != 0 && y.ndim() != 0) {
    report.fail(str("shapes ", x.shape(), " and ", y.shape(), " differ"));
    return;
  }
  const Shape shape = x.ndim() == 0 ? y.shape() : x.shape();
  const Array xs = on_host(x.broadcast_to(shape), dtype);
  const Array ys = on_host(y.broadcast_to(shape), dtype);
  visit_dtype(dtype, [&](auto tag) {
    using T = decltype(tag);
    const T* const a = xs.data<T>();
    const T* const b = ys.data<T>();
    constexpr int64_t kMaxShown = 5;
    int64_t failed = 0;
    double largest = 0;
    double relative = 0;
    std::string shown;
    for (int64_t i = 0; i < xs.size(); ++i) {
      if (holds(a[i], b[i])) continue;
      const double difference =
          std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
      const double size = std::abs(static_cast<double>(b[i]));
      if (difference > largest) largest = difference;
      if (size > 0 && difference / size > relative) {
        relative = difference / size;
      }
      if (failed++ < kMaxShown) {
        shown += str("\n  at ", index_at(shape, i), ": ", text_of(a[i]), ", ",
                     relation, " ", text_of(b[i]));
      }
    }
    if (failed == 0) return;
    if (failed > kMaxShown) shown += "\n  ...";
    report.fail(str(failed, " of ", xs.size(),
                    " elements differ; largest difference ", largest,
                    ", relative ", relative,
                    report.options.verbose ? shown : std::string()));
  });
}

template <class T>
bool equal(T a, T b) {
  return a == b || (is_nan(a) && is_nan(b));
}

// Whether |a - b| <= max(b); infinities must be equal.
template <class T, class Most>
bool within(T a, T b, const Most& max) {
  if (equal(a, b)) return true;
  const auto x = static_cast<double>(a);
  const auto y = static_cast<double>(b);
  return std::isfinite(x) && std::isfinite(y) && std::abs(x - y) <= max(y);
}

// Maps floats of T to integers in the same order; 0 and -0 are both 0.
template <class T>
int64_t order_of(T value) {
  using Bits =
      std::conditional_t<sizeof(T) == 2, int16_t,
                         std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>;
  const auto bits = std::bit_cast<Bits>(value);
  return bits >= 0 ? int64_t{bits}
                   : int64_t{std::numeric_limits<Bits>::min()} - bits;
}

// Whether both have the same floating dtype; otherwise reports a failure.
bool have_one_floating_dtype(const Array& a, const Array& b,
                             const Report& report) {
  if (a.dtype() == b.dtype() && is_floating(a.dtype())) return true;
  report.fail(str("expected two arrays of one floating dtype, got ", a.dtype(),
                  " and ", b.dtype()));
  return false;
}

// Calls f with a value of the C++ type of a floating dtype.
template <class T>
constexpr bool kIsFloat = !std::is_integral_v<T>;

}  // namespace

void assert_allclose(const Array& actual, const Array& desired,
                     const AllcloseOptions& options,
                     const SourceLocation& where) {
  const AssertOptions common{options.err_msg, options.verbose};
  const Report report{
      str("assert_allclose (rtol ", options.rtol, ", atol ", options.atol, ")"),
      common, where};
  check_pairs(actual, desired, promote(actual.dtype(), desired.dtype()), report,
              "desired", [&](auto a, auto b) {
                return within(a, b, [&](double y) {
                  return options.atol + options.rtol * std::abs(y);
                });
              });
}

void assert_array_almost_equal(const Array& x, const Array& y, int decimal,
                               const AssertOptions& options,
                               const SourceLocation& where) {
  const Report report{str("assert_array_almost_equal (", decimal, " decimals)"),
                      options, where};
  const double max = 1.5 * std::pow(10.0, -decimal);
  check_pairs(x, y, promote(x.dtype(), y.dtype()), report, "expected",
              [&](auto a, auto b) {
                // Less, not less or equal.
                return within(a, b,
                              [&](double) { return std::nextafter(max, 0.0); });
              });
}

void assert_array_almost_equal_nulp(const Array& x, const Array& y, double nulp,
                                    const SourceLocation& where) {
  const AssertOptions options;
  const Report report{str("assert_array_almost_equal_nulp (nulp ", nulp, ")"),
                      options, where};
  if (!have_one_floating_dtype(x, y, report)) return;
  check_pairs(x, y, x.dtype(), report, "expected", [&](auto a, auto b) {
    using T = decltype(a);
    if constexpr (kIsFloat<T>) {
      const auto p = static_cast<double>(a);
      const auto q = static_cast<double>(b);
      if (std::isnan(p) || std::isnan(q)) return false;
      if (p == q) return true;
      const T larger = std::abs(p) > std::abs(q) ? a : b;
      // The next number away from 0 has the next bit pattern.
      using Bits = std::conditional_t<
          sizeof(T) == 2, uint16_t,
          std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
      const T next =
          std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(larger) + 1));
      const double spacing =
          std::abs(static_cast<double>(next) - static_cast<double>(larger));
      return std::abs(p - q) <= nulp * spacing;
    } else {
      return false;
    }
  });
}

void assert_array_max_ulp(const Array& a, const Array& b, int64_t maxulp,
                          std::optional<Dtype> dtype,
                          const SourceLocation& where) {
  const AssertOptions options;
  const Report report{str("assert_array_max_ulp (maxulp ", maxulp, ")"),
                      options, where};
  const Array x = dtype ? a.astype(*dtype) : a;
  const Array y = dtype ? b.astype(*dtype) : b;
  if (!have_one_floating_dtype(x, y, report)) return;
  check_pairs(x, y, x.dtype(), report, "expected", [&](auto p, auto q) {
    using T = decltype(p);
    if constexpr (kIsFloat<T>) {
      if (is_nan(p) || is_nan(q)) return is_nan(p) && is_nan(q);
      int64_t between = 0;
      return !__builtin_sub_overflow(order_of(p), order_of(q), &between) &&
             std::abs(between) <= maxulp;
    } else {
      return false;
    }
  });
}

void assert_array_equal(const Array& x, const Array& y,
                        const AssertOptions& options,
                        const SourceLocation& where) {
  const Report report{"assert_array_equal", options, where};
  check_pairs(x, y, promote(x.dtype(), y.dtype()), report, "expected",
              [](auto a, auto b) { return equal(a, b); });
}

void assert_array_list_equal(const std::vector<Array>& xlist,
                             const std::vector<Array>& ylist,
                             const AssertOptions& options,
                             const SourceLocation& where) {
  if (xlist.size() != ylist.size()) {
    Report{"assert_array_list_equal", options, where}.fail(
        str("lists of ", xlist.size(), " and ", ylist.size(), " arrays"));
    return;
  }
  for (size_t k = 0; k < xlist.size(); ++k) {
    const Report report{str("assert_array_list_equal, array ", k), options,
                        where};
    check_pairs(xlist[k], ylist[k], promote(xlist[k].dtype(), ylist[k].dtype()),
                report, "expected", [](auto a, auto b) { return equal(a, b); });
  }
}

void assert_array_less(const Array& x, const Array& y,
                       const AssertOptions& options,
                       const SourceLocation& where) {
  const Report report{"assert_array_less", options, where};
  check_pairs(x, y, promote(x.dtype(), y.dtype()), report, "expected less than",
              [](auto a, auto b) { return a < b; });
}

}  // namespace catena::testing

// What writes to arrays that share memory with what it reads gives what it does
// for copies, as in NumPy.

#include <gtest/gtest.h>

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/array/all.h"
#include "catena/tests/numbers/number_comparison.h"

namespace catena::testing {
namespace {

namespace xp = catena::array;

constexpr auto kNone = std::nullopt;

// A source and a target of one shape in the memory of a square matrix.
struct Overlap {
  std::string_view name;
  std::pair<Array, Array> (*of)(const Array& matrix);
};

constexpr Overlap kOverlaps[] = {
    {"a[:-1] to a[1:]",
     [](const Array& m) -> std::pair<Array, Array> {
       const Array a = m.reshape({-1});
       return {a[{Slice(0, -1)}], a[{Slice(1, kNone)}]};
     }},
    {"a[1:] to a[:-1]",
     [](const Array& m) -> std::pair<Array, Array> {
       const Array a = m.reshape({-1});
       return {a[{Slice(1, kNone)}], a[{Slice(0, -1)}]};
     }},
    {"a[:-5] to a[5:]",
     [](const Array& m) -> std::pair<Array, Array> {
       const Array a = m.reshape({-1});
       return {a[{Slice(0, -5)}], a[{Slice(5, kNone)}]};
     }},
    {"a[::-1] to a",
     [](const Array& m) -> std::pair<Array, Array> {
       const Array a = m.reshape({-1});
       return {xp::flip(a), a};
     }},
    {"a[:n] to a[::2]",
     [](const Array& m) -> std::pair<Array, Array> {
       const Array a = m.reshape({-1});
       const Array even = a[{Slice(kNone, kNone, 2)}];
       return {a[{Slice(0, even.size())}], even};
     }},
    {"a[::2] to a[:n]",
     [](const Array& m) -> std::pair<Array, Array> {
       const Array a = m.reshape({-1});
       const Array even = a[{Slice(kNone, kNone, 2)}];
       return {even, a[{Slice(0, even.size())}]};
     }},
    {"a to a",
     [](const Array& m) -> std::pair<Array, Array> {
       return {m, m};
     }},
    {"m.T to m",
     [](const Array& m) -> std::pair<Array, Array> {
       return {m.T(), m};
     }},
    {"m to m.T",
     [](const Array& m) -> std::pair<Array, Array> {
       return {m, m.T()};
     }},
    {"rows to those before",
     [](const Array& m) -> std::pair<Array, Array> {
       return {m[{Slice(1, kNone)}], m[{Slice(0, -1)}]};
     }},
    {"columns to those after",
     [](const Array& m) -> std::pair<Array, Array> {
       return {m[{Slice(), Slice(0, -1)}], m[{Slice(), Slice(1, kNone)}]};
     }},
    {"a row to all rows",
     [](const Array& m) -> std::pair<Array, Array> {
       return {m[1].broadcast_to(m.shape()), m};
     }},
    {"a column to all columns",
     [](const Array& m) -> std::pair<Array, Array> {
       return {m[{Slice(), Slice(1, 2)}].broadcast_to(m.shape()), m};
     }},
};

// Reads one array and writes the other, of the same shape.
struct Writer {
  std::string_view name;
  std::function<void(const Array& from, const Array& to)> write;
};

Array every_third(const Array& a) {
  return xp::equal(xp::arange(a.size()) % 3, 1).reshape(a.shape());
}

// Positions in a flattened array, in an irregular order, each once.
Array mixed(int64_t n) {
  int64_t step = 7;
  while (n % step == 0) step += 2;
  Array order = xp::arange(n) * step % n;
  return order;
}

const std::vector<Writer>& writers() {
  static const std::vector<Writer> kWriters = {
      {"assign", [](const Array& from, const Array& to) { to.assign(from); }},
      {"copyto",
       [](const Array& from, const Array& to) { xp::copyto(to, from); }},
      {"copyto with a mask",
       [](const Array& from, const Array& to) {
         xp::copyto(to, from, {.where = every_third(to)});
       }},
      {"negative", [](const Array& from,
                      const Array& to) { xp::negative(from, {.out = to}); }},
      {"add of source and target",
       [](const Array& from, const Array& to) {
         xp::add(from, to, {.out = to});
       }},
      {"subtract of the source and itself reversed",
       [](const Array& from, const Array& to) {
         xp::subtract(from, xp::flip(from), {.out = to});
       }},
      {"+=",
       [](const Array& from, const Array& to) {
         Array target = to;
         target += from;
       }},
      {"multiply_add",
       [](const Array& from, const Array& to) {
         xp::multiply_add(to, from, to, {.out = to});
       }},
      {"clip",
       [](const Array& from, const Array& to) {
         xp::clip(to, from, xp::flip(to), {.out = to});
       }},
      {"the quotients of divmod",
       [](const Array& from, const Array& to) {
         xp::divmod(to, from, {.out1 = to});
       }},
      {"the remainders of divmod",
       [](const Array& from, const Array& to) {
         xp::divmod(from, to, {.out2 = to});
       }},
      {"both results of divmod",
       [](const Array& from, const Array& to) {
         xp::divmod(from, to, {.out1 = to, .out2 = to});
       }},
      {"take",
       [](const Array& from, const Array& to) {
         const Array order = mixed(from.size()).reshape(from.shape());
         xp::take(from, order, {.out = to});
       }},
      {"setitem of a mask",
       [](const Array& from, const Array& to) {
         const Array mask = every_third(to);
         xp::setitem(to, {mask}, xp::getitem(from, {mask}));
       }},
      {"setitem of indices",
       [](const Array& from, const Array& to) {
         xp::setitem(to, {mixed(to.shape()[0])}, from);
       }},
      {"add_at",
       [](const Array& from, const Array& to) {
         xp::add_at(to, {mixed(to.shape()[0])}, from);
       }},
      {"scatter_update",
       [](const Array& from, const Array& to) {
         xp::scatter_update(to, mixed(to.shape()[0]), 0, from);
       }},
      {"scatter_add",
       [](const Array& from, const Array& to) {
         xp::scatter_add(to, mixed(to.shape()[0]), 0, from);
       }},
      {"put",
       [](const Array& from, const Array& to) {
         xp::put(to, mixed(to.size()).reshape(to.shape()), from);
       }},
      {"put_along_axis",
       [](const Array& from, const Array& to) {
         Shape shape = Shape::filled(to.ndim(), 1);
         shape[0] = to.shape()[0];
         const Array order =
             mixed(shape[0]).reshape(shape).broadcast_to(to.shape());
         xp::put_along_axis(to, order, from, 0);
       }},
      {"place", [](const Array& from,
                   const Array& to) { xp::place(to, every_third(to), from); }},
      {"sum along the first axis",
       [](const Array& from, const Array& to) {
         if (from.ndim() != 2) return;
         xp::sum(from, {.axis = 0, .dtype = to.dtype(), .out = to[0]});
       }},
      {"sum along the last axis",
       [](const Array& from, const Array& to) {
         if (from.ndim() != 2) return;
         const Array column = to[{Slice(), 0}];
         xp::sum(from, {.axis = 1, .dtype = to.dtype(), .out = column});
       }},
      {"amax",
       [](const Array& from, const Array& to) {
         if (from.ndim() == 2) xp::amax(from, {.axis = 0, .out = to[1]});
       }},
      {"var",
       [](const Array& from, const Array& to) {
         if (from.ndim() != 2 || !is_floating(to.dtype())) return;
         xp::var(from, {.axis = 0, .out = to[0]});
       }},
      {"fill_diagonal",
       [](const Array& from, const Array& to) {
         if (to.ndim() == 2) xp::fill_diagonal(to, from);
       }},
  };
  return kWriters;
}

// Numbers that differ, small enough for int8.
Array matrix(int64_t side, Dtype dtype) {
  const Array values = (xp::arange(side * side) * 37) % 101 - 50;
  return values.astype(dtype).reshape({side, side});
}

TEST(OverlapTest, WhatIsWrittenIsWhatCopiesGive) {
  int compared = 0;
  for (const Dtype dtype :
       {Dtype::kInt8, Dtype::kFloat16, Dtype::kInt32, Dtype::kFloat64}) {
    for (const int64_t side : {4, 11, 300}) {
      for (const Overlap& overlap : kOverlaps) {
        for (const Writer& writer : writers()) {
          const Array expected = matrix(side, dtype);
          const auto [source, target] = overlap.of(expected);
          writer.write(source.copy(), target);
          const Array actual = matrix(side, dtype);
          const auto [from, to] = overlap.of(actual);
          writer.write(from, to);
          ++compared;
          // Sums in other layouts are rounded in another order.
          EXPECT_EQ(difference(actual, expected, {.ulps = 4}), "")
              << writer.name << ", " << overlap.name << ", " << dtype << ' '
              << side;
        }
      }
    }
  }
  EXPECT_GT(compared, 3000);
}

TEST(OverlapTest, SourcesOfAnotherDtypeInTheSameMemoryAreReadFirst) {
  for (const int64_t n : {5, 100, 70000}) {
    const Array a = xp::arange(n).astype(Dtype::kFloat32);
    const Array bits = a.view(Dtype::kInt32);
    const Array expected = bits.copy().astype(Dtype::kFloat32);
    a.assign(bits);
    EXPECT_EQ(difference(a, expected), "") << n;
    const Array wide = xp::arange(n).astype(Dtype::kFloat64);
    const Array halves = wide.view(Dtype::kInt32)[{Slice(0, n)}];
    const Array sums = halves.copy() + 1;
    xp::add(halves, 1, {.out = wide});
    EXPECT_EQ(difference(wide, sums.astype(Dtype::kFloat64)), "") << n;
  }
}

TEST(OverlapTest, IndicesMayBeWhatIsWritten) {
  for (const int64_t n : {8, 1000, 70000}) {
    const Array a = mixed(n);
    const Array copy = a.copy();
    const Array expected = a.copy();
    xp::scatter_update(expected, copy, 0, copy);
    xp::scatter_update(a, a, 0, a);
    EXPECT_EQ(difference(a, expected), "") << n;
    xp::take(copy, copy.copy(), {.out = expected});
    xp::take(copy, copy, {.out = copy});
    EXPECT_EQ(difference(copy, expected), "") << n;
    const Array b = mixed(n);
    const Array sums = b.copy();
    xp::add_at(sums, {b.copy()}, b.copy());
    xp::add_at(b, {b}, b);
    EXPECT_EQ(difference(b, sums), "") << n;
  }
}

TEST(OverlapTest, ProductsMayBeWrittenToTheirFactors) {
  for (const int64_t side : {1, 5, 64}) {
    for (const Dtype dtype : {Dtype::kFloat32, Dtype::kInt64}) {
      const Array a = matrix(side, dtype);
      const Array expected = xp::dot(a.copy(), a.copy());
      xp::dot(a, a, {.out = a});
      EXPECT_EQ(difference(a, expected), "") << dtype << ' ' << side;
      const Array b = matrix(side, dtype);
      const Array turned = xp::dot(b.T().copy(), b.copy());
      xp::dot(b.T(), b, {.out = b});
      EXPECT_EQ(difference(b, turned), "") << dtype << ' ' << side;
    }
  }
}

}  // namespace
}  // namespace catena::testing

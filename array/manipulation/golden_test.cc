// Every case of NumPy's manipulation.npz, and the diagonals and triangles of
// selection.npz.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "catena/array/concatenate.h"
#include "catena/array/creation.h"
#include "catena/array/manipulation/axes.h"
#include "catena/array/manipulation/diagonal.h"
#include "catena/array/manipulation/edit.h"
#include "catena/array/manipulation/flip.h"
#include "catena/array/manipulation/grid.h"
#include "catena/array/manipulation/join.h"
#include "catena/array/manipulation/packbits.h"
#include "catena/array/manipulation/pad.h"
#include "catena/array/manipulation/repeat.h"
#include "catena/array/manipulation/split.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena {
namespace {

namespace xp = catena::array;
using catena::testing::GoldenCase;
using catena::testing::IsArray;

using Arrays = std::vector<Array>;
// The result of a routine for a case, whose inputs are on the device.
using Call = std::function<Arrays(const GoldenCase&, const Arrays&)>;

std::optional<int64_t> axis_of(const GoldenCase& golden) {
  if (!golden.has_attr("axis")) return std::nullopt;
  return golden.attr<int64_t>("axis");
}

bool is_number(const GoldenCase& golden, std::string_view name) {
  return golden.attr<Array>(name).ndim() == 0;
}

std::vector<int64_t> list_of(const GoldenCase& golden, std::string_view name) {
  const Shape values = golden.attr<Shape>(name);
  return {values.begin(), values.end()};
}

Array roll(const GoldenCase& g, const Array& a) {
  if (!g.has_attr("axis")) return xp::roll(a, g.attr<int64_t>("shift"));
  return xp::roll(a, g.attr<Shape>("shift"), g.attr<Shape>("axis"));
}

Array repeat(const GoldenCase& g, const Array& a) {
  if (is_number(g, "repeats")) {
    return xp::repeat(a, g.attr<int64_t>("repeats"), axis_of(g));
  }
  return xp::repeat(a, list_of(g, "repeats"), axis_of(g));
}

Array pad(const GoldenCase& g, const Array& a) {
  static const std::map<std::string, xp::PadMode> kModes = {
      {"constant", xp::PadMode::kConstant},
      {"edge", xp::PadMode::kEdge},
      {"reflect", xp::PadMode::kReflect},
      {"symmetric", xp::PadMode::kSymmetric},
      {"wrap", xp::PadMode::kWrap}};
  xp::PadOptions options;
  options.mode = kModes.at(g.attr<std::string>("mode"));
  if (g.has_attr("constant_values")) {
    options.constant_values = {g.attr<int64_t>("constant_values")};
  }
  if (is_number(g, "pad_width")) {
    return xp::pad(a, g.attr<int64_t>("pad_width"), options);
  }
  const Array table = g.attr<Array>("pad_width");
  std::vector<xp::PadWidth> widths;
  for (int64_t i = 0; i < table.shape()[0]; ++i) {
    widths.push_back(
        {table.data<int64_t>()[2 * i], table.data<int64_t>()[2 * i + 1]});
  }
  return xp::pad(a, widths, options);
}

Arrays cut_into(const GoldenCase& g, const Array& a, bool evenly) {
  const int64_t axis = g.attr<int64_t>("axis");
  if (is_number(g, "indices_or_sections")) {
    const int64_t sections = g.attr<int64_t>("indices_or_sections");
    return evenly ? xp::split(a, sections, axis)
                  : xp::array_split(a, sections, axis);
  }
  const std::vector<int64_t> indices = list_of(g, "indices_or_sections");
  return evenly ? xp::split(a, indices, axis)
                : xp::array_split(a, indices, axis);
}

const std::map<std::string, Call>& calls() {
  using G = const GoldenCase&;
  using In = const Arrays&;
  static const std::map<std::string, Call> kCalls = {
      {"concatenate",
       [](G g, In in) -> Arrays { return {xp::concatenate(in, axis_of(g))}; }},
      {"stack",
       [](G g, In in) -> Arrays {
         return {xp::stack(in, g.attr<int64_t>("axis"))};
       }},
      {"flip",
       [](G g, In in) -> Arrays {
         return {xp::flip(in[0], g.attr<int64_t>("axis"))};
       }},
      {"roll", [](G g, In in) -> Arrays { return {roll(g, in[0])}; }},
      {"repeat", [](G g, In in) -> Arrays { return {repeat(g, in[0])}; }},
      {"expand_dims",
       [](G g, In in) -> Arrays {
         return {in[0].expand_dims(g.attr<int64_t>("axis"))};
       }},
      {"hstack", [](G, In in) -> Arrays { return {xp::hstack(in)}; }},
      {"vstack", [](G, In in) -> Arrays { return {xp::vstack(in)}; }},
      {"dstack", [](G, In in) -> Arrays { return {xp::dstack(in)}; }},
      {"column_stack",
       [](G, In in) -> Arrays { return {xp::column_stack(in)}; }},
      {"tile",
       [](G g, In in) -> Arrays {
         return {xp::tile(in[0], g.attr<Shape>("reps"))};
       }},
      {"split", [](G g, In in) { return cut_into(g, in[0], true); }},
      {"array_split", [](G g, In in) { return cut_into(g, in[0], false); }},
      {"pad", [](G g, In in) -> Arrays { return {pad(g, in[0])}; }},
      {"rot90",
       [](G g, In in) -> Arrays {
         return {xp::rot90(in[0], g.attr<int64_t>("k"))};
       }},
      {"transpose",
       [](G g, In in) -> Arrays {
         return {in[0].transpose(g.attr<Shape>("axes"))};
       }},
      {"swapaxes",
       [](G g, In in) -> Arrays {
         return {xp::swapaxes(in[0], g.attr<int64_t>("axis1"),
                              g.attr<int64_t>("axis2"))};
       }},
      {"moveaxis",
       [](G g, In in) -> Arrays {
         return {xp::moveaxis(in[0], g.attr<Shape>("source"),
                              g.attr<Shape>("destination"))};
       }},
      {"rollaxis",
       [](G g, In in) -> Arrays {
         return {xp::rollaxis(in[0], g.attr<int64_t>("axis"),
                              g.attr<int64_t>("start"))};
       }},
      {"reshape",
       [](G g, In in) -> Arrays {
         return {in[0].reshape(g.attr<Shape>("shape"))};
       }},
      {"ravel", [](G, In in) -> Arrays { return {in[0].ravel()}; }},
      {"squeeze", [](G, In in) -> Arrays { return {in[0].squeeze()}; }},
      {"broadcast_to",
       [](G g, In in) -> Arrays {
         return {in[0].broadcast_to(g.attr<Shape>("shape"))};
       }},
      {"append",
       [](G g, In in) -> Arrays {
         return {xp::append(in[0], in[1], axis_of(g))};
       }},
      {"delete",
       [](G g, In in) -> Arrays {
         return {xp::delete_(in[0], list_of(g, "obj"), axis_of(g))};
       }},
      {"insert",
       [](G g, In in) -> Arrays {
         return {xp::insert(in[0], list_of(g, "obj"), g.attr<int64_t>("value"),
                            axis_of(g))};
       }},
      {"meshgrid", [](G, In in) { return xp::meshgrid(in); }},
      {"diff",
       [](G g, In in) -> Arrays {
         return {xp::diff(in[0], 1, g.attr<int64_t>("axis"))};
       }},
      {"packbits", [](G, In in) -> Arrays { return {xp::packbits(in[0])}; }},
      {"diag",
       [](G g, In in) -> Arrays {
         return {xp::diag(in[0], g.attr<int64_t>("k"))};
       }},
      {"diagflat", [](G, In in) -> Arrays { return {xp::diagflat(in[0])}; }},
      {"diagonal",
       [](G g, In in) -> Arrays {
         return {xp::diagonal(in[0], g.attr<int64_t>("offset"),
                              g.attr<int64_t>("axis1"),
                              g.attr<int64_t>("axis2"))};
       }},
      {"tril",
       [](G g, In in) -> Arrays {
         return {xp::tril(in[0], g.attr<int64_t>("k"))};
       }},
      {"triu",
       [](G g, In in) -> Arrays {
         return {xp::triu(in[0], g.attr<int64_t>("k"))};
       }},
  };
  return kCalls;
}

class ManipulationGoldenTest : public catena::testing::GoldenDeviceTest {};

TEST_P(ManipulationGoldenTest, AgreesWithNumPy) {
  const std::string op = golden().attr<std::string>("op");
  ASSERT_TRUE(calls().contains(op)) << op;
  Arrays inputs = golden().inputs();
  for (Array& a : inputs) a = a.to_device(device());
  const Arrays results = calls().at(op)(golden(), inputs);
  const Arrays expected = golden().outputs();
  ASSERT_EQ(results.size(), expected.size());
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_THAT(results[i], IsArray(expected[i])) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Manipulation, ManipulationGoldenTest,
    catena::testing::every_device_and_case("array/manipulation"),
    catena::testing::golden_device_name);

INSTANTIATE_TEST_SUITE_P(
    Diagonals, ManipulationGoldenTest,
    catena::testing::every_device_and_case("array/selection",
                                           [](const GoldenCase& golden) {
                                             const std::string op =
                                                 golden.attr<std::string>("op");
                                             return op.starts_with("diag") ||
                                                    op.starts_with("tri");
                                           }),
    catena::testing::golden_device_name);

}  // namespace
}  // namespace catena

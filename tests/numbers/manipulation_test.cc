// Routines that move elements, for arrays without elements, with one, without
// axes and of other shapes, and with arguments that NumPy refuses.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/array/all.h"
#include "catena/tests/numbers/numpy_calls.h"

namespace catena::testing {
namespace {

namespace xp = catena::array;

using Call = const NumpyCall &;
using In = const Arrays &;
using List = std::vector<int64_t>;

// A routine of one array and the call's arguments.
template <class F>
NumpyRoutine of_array(F f) {
  return {[f](Call call, In in) -> Arrays { return {f(call, in[0])}; }};
}

// The same without arguments.
template <class F>
NumpyRoutine plain(F f) {
  return {[f](Call, In in) -> Arrays { return {f(in[0])}; }};
}

// A routine of several arrays.
template <class F>
NumpyRoutine of_arrays(F f) {
  return {[f](Call call, In in) -> Arrays { return {f(call, in)}; }};
}

std::optional<Axis> axis_of(Call call) {
  const auto axis = call.optional<int64_t>("axis");
  return axis ? std::optional<Axis>(*axis) : std::nullopt;
}

int64_t integer(Call call, std::string_view name) {
  return call.get<int64_t>(name);
}

Array indices_of(Call call) { return xp::array(call.get<List>("indices")); }

std::vector<Index> index_of(Call call) {
  std::vector<Index> index;
  for (const nlohmann::json &part : call.arguments.at("index")) {
    if (part.is_number()) {
      index.push_back(part.get<int64_t>());
    } else if (part.is_string()) {
      if (part == "newaxis") {
        index.push_back(newaxis);
      } else {
        index.push_back(ellipsis);
      }
    } else {
      const auto number = [&](size_t i) -> std::optional<int64_t> {
        if (i >= part.size() || part[i].is_null()) return std::nullopt;
        return part[i].get<int64_t>();
      };
      index.push_back(Slice(number(0), number(1), number(2).value_or(1)));
    }
  }
  return index;
}

Array padded(Call call, const Array &a) {
  static const std::map<std::string, xp::PadMode> kModes = {
      {"constant", xp::PadMode::kConstant},
      {"edge", xp::PadMode::kEdge},
      {"reflect", xp::PadMode::kReflect},
      {"symmetric", xp::PadMode::kSymmetric},
      {"wrap", xp::PadMode::kWrap}};
  const xp::PadOptions options{.mode =
                                   kModes.at(call.get<std::string>("mode"))};
  const nlohmann::json &width = call.arguments.at("pad_width");
  if (width.is_number()) return xp::pad(a, width.get<int64_t>(), options);
  const std::vector<xp::PadWidth> widths = {{width.at(0), width.at(1)}};
  return xp::pad(a, widths, options);
}

Array repeated(Call call, const Array &a) {
  const nlohmann::json &repeats = call.arguments.at("repeats");
  if (repeats.is_number()) {
    return xp::repeat(a, repeats.get<int64_t>(), axis_of(call));
  }
  return xp::repeat(a, repeats.get<List>(), axis_of(call));
}

// Functions with names and without arguments.
void add_plain(NumpyRoutines &rows) {
  rows["transpose"] = plain([](const Array &a) { return a.transpose(); });
  rows["ravel"] = plain([](const Array &a) { return a.ravel(); });
  rows["fliplr"] = plain(xp::fliplr);
  rows["flipud"] = plain(xp::flipud);
  rows["atleast_1d"] = plain([](const Array &a) { return xp::atleast_1d(a); });
  rows["atleast_2d"] = plain([](const Array &a) { return xp::atleast_2d(a); });
  rows["atleast_3d"] = plain([](const Array &a) { return xp::atleast_3d(a); });
  rows["diagonal"] = plain([](const Array &a) { return xp::diagonal(a); });
  rows["diagflat"] = plain([](const Array &a) { return xp::diagflat(a); });
}

// Shapes and axes.
void add_views(NumpyRoutines &rows) {
  using A = const Array &;
  rows["reshape"] = of_array(
      [](Call c, A a) { return a.reshape(Shape(c.get<List>("shape"))); });
  rows["broadcast_to"] = of_array(
      [](Call c, A a) { return a.broadcast_to(Shape(c.get<List>("shape"))); });
  rows["expand_dims"] =
      of_array([](Call c, A a) { return a.expand_dims(integer(c, "axis")); });
  rows["squeeze"] = of_array([](Call c, A a) { return a.squeeze(axis_of(c)); });
  rows["flip"] = of_array([](Call c, A a) { return xp::flip(a, axis_of(c)); });
  rows["rot90"] =
      of_array([](Call c, A a) { return xp::rot90(a, integer(c, "k")); });
  rows["moveaxis"] = of_array([](Call c, A a) {
    return xp::moveaxis(a, integer(c, "source"), integer(c, "destination"));
  });
  rows["rollaxis"] =
      of_array([](Call c, A a) { return xp::rollaxis(a, integer(c, "axis")); });
  rows["swapaxes"] = of_array([](Call c, A a) {
    return xp::swapaxes(a, integer(c, "axis1"), integer(c, "axis2"));
  });
  rows["getitem"] =
      of_array([](Call c, A a) { return xp::basic_index(a, index_of(c)); });
  for (const auto &[name, f] : {std::pair{"diag", &xp::diag},
                                {"tril", &xp::tril},
                                {"triu", &xp::triu}}) {
    rows[name] = of_array([f = f](Call c, A a) {
      return f(a, c.optional<int64_t>("k").value_or(0));
    });
  }
}

// New arrays of the elements of one.
void add_copies(NumpyRoutines &rows) {
  using A = const Array &;
  rows["roll"] = of_array([](Call c, A a) {
    return xp::roll(a, integer(c, "shift"), AxisSet(axis_of(c)));
  });
  rows["repeat"] = of_array(repeated);
  rows["tile"] = of_array(
      [](Call c, A a) { return xp::tile(a, Shape(c.get<List>("reps"))); });
  rows["pad"] = of_array(padded);
  rows["take"] = of_array(
      [](Call c, A a) { return xp::take(a, indices_of(c), axis_of(c)); });
  rows["take_mode"] = of_array([](Call c, A a) {
    const bool wraps = c.get<std::string>("mode") == "wrap";
    return xp::take(
        a, xp::array(List{-7, -1, 0, 1, 70}),
        {.mode = wraps ? xp::IndexMode::kWrap : xp::IndexMode::kClip});
  });
  rows["delete"] = of_array([](Call c, A a) {
    return xp::delete_(a, c.get<List>("indices"), axis_of(c));
  });
  rows["insert"] = of_array([](Call c, A a) {
    return xp::insert(a, c.get<List>("indices"), 77, axis_of(c));
  });
  rows["diff"] = of_array([](Call c, A a) {
    return xp::diff(a, integer(c, "n"), integer(c, "axis"));
  });
  rows["compress"] = of_array([](Call c, A a) {
    return xp::compress(xp::array({true, false}), a, axis_of(c));
  });
}

// Several arrays, or from one to several.
void add_many(NumpyRoutines &rows) {
  rows["concatenate"] =
      of_arrays([](Call c, In in) { return xp::concatenate(in, axis_of(c)); });
  rows["stack"] = of_arrays(
      [](Call c, In in) { return xp::stack(in, integer(c, "axis")); });
  rows["append"] = of_arrays(
      [](Call c, In in) { return xp::append(in[0], in[1], axis_of(c)); });
  rows["vstack"] = of_arrays([](Call, In in) { return xp::vstack(in); });
  rows["hstack"] = of_arrays([](Call, In in) { return xp::hstack(in); });
  rows["dstack"] = of_arrays([](Call, In in) { return xp::dstack(in); });
  rows["column_stack"] =
      of_arrays([](Call, In in) { return xp::column_stack(in); });
  rows["masked"] =
      of_arrays([](Call, In in) { return xp::getitem(in[0], {in[1]}); });
  rows["getitem_array"] = rows["masked"];
  rows["where"] =
      of_arrays([](Call, In in) { return xp::where(in[0], in[1], in[2]); });
  rows["extract"] =
      of_arrays([](Call, In in) { return xp::extract(in[0], in[1]); });
  rows["setitem"] = of_arrays([](Call c, In in) {
    xp::basic_index(in[0], index_of(c)).assign(in[1]);
    return in[0];
  });
  rows["set_where"] = of_arrays([](Call, In in) {
    xp::setitem(in[0], {in[1]}, in[2]);
    return in[0];
  });

  constexpr auto kSections = "indices_or_sections";
  rows["meshgrid"] = {[](Call, In in) { return xp::meshgrid(in); }};
  rows["split"] = {[](Call c, In in) {
    return xp::split(in[0], integer(c, kSections), integer(c, "axis"));
  }};
  rows["array_split"] = {[](Call c, In in) {
    return xp::array_split(in[0], integer(c, kSections), integer(c, "axis"));
  }};
  rows["split_at"] = {[](Call c, In in) {
    return xp::split(in[0], c.get<List>(kSections), integer(c, "axis"));
  }};
  rows["vsplit"] = {
      [](Call c, In in) { return xp::vsplit(in[0], integer(c, kSections)); }};
  rows["hsplit"] = {
      [](Call c, In in) { return xp::hsplit(in[0], integer(c, kSections)); }};
  rows["dsplit"] = {
      [](Call c, In in) { return xp::dsplit(in[0], integer(c, kSections)); }};
}

std::optional<Arrays> refused(const NumpyCall &) { return std::nullopt; }

// Whether NumPy ignores that the axis does not exist.
bool has_no_such_axis(const NumpyCall &call) {
  const auto axis = call.optional<int64_t>("axis");
  const int64_t ndim = call.inputs[0].ndim();
  return call.error.empty() && axis && (*axis >= ndim || *axis < -ndim);
}

bool any_ndim(const NumpyCall &call, int least) {
  return std::ranges::any_of(call.inputs,
                             [&](const Array &a) { return a.ndim() >= least; });
}

// Cyclic along each axis.
Array wrapped(const Array &a, int64_t before, int64_t after) {
  Array result = a;
  for (int axis = 0; axis < a.ndim(); ++axis) {
    const Array indices = xp::arange(-before, a.shape()[axis] + after);
    result =
        xp::take(result, indices, {.axis = axis, .mode = xp::IndexMode::kWrap});
  }
  return result;
}

std::vector<NumpyDifference> manipulation_differences() {
  const auto is = [](std::string_view routine) {
    return [routine](const NumpyCall &call) { return call.routine == routine; };
  };
  return {
      {"an axis that does not exist is an error",
       "NumPy takes arrays without axes for one with one element here, and"
       " does not look at the axis of diff if n is 0",
       [](const NumpyCall &call) {
         static const std::set<std::string> kRoutines = {
             "compress", "diff", "repeat", "squeeze", "take"};
         return kRoutines.contains(call.routine) && has_no_such_axis(call);
       },
       refused},
      {"column_stack takes arrays with one or two axes", "as CuPy's does",
       [](const NumpyCall &call) {
         return call.routine == "column_stack" && call.error.empty() &&
                std::ranges::any_of(call.inputs, [](const Array &a) {
                  return a.ndim() < 1 || a.ndim() > 2;
                });
       },
       refused},
      {"meshgrid takes arrays with at most one axis",
       "NumPy flattens others, which is hardly meant",
       [is](const NumpyCall &call) {
         return is("meshgrid")(call) && any_ndim(call, 2);
       },
       refused},
      {"the shape of a source has no more axes than that of what it is assigned"
       " to",
       "NumPy drops leading axes of extent 1, but in assignments alone",
       [is](const NumpyCall &call) {
         if (!is("setitem")(call) || !call.error.empty()) return false;
         const Array target = xp::basic_index(call.inputs[0], index_of(call));
         return target.ndim() < call.inputs[1].ndim();
       },
       refused},
      {"negative numbers of repeats are errors, even where there is nothing to"
       " repeat",
       "NumPy multiplies extents first",
       [](const NumpyCall &call) {
         if (!call.error.empty()) return false;
         if (call.routine == "repeat") {
           return call.arguments.at("repeats") == -1;
         }
         return call.routine == "tile" &&
                std::ranges::any_of(call.get<List>("reps"),
                                    [](int64_t n) { return n < 0; });
       },
       refused},
      {"indices out of range are errors, even where there is nothing to take",
       "NumPy looks at no index then",
       [](const NumpyCall &call) {
         return call.routine == "take" && call.error.empty() &&
                call.get<List>("indices") == List{100} &&
                call.inputs[0].size() == 0;
       },
       refused},
      {"padding that wraps around is cyclic, however wide",
       "as in NumPy since 1.25",
       [is](const NumpyCall &call) {
         return is("pad")(call) && call.get<std::string>("mode") == "wrap" &&
                call.arguments.at("pad_width").is_array() && call.error.empty();
       },
       [](const NumpyCall &call) -> Arrays {
         return {wrapped(call.inputs[0], 1, 3)};
       }},
  };
}

TEST(ManipulationTest, GivesWhatNumpyGives) {
  NumpyRoutines rows;
  add_plain(rows);
  add_views(rows);
  add_copies(rows);
  add_many(rows);
  expect_numpys_results("manipulation", rows, manipulation_differences());
}

}  // namespace
}  // namespace catena::testing

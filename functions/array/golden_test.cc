#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "catena/array/indexing/testing/golden_index.h"
#include "catena/functions/array/as_strided.h"
#include "catena/functions/array/broadcast.h"
#include "catena/functions/array/broadcast_to.h"
#include "catena/functions/array/cast.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/copy.h"
#include "catena/functions/array/depth2space.h"
#include "catena/functions/array/diagonal.h"
#include "catena/functions/array/dstack.h"
#include "catena/functions/array/expand_dims.h"
#include "catena/functions/array/flatten.h"
#include "catena/functions/array/flip.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/array/hstack.h"
#include "catena/functions/array/im2col.h"
#include "catena/functions/array/moveaxis.h"
#include "catena/functions/array/pad.h"
#include "catena/functions/array/pad_sequence.h"
#include "catena/functions/array/permutate.h"
#include "catena/functions/array/repeat.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/resize_images.h"
#include "catena/functions/array/rollaxis.h"
#include "catena/functions/array/scatter_add.h"
#include "catena/functions/array/select_item.h"
#include "catena/functions/array/separate.h"
#include "catena/functions/array/space2depth.h"
#include "catena/functions/array/spatial_transformer.h"
#include "catena/functions/array/split_axis.h"
#include "catena/functions/array/squeeze.h"
#include "catena/functions/array/stack.h"
#include "catena/functions/array/swapaxes.h"
#include "catena/functions/array/tile.h"
#include "catena/functions/array/transpose.h"
#include "catena/functions/array/transpose_sequence.h"
#include "catena/functions/array/vstack.h"
#include "catena/functions/array/where.h"
#include "catena/tests/numbers/function_numbers.h"
#include "catena/tests/support/function_golden.h"

namespace catena::functions {
namespace {

using testing::GoldenCall;

std::vector<AdvancedIndex> index_of(const GoldenCall& c) {
  return testing::golden_index(c.golden(), c[0].device());
}

Variable padded(const GoldenCall& c) {
  const std::vector<int64_t> numbers =
      c.golden().attr<Array>("pad_width").to_vector<int64_t>();
  std::vector<array::PadWidth> widths;
  for (size_t i = 0; i < numbers.size(); i += 2) {
    widths.push_back(
        {numbers[i], numbers[std::min(i + 1, numbers.size() - 1)]});
  }
  array::PadOptions options;
  EXPECT_EQ(c.attr<std::string>("mode"), "constant");
  if (const auto value = c.optional_attr<double>("constant_values")) {
    options.constant_values = {*value};
  }
  return pad(c[0], widths, options);
}

Variables split(const GoldenCall& c) {
  const Array where = c.golden().attr<Array>("indices_or_sections");
  const int axis = c.attr<int>("axis");
  if (where.ndim() == 0) return split_axis(c[0], where.item<int64_t>(), axis);
  return split_axis(c[0], where.to_vector<int64_t>(), axis);
}

const testing::GoldenFunction kFunctions[] = {
    {"as_strided",
     [](const GoldenCall& c) {
       return as_strided(c[0], c.attr<Shape>("shape"), c.attr<Shape>("strides"),
                         {.storage_offset = c.attr_or("storage_offset", 0)});
     }},
    {"broadcast", [](const GoldenCall& c) { return broadcast(c.inputs()); }},
    {"broadcast_to",
     [](const GoldenCall& c) {
       return broadcast_to(c[0], c.attr<Shape>("shape"));
     }},
    {"cast",
     [](const GoldenCall& c) {
       return cast(c[0], dtype_from_name(c.attr<std::string>("typ")));
     }},
    {"concat",
     [](const GoldenCall& c) {
       return concat(c.inputs(), {.axis = c.attr_or("axis", 1)});
     }},
    {"copy",
     [](const GoldenCall& c) {
       EXPECT_EQ(c.attr<int>("dst"), -1);
       return copy(c[0], native_device());
     }},
    {"depth2space",
     [](const GoldenCall& c) { return depth2space(c[0], c.attr<int>("r")); }},
    {"diagonal",
     [](const GoldenCall& c) {
       return diagonal(c[0], {.offset = c.attr_or("offset", 0),
                              .axis1 = c.attr_or("axis1", 0),
                              .axis2 = c.attr_or("axis2", 1)});
     }},
    {"dstack", [](const GoldenCall& c) { return dstack(c.inputs()); }},
    {"expand_dims",
     [](const GoldenCall& c) {
       return expand_dims(c[0], c.attr<int>("axis"));
     }},
    {"flatten", flatten},
    {"flip",
     [](const GoldenCall& c) { return flip(c[0], c.attr<int>("axis")); }},
    {"fliplr", fliplr},
    {"flipud", flipud},
    {"get_item",
     [](const GoldenCall& c) {
       return get_item(c[0], std::span<const AdvancedIndex>(index_of(c)));
     }},
    {"hstack", [](const GoldenCall& c) { return hstack(c.inputs()); }},
    {"im2col",
     [](const GoldenCall& c) {
       return im2col(c[0], c.attr<Shape>("ksize"),
                     {.stride = c.attr_or("stride", Shape{1}),
                      .pad = c.attr_or("pad", Shape{0}),
                      .cover_all = c.attr_or("cover_all", false),
                      .dilate = c.attr_or("dilate", Shape{1})});
     }},
    {"moveaxis",
     [](const GoldenCall& c) {
       return moveaxis(c[0], c.attr<Shape>("source"),
                       c.attr<Shape>("destination"));
     }},
    {"pad", padded},
    {"pad_sequence",
     [](const GoldenCall& c) {
       return pad_sequence(c.inputs(),
                           {.length = c.optional_attr<int64_t>("length"),
                            .padding = c.attr_or("padding", 0.0)});
     }},
    {"permutate",
     [](const GoldenCall& c) {
       return permutate(
           c[0], c[1],
           {.axis = c.attr_or("axis", 0), .inv = c.attr_or("inv", false)});
     }},
    {"repeat",
     [](const GoldenCall& c) {
       return repeat(c[0], c.attr<Shape>("repeats"),
                     c.optional_attr<int64_t>("axis"));
     }},
    {"reshape",
     [](const GoldenCall& c) { return reshape(c[0], c.attr<Shape>("shape")); }},
    {"resize_images",
     [](const GoldenCall& c) {
       return resize_images(
           c[0], c.attr<Shape>("output_shape"),
           {.mode = c.attr_or<std::string>("mode", "bilinear"),
            .align_corners = c.attr_or("align_corners", true)});
     }},
    {"rollaxis",
     [](const GoldenCall& c) {
       return rollaxis(c[0], c.attr<int>("axis"), c.attr_or("start", 0));
     }},
    {"scatter_add",
     [](const GoldenCall& c) { return scatter_add(c[0], index_of(c), c[1]); }},
    {"select_item",
     [](const GoldenCall& c) { return select_item(c[0], c[1]); }},
    {"separate",
     [](const GoldenCall& c) {
       return separate(c[0], {.axis = c.attr_or("axis", 0)});
     }},
    {"space2depth",
     [](const GoldenCall& c) { return space2depth(c[0], c.attr<int>("r")); }},
    {"spatial_transformer_grid",
     [](const GoldenCall& c) {
       return spatial_transformer_grid(c[0], c.attr<Shape>("output_shape"));
     }},
    {"spatial_transformer_sampler", spatial_transformer_sampler},
    {"split_axis", split},
    {"squeeze",
     [](const GoldenCall& c) {
       const auto axis = c.optional_attr<Shape>("axis");
       return squeeze(c[0], axis ? AxisSet(*axis) : AxisSet());
     }},
    {"stack",
     [](const GoldenCall& c) {
       return stack(c.inputs(), {.axis = c.attr_or("axis", 0)});
     }},
    {"swapaxes",
     [](const GoldenCall& c) {
       return swapaxes(c[0], c.attr<int>("axis1"), c.attr<int>("axis2"));
     }},
    {"tile",
     [](const GoldenCall& c) { return tile(c[0], c.attr<Shape>("reps")); }},
    {"transpose",
     [](const GoldenCall& c) {
       return transpose(c[0], c.attr_or("axes", Shape{}));
     }},
    {"transpose_sequence",
     [](const GoldenCall& c) { return transpose_sequence(c.inputs()); }},
    {"vstack", [](const GoldenCall& c) { return vstack(c.inputs()); }},
    {"where", [](const GoldenCall& c) { return where(c[0], c[1], c[2]); }},
};

class ArrayGolden : public testing::FunctionGoldenTest {};
TEST_P(ArrayGolden, AgreesWithChainer) { check_case(); }
INSTANTIATE_TEST_SUITE_P(Cases, ArrayGolden,
                         testing::every_golden_function("functions/array",
                                                        kFunctions),
                         testing::golden_function_name);

TEST(ArrayGoldenTable, HasARowForEachFile) {
  testing::check_golden_table("functions/array", kFunctions);
}

TEST(ArrayGoldenTable, GivesUsualResultsForUnusualNumbers) {
  testing::expect_usual_results("functions/array", kFunctions);
}

}  // namespace
}  // namespace catena::functions

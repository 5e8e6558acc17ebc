#include <string>

#include "catena/array/reduction/comparison.h"
#include "catena/functions/pooling/average_pooling.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/functions/pooling/roi_pooling_2d.h"
#include "catena/functions/pooling/spatial_pyramid_pooling_2d.h"
#include "catena/functions/pooling/unpooling.h"
#include "catena/tests/numbers/function_numbers.h"
#include "catena/tests/support/function_golden.h"

namespace catena::functions {
namespace {

using testing::GoldenCall;

template <class Options>
using Form = Variable (*)(const Variable&, const Spatial&, const Options&);

// What the form for any number of axes gives; the one for as many axes as the
// case has must say the same.
template <class Options>
Variable in_both_forms(const GoldenCall& c, const Options& options,
                       Variable (*one)(const Variable&, int64_t,
                                       const Options&),
                       Form<Options> two, Form<Options> three,
                       Form<Options> any) {
  const Spatial ksize(c.attr<Shape>("ksize"));
  const Variable y = any(c[0], ksize, options);
  const auto expect_same = [&](const Variable& special) {
    EXPECT_THAT(special.data(), testing::IsArray(y.data()));
  };
  switch (c[0].ndim() - 2) {
    case 1:
      expect_same(one(c[0], ksize.sizes()[0], options));
      break;
    case 2:
      expect_same(two(c[0], ksize, options));
      break;
    case 3:
      expect_same(three(c[0], ksize, options));
      break;
  }
  return y;
}

Variable max_pooled(const GoldenCall& c) {
  MaxPoolingOptions options{.stride = c.optional_attr<Shape>("stride"),
                            .pad = c.attr_or("pad", Shape{0}),
                            .cover_all = c.attr_or("cover_all", true)};
  const Variable y = in_both_forms(c, options, max_pooling_1d, max_pooling_2d,
                                   max_pooling_3d, max_pooling_nd);
  const Array x = c[0].data();
  const bool is_golden =
      array::array_equal(x, c.golden().array("in0").to_device(x.device()));
  if (is_golden && c.golden().has("extra/indices")) {
    Array indices;
    options.return_indices = &indices;
    max_pooling_nd(c[0], c.attr<Shape>("ksize"), options);
    const Array expected = c.golden().array("extra/indices");
    EXPECT_THAT(indices.astype(expected.dtype()), testing::IsArray(expected));
  }
  return y;
}

Variable average_pooled(const GoldenCall& c) {
  AveragePoolingOptions options{.stride = c.optional_attr<Shape>("stride"),
                                .pad = c.attr_or("pad", Shape{0})};
  if (c.golden().has_attr("pad_value")) {
    options.pad_value = c.optional_attr<double>("pad_value");
  }
  return in_both_forms(c, options, average_pooling_1d, average_pooling_2d,
                       average_pooling_3d, average_pooling_nd);
}

UnpoolingOptions unpooling_options(const GoldenCall& c) {
  return {.stride = c.optional_attr<Shape>("stride"),
          .pad = c.attr_or("pad", Shape{0}),
          .outsize = c.optional_attr<Shape>("outsize"),
          .cover_all = c.attr_or("cover_all", true)};
}

Variable unpooled(const GoldenCall& c) {
  return in_both_forms(c, unpooling_options(c), unpooling_1d, unpooling_2d,
                       unpooling_3d, unpooling_nd);
}

template <auto kPooling>
Variable roi_pooled(const GoldenCall& c) {
  return kPooling(c[0], c[1].data(), c[2].data(), c.attr<Shape>("outsize"),
                  c.attr<double>("spatial_scale"));
}

template <auto kAlign>
Variable roi_aligned(const GoldenCall& c) {
  return kAlign(c[0], c[1].data(), c[2].data(), c.attr<Shape>("outsize"),
                c.attr<double>("spatial_scale"),
                {.sampling_ratio = c.optional_attr<Shape>("sampling_ratio")});
}

const testing::GoldenFunction kFunctions[] = {
    {"average_pooling_1d", average_pooled},
    {"average_pooling_2d", average_pooled},
    {"average_pooling_3d", average_pooled},
    {"average_pooling_nd", average_pooled},
    {"max_pooling_1d", max_pooled},
    {"max_pooling_2d", max_pooled},
    {"max_pooling_3d", max_pooled},
    {"max_pooling_nd", max_pooled},
    {"roi_average_align_2d", roi_aligned<roi_average_align_2d>},
    {"roi_average_pooling_2d", roi_pooled<roi_average_pooling_2d>},
    {"roi_max_align_2d", roi_aligned<roi_max_align_2d>},
    {"roi_max_pooling_2d", roi_pooled<roi_max_pooling_2d>},
    {"roi_pooling_2d",
     [](const GoldenCall& c) {
       return roi_pooling_2d(c[0], c[1].data(), c.attr<int>("outh"),
                             c.attr<int>("outw"),
                             c.attr<double>("spatial_scale"));
     }},
    {"spatial_pyramid_pooling_2d",
     [](const GoldenCall& c) {
       return spatial_pyramid_pooling_2d(
           c[0], c.attr<int>("pyramid_height"),
           {.pooling = c.attr_or<std::string>("pooling", "max")});
     }},
    {"unpooling_1d", unpooled},
    {"unpooling_2d", unpooled},
    {"unpooling_3d", unpooled},
    {"unpooling_nd", unpooled},
    {"upsampling_2d",
     [](const GoldenCall& c) {
       return upsampling_2d(c[0],
                            c.attr<Array>("indexes").astype(Dtype::kInt32),
                            c.attr<Shape>("ksize"), unpooling_options(c));
     }},
};

class PoolingGolden : public testing::FunctionGoldenTest {};
TEST_P(PoolingGolden, AgreesWithChainer) { check_case(); }
INSTANTIATE_TEST_SUITE_P(Cases, PoolingGolden,
                         testing::every_golden_function("functions/pooling",
                                                        kFunctions),
                         testing::golden_function_name);

TEST(PoolingGoldenTable, HasARowForEachFile) {
  testing::check_golden_table("functions/pooling", kFunctions);
}

TEST(PoolingGoldenTable, GivesUsualResultsForUnusualNumbers) {
  testing::expect_usual_results("functions/pooling", kFunctions);
}

}  // namespace
}  // namespace catena::functions

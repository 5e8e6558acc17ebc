#include "catena/functions/connection/bilinear.h"
#include "catena/functions/connection/convolution_nd.h"
#include "catena/functions/connection/deconvolution_nd.h"
#include "catena/functions/connection/deformable_convolution_2d_sampler.h"
#include "catena/functions/connection/depthwise_convolution_2d.h"
#include "catena/functions/connection/embed_id.h"
#include "catena/functions/connection/linear.h"
#include "catena/functions/connection/local_convolution_2d.h"
#include "catena/functions/connection/shift.h"
#include "catena/tests/numbers/function_numbers.h"
#include "catena/tests/support/function_golden.h"

namespace catena::functions {
namespace {

using testing::GoldenCall;

Spatial stride_of(const GoldenCall& c) { return c.attr_or("stride", Shape{1}); }
Spatial pad_of(const GoldenCall& c) { return c.attr_or("pad", Shape{0}); }
Spatial dilate_of(const GoldenCall& c) { return c.attr_or("dilate", Shape{1}); }

template <auto kConvolution>
Variable convolved(const GoldenCall& c) {
  return kConvolution(c[0], c[1], c[2],
                      {.stride = stride_of(c),
                       .pad = pad_of(c),
                       .cover_all = c.attr_or("cover_all", false),
                       .dilate = dilate_of(c),
                       .groups = c.attr_or("groups", 1)});
}

template <auto kDeconvolution>
Variable deconvolved(const GoldenCall& c) {
  return kDeconvolution(c[0], c[1], c[2],
                        {.stride = stride_of(c),
                         .pad = pad_of(c),
                         .outsize = c.optional_attr<Shape>("outsize"),
                         .dilate = dilate_of(c),
                         .groups = c.attr_or("groups", 1)});
}

const testing::GoldenFunction kFunctions[] = {
    {"bilinear",
     [](const GoldenCall& c) {
       return bilinear(c[0], c[1], c[2], c[3], c[4], c[5]);
     }},
    {"convolution_1d", convolved<convolution_1d>},
    {"convolution_2d", convolved<convolution_2d>},
    {"convolution_3d", convolved<convolution_3d>},
    {"convolution_nd", convolved<convolution_nd>},
    {"deconvolution_1d", deconvolved<deconvolution_1d>},
    {"deconvolution_2d", deconvolved<deconvolution_2d>},
    {"deconvolution_3d", deconvolved<deconvolution_3d>},
    {"deconvolution_nd", deconvolved<deconvolution_nd>},
    {"deformable_convolution_2d_sampler",
     [](const GoldenCall& c) {
       return deformable_convolution_2d_sampler(
           c[0], c[1], c[2], c[3], {.stride = stride_of(c), .pad = pad_of(c)});
     }},
    {"depthwise_convolution_2d",
     [](const GoldenCall& c) {
       return depthwise_convolution_2d(
           c[0], c[1], c[2], {.stride = stride_of(c), .pad = pad_of(c)});
     }},
    {"dilated_convolution_2d",
     [](const GoldenCall& c) {
       return dilated_convolution_2d(
           c[0], c[1], c[2],
           {.stride = stride_of(c),
            .pad = pad_of(c),
            .dilate = dilate_of(c),
            .cover_all = c.attr_or("cover_all", false)});
     }},
    {"embed_id",
     [](const GoldenCall& c) {
       return embed_id(
           c[0], c[1],
           {.ignore_label = c.optional_attr<int64_t>("ignore_label")});
     }},
    {"linear",
     [](const GoldenCall& c) {
       return linear(c[0], c[1], c[2],
                     {.n_batch_axes = c.attr_or("n_batch_axes", 1)});
     }},
    {"local_convolution_2d",
     [](const GoldenCall& c) {
       return local_convolution_2d(c[0], c[1], c[2], {.stride = stride_of(c)});
     }},
    {"shift",
     [](const GoldenCall& c) {
       return shift(c[0], {.ksize = c.attr_or("ksize", Shape{3}),
                           .dilate = dilate_of(c)});
     }},
};

class ConnectionGolden : public testing::FunctionGoldenTest {};
TEST_P(ConnectionGolden, AgreesWithChainer) { check_case(); }
INSTANTIATE_TEST_SUITE_P(Cases, ConnectionGolden,
                         testing::every_golden_function("functions/connection",
                                                        kFunctions),
                         testing::golden_function_name);

TEST(ConnectionGoldenTable, HasARowForEachFile) {
  testing::check_golden_table("functions/connection", kFunctions);
}

TEST(ConnectionGoldenTable, GivesUsualResultsForUnusualNumbers) {
  testing::expect_usual_results("functions/connection", kFunctions);
}

}  // namespace
}  // namespace catena::functions

#include "catena/links/model/gpt2.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::links {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

constexpr Gpt2Options kSmall = {.vocabulary = 11,
                                .context = 8,
                                .units = 12,
                                .heads = 3,
                                .layers = 2,
                                .dropout = 0};

class Gpt2Test : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, Gpt2Test, ::catena::testing::every_device());

Variable ids_of(const Shape& shape, int64_t vocabulary) {
  return as_variable(
      array::random::randint(0, vocabulary, shape).astype(Dtype::kInt32));
}

TEST(Gpt2SizesTest, TheDefaultsAreThoseOf124MillionParameters) {
  const auto count = [](const Gpt2Options& sizes) {
    const int64_t of_block = sizes.units * (12 * sizes.units + 13);
    return sizes.layers * of_block +
           (sizes.vocabulary + sizes.context + 2) * sizes.units;
  };
  EXPECT_EQ(count({}), 124439808);
  EXPECT_EQ(count(kSmall), Gpt2(kSmall).count_params());
}

TEST_P(Gpt2Test, ATokenSeesNoLaterOne) {
  Gpt2 model(kSmall);
  model.to_device(device());
  const Variable ids = ids_of({2, 6}, 11);
  const Array scores = model(ids).data();
  ASSERT_EQ(scores.shape(), Shape({2, 6, 11}));
  const Variable first = as_variable(ids.data()[{Slice(), Slice(0, 4)}]);
  EXPECT_THAT(model(first).data(),
              testing::IsClose(scores[{Slice(), Slice(0, 4)}],
                               {.rtol = 1e-4, .atol = 1e-5}));
}

TEST_P(Gpt2Test, CachesGiveWhatTheWholeTextGives) {
  Gpt2 model(kSmall);
  model.to_device(device());
  const Variable ids = ids_of({2, 6}, 11);
  const Array whole = model(ids).data();
  auto caches = model.make_caches(2);
  const auto part = [&](int64_t begin, int64_t end) {
    const Slice some(begin, end);
    const Array scores =
        model(as_variable(ids.data()[{Slice(), some}]), caches).data();
    EXPECT_THAT(scores, testing::IsClose(whole[{Slice(), some}],
                                         {.rtol = 1e-4, .atol = 1e-5}));
  };
  part(0, 4);
  part(4, 5);
  part(5, 6);
  EXPECT_THAT(error_of<ValueError>([&] { part(3, 6); }),
              HasSubstr("at most 8 tokens, the context, got 9"));
  caches.pop_back();
  EXPECT_THAT(error_of<ValueError>([&] { part(0, 1); }),
              HasSubstr("caches of 2 layers, got 1"));
}

TEST_P(Gpt2Test, EveryParameterGetsAGradient) {
  Gpt2 model(kSmall);
  model.to_device(device());
  // 2 embeddings, 12 of each block, 2 of the last normalization.
  const auto parameters = model.namedparams();
  EXPECT_EQ(parameters.size(), 28u);
  const Variable scores = model(ids_of({2, 8}, 11));
  scores.set_grad(array::random::normal(0, 1, scores.shape(), Dtype::kFloat32));
  scores.backward();
  for (const auto& [name, parameter] : parameters) {
    EXPECT_EQ(parameter.grad().shape(), parameter.shape()) << name;
  }
}

TEST(Gpt2ErrorTest, NamesWhatDoesNotFit) {
  EXPECT_THAT(error_of<ValueError>([] { Gpt2({.layers = 0}); }),
              HasSubstr("expected 1 to 65536 layers, got 0"));
  Gpt2 model(kSmall);
  EXPECT_THAT(error_of<ValueError>([&] {
                model(ids_of({1, 9}, 11));
              }),
              HasSubstr("at most 8 tokens, the context, got 9"));
  EXPECT_THAT(error_of<InvalidType>([&] { model(ids_of({3}, 11)); }),
              HasSubstr("two axes, got shape (3,)"));
  EXPECT_THAT(error_of<ValueError>([&] {
                model(as_variable(array::full({1, 2}, 11, Dtype::kInt32)));
              }),
              HasSubstr("11"));
}

}  // namespace
}  // namespace catena::links

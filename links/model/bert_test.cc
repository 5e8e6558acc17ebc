#include "catena/links/model/bert.h"

#include <gmock/gmock.h>

#include <functional>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::links {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

BertOptions tiny_bert() {
  return {.vocabulary = 11,
          .context = 8,
          .units = 12,
          .hidden = 20,
          .heads = 3,
          .layers = 2,
          .masked_lm = true,
          .next_sentence = true,
          .classes = 4};
}

class BertTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, BertTest, ::catena::testing::every_device());

Variable word_ids(const Shape& shape) {
  return as_variable(
      array::random::randint(0, 11, shape).astype(Dtype::kInt32));
}

TEST_P(BertTest, EveryParameterGetsAGradient) {
  Bert model(tiny_bert());
  model.to_device(device());
  const Variable features = model(word_ids({2, 8}));
  EXPECT_EQ(features.shape(), Shape({2, 8, 12}));
  EXPECT_EQ(model.pooled(features).shape(), Shape({2, 12}));
  EXPECT_EQ(model.masked_lm_scores(features).shape(), Shape({2, 8, 11}));
  EXPECT_EQ(model.next_sentence_scores(features).shape(), Shape({2, 2}));
  EXPECT_EQ(model.class_scores(features).shape(), Shape({2, 4}));
  const Variable loss = functions::sum(model.masked_lm_scores(features)) +
                        functions::sum(model.next_sentence_scores(features)) +
                        functions::sum(model.class_scores(features));
  loss.backward();
  for (const auto& [name, parameter] : model.namedparams()) {
    EXPECT_EQ(parameter.grad().shape(), parameter.shape()) << name;
  }
}

TEST_P(BertTest, PaddingDoesNotChangeAText) {
  const auto test_mode = using_config(&Config::train, false);
  Bert model(tiny_bert());
  model.to_device(device());
  const Variable ids = word_ids({2, 6});
  const Array lengths = array::array({6, 4}, Dtype::kInt32);
  const Array all = model(ids, {.lengths = lengths}).data();
  const Array shorter =
      model(as_variable(ids.data()[{Slice(1, 2), Slice(0, 4)}])).data();
  EXPECT_THAT((all[{Slice(1, 2), Slice(0, 4)}]),
              testing::IsClose(shorter, {.rtol = 1e-4, .atol = 1e-5}));
}

TEST(BertErrorTest, NamesWhatDoesNotFit) {
  const auto message = [](const std::function<void(BertOptions&)>& change) {
    BertOptions options = tiny_bert();
    change(options);
    return error_of<ValueError>([&] { Bert model(options); });
  };
  EXPECT_THAT(message([](BertOptions& o) { o.layers = 0; }),
              HasSubstr("1 to 65536 layers, got 0"));
  EXPECT_THAT(message([](BertOptions& o) { o.pooler = false; }),
              HasSubstr("expected a pooler"));
  EXPECT_THAT(message([](BertOptions& o) { o.classes = -1; }),
              HasSubstr("classes of at least 0, got -1"));
  EXPECT_THAT(
      message([](BertOptions& o) { o.activation = FeedForward::kSwiglu; }),
      HasSubstr("not gated"));
  Bert model(tiny_bert());
  EXPECT_THAT(error_of<InvalidType>([&] { model(word_ids({3})); }),
              HasSubstr("ids with two axes, got shape (3,)"));
  EXPECT_THAT(error_of<ValueError>([&] {
                model(word_ids({1, 9}));
              }),
              HasSubstr("at most 8 tokens, the context, got 9"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                model(word_ids({1, 3}),
                      {.token_types = array::zeros({1, 4}, Dtype::kInt32)});
              }),
              HasSubstr("token_types of the shape of ids, (1, 3), got (1, 4)"));
  EXPECT_THAT(error_of<ValueError>([&] {
                model(word_ids({1, 3}),
                      {.token_types = array::full({1, 3}, 2, Dtype::kInt32)});
              }),
              HasSubstr("2"));
}

}  // namespace
}  // namespace catena::links

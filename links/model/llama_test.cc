#include "catena/links/model/llama.h"

#include <gmock/gmock.h>

#include <functional>

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

LlamaOptions tiny() {
  return {.vocabulary = 11,
          .context = 8,
          .units = 12,
          .hidden = 20,
          .heads = 6,
          .kv_heads = 2,
          .layers = 2};
}

class LlamaTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, LlamaTest, ::catena::testing::every_device());

Variable token_ids(const Shape& shape) {
  return as_variable(
      array::random::randint(0, 11, shape).astype(Dtype::kInt32));
}

TEST_P(LlamaTest, EveryParameterGetsAGradient) {
  LlamaOptions options = tiny();
  options.qkv_bias = options.out_bias = options.hidden_bias = true;
  options.query_key_norm = true;
  Llama model(options);
  model.to_device(device());
  // 2 weights of the vocabulary, 12 parameters of each block, the last factors.
  const auto parameters = model.namedparams();
  EXPECT_EQ(parameters.size(), 27u);
  const Variable scores = model(token_ids({2, 8}));
  ASSERT_EQ(scores.shape(), Shape({2, 8, 11}));
  scores.set_grad(array::random::normal(0, 1, scores.shape(), Dtype::kFloat32));
  scores.backward();
  for (const auto& [name, parameter] : parameters) {
    EXPECT_EQ(parameter.grad().shape(), parameter.shape()) << name;
  }
  options.tied = true;
  EXPECT_FALSE(Llama(options).output.defined());
  EXPECT_EQ(Llama(options).namedparams().size(), 26u);
}

TEST_P(LlamaTest, CachesGiveWhatTheWholeTextGives) {
  LlamaOptions options = tiny();
  options.window = 3;
  options.first_window_layer = 1;
  options.rotary_scaling = functions::RotaryScaling{.original_context = 16};
  Llama model(options);
  model.to_device(device());
  const Variable ids = token_ids({2, 7});
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
  part(5, 7);
  EXPECT_THAT(error_of<ValueError>([&] { part(3, 6); }),
              HasSubstr("at most 8 tokens, the context, got 10"));
}

// Tables of rotations are kept from call to call, but not for another dtype.
TEST_P(LlamaTest, ShorterTextsAndOtherDtypesFollowLongerOnes) {
  Llama model(tiny());
  model.to_device(device());
  const Variable ids = token_ids({1, 6});
  const auto part = [&](Llama& of, int64_t end) {
    return of(as_variable(ids.data()[{Slice(), Slice(0, end)}])).data();
  };
  Llama fresh = model;
  const Array expected = part(fresh, 3);
  part(model, 6);
  EXPECT_THAT(part(model, 3), testing::IsArray(expected));
  EXPECT_EQ(part(model, 0).shape(), Shape({1, 0, 11}));
  for (const auto& [name, parameter] : model.namedparams()) {
    parameter.set_data(parameter.data().astype(Dtype::kFloat64));
  }
  EXPECT_THAT(part(model, 3).astype(Dtype::kFloat32),
              testing::IsClose(expected, {.rtol = 1e-4, .atol = 1e-5}));
}

// What a token sees is less than the window away, in each layer.
TEST_P(LlamaTest, AWindowLimitsWhatATokenSees) {
  LlamaOptions options = tiny();
  options.window = 2;
  Llama model(options);
  model.to_device(device());
  const Variable ids = token_ids({1, 6});
  const Array scores = model(ids).data();
  const auto changed = [&](int64_t at) {
    const Array other = ids.data().copy();
    const Array place = other[{0, at}];
    place.fill((place.item<int64_t>() + 1) % 11);
    const Array difference =
        (model(as_variable(other)).data() - scores)[{0, -1}];
    return difference.to_device(native_device());
  };
  // Two layers see two tokens back.
  EXPECT_THAT(changed(2),
              testing::IsArray(array::zeros({11}, Dtype::kFloat32)));
  EXPECT_THAT(
      changed(3),
      ::testing::Not(testing::IsArray(array::zeros({11}, Dtype::kFloat32))));
}

TEST(LlamaErrorTest, NamesWhatDoesNotFit) {
  const auto message = [](const std::function<void(LlamaOptions&)>& change) {
    LlamaOptions options = tiny();
    change(options);
    return error_of<ValueError>([&] { Llama model(options); });
  };
  EXPECT_THAT(message([](LlamaOptions& o) { o.layers = 0; }),
              HasSubstr("1 to 65536 layers, got 0"));
  EXPECT_THAT(message([](LlamaOptions& o) { o.window = 0; }),
              HasSubstr("got 8, 6, 12, 0 and 0"));
  EXPECT_THAT(message([](LlamaOptions& o) { o.first_window_layer = -1; }),
              HasSubstr("none and -1"));
  EXPECT_THAT(message([](LlamaOptions& o) { o.head_size = 3; }),
              HasSubstr("rotary_tables: expected a positive, even size"));
  EXPECT_THAT(message([](LlamaOptions& o) { o.head_size = 1 << 17; }),
              HasSubstr("heads of at most 65536 units, got 131072"));
  EXPECT_THAT(message([](LlamaOptions& o) { o.rotary_base = 0; }),
              HasSubstr("expected a positive base, got 0"));
  EXPECT_THAT(message([](LlamaOptions& o) { o.kv_heads = 4; }),
              HasSubstr("6 heads and 4 kv_heads"));
  EXPECT_THAT(message([](LlamaOptions& o) { o.vocabulary = 0; }),
              HasSubstr("EmbedID"));
  Llama model(tiny());
  EXPECT_THAT(error_of<InvalidType>([&] { model(token_ids({3})); }),
              HasSubstr("Llama: expected ids with two axes"));
  EXPECT_THAT(error_of<ValueError>([&] {
                model(token_ids({1, 9}));
              }),
              HasSubstr("at most 8 tokens, the context, got 9"));
}

}  // namespace
}  // namespace catena::links

#include "catena/links/lora.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_pool.h"
#include "catena/array/creation.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_hook.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/loss/linear_cross_entropy.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/links/attention/transformer_block.h"
#include "catena/links/model/gpt2.h"
#include "catena/optimizers/adamw.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::links {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::catena::testing::IsClose;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class LoraTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Lora, LoraTest, ::catena::testing::every_device(),
                         ::catena::testing::device_name);

constexpr Gpt2Options kSmall = {.vocabulary = 11,
                                .context = 6,
                                .units = 8,
                                .heads = 2,
                                .layers = 2,
                                .dropout = 0};

Variable ids() {
  return as_variable(array::array({{1, 5, 2, 9}, {10, 0, 3, 3}}));
}

// Values with which an update does something.
void fill_updates(Link& model) {
  for (const auto& [path, param] : model.namedparams()) {
    if (path.ends_with("/lora_B")) {
      param.data().assign(
          array::random::normal(0, 0.3, param.shape(), param.dtype()));
    }
  }
}

TEST_P(LoraTest, OutputsAreTheSameBitsAtFirst) {
  Gpt2 model(kSmall);
  const Array before = model(ids()).data();
  EXPECT_THAT(
      add_lora(model, {.rank = 2}),
      ElementsAre("/blocks/0/attention/qkv", "/blocks/0/attention/out",
                  "/blocks/1/attention/qkv", "/blocks/1/attention/out"));
  EXPECT_THAT(model(ids()).data(), IsArray(before));
  fill_updates(model);
  EXPECT_THAT(model(ids()).data(), Not(IsArray(before)));
}

TEST_P(LoraTest, TheFormulaIsThatOfTheWholeMatrix) {
  Linear layer(3, 4);
  const Array x = array::random::uniform(-1, 1, {5, 2, 3}, Dtype::kFloat32);
  layer.add_low_rank(2, {.alpha = 3});
  fill_updates(layer);
  const Array A = layer.param("lora_A").data();
  const Array B = layer.param("lora_B").data();
  Linear whole(3, 4);
  whole.b.copydata(layer.b);
  whole.W.data().assign(layer.W.data() + array::dot(B, A) * 1.5);
  EXPECT_THAT(layer(Variable(x), {.n_batch_axes = 2}).data(),
              IsClose(whole(Variable(x), {.n_batch_axes = 2}).data()));
}

TEST_P(LoraTest, OnlyUpdatesLearn) {
  array::random::seed(0);
  Gpt2 model(kSmall);
  add_lora(model, {.rank = 2, .names = {"qkv", "layer1"}});
  optimizers::AdamW optimizer({.lr = 0.05});
  optimizer.setup(model);
  const auto loss = [&] {
    const Variable scores = model(ids());
    return functions::softmax_cross_entropy(
        functions::reshape(scores, {8, 11}),
        array::array({5, 2, 9, 1, 0, 3, 3, 4}));
  };
  std::vector<Array> before;
  for (const Parameter& param : model.params()) {
    before.push_back(param.data().copy());
  }
  const double first = loss().data().astype(Dtype::kFloat64).item<double>();
  for (int i = 0; i < 100; ++i) optimizer.update(loss);
  EXPECT_LT(loss().data().astype(Dtype::kFloat64).item<double>(), first - 0.05);
  size_t i = 0;
  for (const auto& [path, param] : model.namedparams()) {
    const bool learns = path.find("/lora_") != std::string::npos;
    EXPECT_EQ(param.is_frozen(), !learns) << path;
    EXPECT_EQ(param.grad().defined(), learns) << path;
    EXPECT_EQ(update_rule_of(param).state().empty(), !learns) << path;
    if (learns) {
      EXPECT_THAT(param.data(), Not(IsArray(before[i]))) << path;
    } else {
      EXPECT_THAT(param.data(), IsArray(before[i])) << path;
    }
    ++i;
  }
}

TEST_P(LoraTest, MergedIsUnmergedUpToRounding) {
  Gpt2 model(kSmall);
  const Array W =
      (*model.blocks)[0].children()[1]->children()[0]->param("W").data();
  const Array before = W.copy();
  add_lora(model, {.rank = 3});
  fill_updates(model);
  const Array expected = model(ids()).data();
  merge_lora(model);
  EXPECT_THAT(W, Not(IsArray(before)));
  EXPECT_THAT(model(ids()).data(), IsClose(expected));
  merge_lora(model);
  EXPECT_THAT(model(ids()).data(), IsClose(expected));
  unmerge_lora(model);
  EXPECT_THAT(W, IsClose(before, {.rtol = 1e-5, .atol = 1e-6}));
  EXPECT_THAT(model(ids()).data(), IsClose(expected));
  merge_lora(model);
  remove_lora(model);
  EXPECT_THAT(model(ids()).data(), IsClose(expected));
  for (const auto& [path, param] : model.namedparams()) {
    EXPECT_EQ(path.find("lora"), std::string::npos);
    EXPECT_TRUE(param.is_frozen());
  }
}

TEST_P(LoraTest, WhatIsNotMergedIsRemovedWithoutATrace) {
  Gpt2 model(kSmall);
  const Array before = model(ids()).data();
  add_lora(model);
  fill_updates(model);
  remove_lora(model);
  EXPECT_THAT(model(ids()).data(), IsArray(before));
  add_lora(model);
  EXPECT_THAT(model(ids()).data(), IsArray(before));
}

TEST_P(LoraTest, UpdatesAreSavedAlone) {
  Gpt2 model(kSmall);
  Gpt2 other = model;
  add_lora(model, {.rank = 2, .alpha = 5});
  fill_updates(model);
  const std::string file =
      (std::filesystem::path(::testing::TempDir()) /
       str("lora", device().is_native() ? "" : "_gpu", ".npz"))
          .string();
  LoraParameters update(model);
  serializers::save_npz(file, update);
  EXPECT_THAT(
      array::NpzReader(file).keys(),
      ::testing::AllOf(::testing::SizeIs(12),
                       ::testing::Contains("blocks/0/attention/qkv/lora_A")));

  add_lora(other, {.rank = 2});
  LoraParameters loaded(other);
  serializers::load_npz(file, loaded);
  EXPECT_THAT(other(ids()).data(), IsArray(model(ids()).data()));

  Gpt2 wrong(kSmall);
  add_lora(wrong, {.rank = 4});
  LoraParameters of_wrong(wrong);
  EXPECT_THAT(error_of<IoError>([&] { serializers::load_npz(file, of_wrong); }),
              HasSubstr("lora_A"));
}

TEST_P(LoraTest, SnapshotsAndCopiesHaveTheUpdates) {
  Gpt2 model(kSmall);
  add_lora(model, {.rank = 2});
  fill_updates(model);
  const Array expected = model(ids()).data();
  Gpt2 other = model;
  EXPECT_THAT(other(ids()).data(), IsArray(expected));
  EXPECT_TRUE(other.tokens->is_frozen());
  Gpt2 third(kSmall);
  add_lora(third, {.rank = 2});
  third.copyparams(model);
  EXPECT_THAT(third(ids()).data(), IsArray(expected));
}

TEST_P(LoraTest, DropoutIsThatOfTraining) {
  Linear layer(50, 2);
  layer.add_low_rank(2, {.dropout = 0.5});
  fill_updates(layer);
  const Variable x(array::ones({1, 50}, Dtype::kFloat32));
  EXPECT_THAT(layer(x).data(), Not(IsArray(layer(x).data())));
  const auto scope = using_config(&Config::train, false);
  EXPECT_THAT(layer(x).data(), IsArray(layer(x).data()));
}

// The most that is in use around functions, forward and backward.
class MostUsed final : public FunctionHook {
 public:
  std::string_view name() const override { return "MostUsed"; }
  void forward_postprocess(const FunctionNode& /*function*/,
                           const Arrays& /*inputs*/) override {
    look();
  }
  void backward_preprocess(const FunctionNode& /*function*/,
                           const Variables& /*grad_outputs*/) override {
    look();
  }
  void backward_postprocess(const FunctionNode& /*function*/,
                            const Variables& /*grad_outputs*/) override {
    look();
  }
  void look() {
    bytes = std::max(bytes, cpu::memory_pool_statistics().used_bytes);
  }

  int64_t bytes = 0;
};

TEST(LoraMemoryTest, AStepTakesLittleMoreThanWeightsActivationsAndSmallStates) {
  array::random::seed(0);
  const auto used = [] { return cpu::memory_pool_statistics().used_bytes; };
  const Variable words = as_variable(
      array::random::randint(0, 4096, {4, 64}).astype(Dtype::kInt32));
  const int64_t before = used();
  Gpt2 model({.vocabulary = 4096,
              .context = 64,
              .units = 128,
              .heads = 4,
              .layers = 8,
              .dropout = 0});
  add_lora(model, {.rank = 8});
  const auto loss = [&] {
    return functions::linear_cross_entropy(model.features(words),
                                           model.output_weight(), words);
  };
  const int64_t weights = used() - before;
  int64_t activations = 0;
  {
    const Variable y = loss();
    activations = used() - before - weights;
  }
  optimizers::AdamW optimizer({.lr = 0.01});
  optimizer.setup(model);
  // A gradient and two moments for each element of the updates.
  int64_t states = 0;
  int64_t all = 0;
  for (const Parameter& param : model.params()) {
    all += param.data().nbytes();
    if (!param.is_frozen()) states += 3 * param.data().nbytes();
  }
  optimizer.update(loss);
  MostUsed most;
  {
    const FunctionHookScope scope(most);
    optimizer.update(loss);
    most.look();
  }
  const int64_t wanted = weights + activations + states;
  EXPECT_LE(most.bytes - before, wanted + wanted / 10);
  // Gradients of all weights would be more than that.
  EXPECT_GT(all, wanted / 5);
  model.unfreeze();
  optimizer.setup(model);
  optimizer.update(loss);
  {
    const FunctionHookScope scope(most);
    optimizer.update(loss);
    most.look();
  }
  EXPECT_GT(most.bytes - before, wanted + 2 * all);
}

TEST(LoraErrorTest, NamesWhatIsWrongAndChangesNothing) {
  Gpt2 model(kSmall);
  EXPECT_THAT(error_of<ValueError>([&] { add_lora(model, {.names = {"kv"}}); }),
              HasSubstr("add_lora: expected the name of a layer whose "
                        "path ends with"));
  EXPECT_THAT(error_of<ValueError>([&] { add_lora(model, {.names = {}}); }),
              HasSubstr("expected names of layers, got none"));
  EXPECT_THAT(
      error_of<ValueError>([&] { add_lora(model, {.rank = 0}); }),
      HasSubstr("add_lora: /blocks/0/attention/qkv: Linear::add_low_rank: "
                "expected a positive rank, a finite alpha and dropout in [0, "
                "1), got 0"));
  EXPECT_THROW(add_lora(model, {.alpha = NAN}), ValueError);
  EXPECT_THROW(add_lora(model, {.dropout = 1}), ValueError);
  for (auto* const operation : {merge_lora, unmerge_lora, remove_lora}) {
    EXPECT_THAT(error_of<ValueError>([&] { operation(model); }),
                HasSubstr("expected a model with updates of low rank"));
  }
  EXPECT_THROW(LoraParameters{model}, ValueError);
  EXPECT_FALSE(model.tokens->is_frozen());
  add_lora(model, {.names = {"1/attention/qkv"}});
  const size_t count = model.params().size();
  EXPECT_THAT(error_of<ValueError>([&] { add_lora(model); }),
              HasSubstr("add_lora: /blocks/1/attention/qkv: "
                        "Linear::add_low_rank: expected a layer without such "
                        "an update, got one with rank 8"));
  EXPECT_EQ(model.params().size(), count);
  Linear late(3);
  EXPECT_THAT(error_of<ValueError>([&] { late.add_low_rank(2); }),
              HasSubstr("expected a layer whose W is initialized"));
}

TEST(LoraErrorTest, MergedUpdatesAreNotSaved) {
  Linear layer(3, 2);
  layer.add_low_rank(1);
  layer.merge_low_rank();
  EXPECT_TRUE(layer.is_low_rank_merged());
  const std::string file =
      (std::filesystem::path(::testing::TempDir()) / "merged.npz").string();
  EXPECT_THAT(error_of<ValueError>([&] { serializers::save_npz(file, layer); }),
              HasSubstr("unmerge or remove it before"));
  LoraParameters update(layer);
  EXPECT_NO_THROW(serializers::save_npz(file, update));
  EXPECT_THROW(serializers::load_npz(file, update), ValueError);
  layer.unmerge_low_rank();
  serializers::load_npz(file, update);
}

}  // namespace
}  // namespace catena::links

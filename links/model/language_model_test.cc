#include "catena/links/model/language_model.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <numeric>

#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/reduction/reduce.h"
#include "catena/autograd/config.h"
#include "catena/functions/connection/embed_id.h"
#include "catena/links/model/gpt2.h"
#include "catena/links/model/llama.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::links {
namespace {

using ::catena::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ids = std::vector<int32_t>;

Array table_of(const std::vector<std::vector<double>>& rows) {
  const Array table =
      array::empty({std::ssize(rows), std::ssize(rows)}, Dtype::kFloat32);
  float* next = table.data<float>();
  for (const auto& row : rows) next = std::copy(row.begin(), row.end(), next);
  return table;
}

// Scores of the next token depend on the last one alone, by a table.
class TableModel : public Chain<TableModel, LanguageModel> {
 public:
  // Row i has the scores after token i.
  TableModel(const std::vector<std::vector<double>>& rows, int64_t context)
      : context_(context),
        table_(this, "table", table_of(rows),
               Shape{std::ssize(rows), std::ssize(rows)}),
        unit_(this, "unit", array::identity(std::ssize(rows), Dtype::kFloat32),
              Shape{std::ssize(rows), std::ssize(rows)}) {}

  LanguageModelSizes sizes() const override {
    return {.vocabulary = unit_.shape()[0],
            .context = context_,
            .layers = 1,
            .kv_heads = 1,
            .head_size = 1};
  }
  Variable features(const Variable& ids,
                    std::span<functions::KeyValueCache> caches) override {
    tokens_before("TableModel", ids, caches);
    const Shape& shape = ids.shape();
    const Array nothing =
        array::zeros({shape[0], 1, shape[1], 1}, Dtype::kFloat32);
    for (auto& cache : caches) cache.append(nothing, nothing);
    return functions::embed_id(ids, table_);
  }
  const Param& output_weight() const override { return unit_; }

 private:
  int64_t context_;
  Param table_;
  Param unit_;
};

// 0 is followed by 1, 1 by 2, 2 by 3, 3 by 0, mostly.
TableModel cycle(int64_t context = 16) {
  return TableModel({{0, 3, 1, 0}, {0, 0, 3, 1}, {1, 0, 0, 3}, {3, 1, 0, 0}},
                    context);
}

Ids write(LanguageModel& model, const Ids& ids,
          const GenerateOptions& options) {
  return generate(model, ids, options).ids;
}

TEST(GenerateTest, TakesTheMostProbableToken) {
  TableModel model = cycle();
  const Generation text = generate(model, Ids{0}, {.max_tokens = 5});
  EXPECT_THAT(text.ids, ElementsAre(1, 2, 3, 0, 1));
  EXPECT_EQ(text.end, GenerationEnd::kMaxTokens);
  EXPECT_THAT(write(model, {0, 2}, {.max_tokens = 1}), ElementsAre(3));
  EXPECT_THAT(write(model, {0}, {.max_tokens = 0}), ::testing::IsEmpty());
}

TEST(GenerateTest, EndsWhereTheContextIsFull) {
  TableModel model = cycle(5);
  const Generation text = generate(model, Ids{0, 1, 2}, {.max_tokens = 5});
  EXPECT_THAT(text.ids, ElementsAre(3, 0));
  EXPECT_EQ(text.end, GenerationEnd::kContext);
  EXPECT_THAT(generate(model, Ids{0, 1, 2}, {.max_tokens = 5, .beams = 2}).ids,
              ElementsAre(3, 0));
}

TEST(GenerateTest, StopsAtIdsSequencesTextsAndTheCallbacksWish) {
  TableModel model = cycle();
  const auto expect = [&](const GenerateOptions& options, const Ids& ids,
                          GenerationEnd end) {
    const Generation text = generate(model, Ids{0}, options);
    EXPECT_EQ(text.ids, ids);
    EXPECT_EQ(text.end, end);
  };
  expect({.stop_ids = {7, 3}}, {1, 2}, GenerationEnd::kStop);
  expect({.stop_sequences = {{3, 1}, {3, 0}}}, {1, 2}, GenerationEnd::kStop);
  Ids decoded;
  const auto decode = [&](int32_t id) {
    decoded.push_back(id);
    return std::string(1, static_cast<char>('a' + id));
  };
  expect({.stop_texts = {"x", "da"}, .decode = decode}, {1, 2, 3, 0},
         GenerationEnd::kStop);
  EXPECT_THAT(decoded, ElementsAre(1, 2, 3, 0));  // each once
  expect({.stop_texts = {"cdab"}, .decode = decode}, {1, 2, 3, 0, 1},
         GenerationEnd::kStop);
  Ids seen;
  expect({.on_token =
              [&](int32_t id) {
                seen.push_back(id);
                return id != 3;
              }},
         {1, 2, 3}, GenerationEnd::kCallback);
  EXPECT_THAT(seen, ElementsAre(1, 2, 3));
}

TEST(GenerateTest, ThePenaltyAvoidsWhatTheTextHas) {
  TableModel model({{4, 3, -1, 0}, {4, 3, 2, 0}, {0, 0, 1, 0}, {1, 0, 0, 0}},
                   16);
  EXPECT_THAT(write(model, {0}, {.max_tokens = 2}), ElementsAre(0, 0));
  // 4 / 1.5 < 3, then 4 / 1.5 > 3 / 1.5.
  EXPECT_THAT(write(model, {0}, {.max_tokens = 2, .repetition_penalty = 1.5}),
              ElementsAre(1, 0));
  EXPECT_THAT(write(model, {0}, {.max_tokens = 2, .repetition_penalty = 2.5}),
              ElementsAre(1, 2));
}

// How often each token is drawn after token 0.
std::map<int32_t, double> shares(const GenerateOptions& options) {
  TableModel model(
      {{std::log(0.5), std::log(0.3), std::log(0.15), std::log(0.05)},
       {0, 0, 0, 0},
       {0, 0, 0, 0},
       {0, 0, 0, 0}},
      4);
  std::map<int32_t, double> result;
  constexpr int kCount = 2000;
  for (int i = 0; i < kCount; ++i) {
    GenerateOptions one = options;
    one.max_tokens = 1;
    one.seed = static_cast<uint64_t>(i);
    result[write(model, {0}, one)[0]] += 1.0 / kCount;
  }
  return result;
}

void expect_shares(const GenerateOptions& options,
                   const std::map<int32_t, double>& expected) {
  const auto actual = shares(options);
  EXPECT_EQ(actual.size(), expected.size());
  for (const auto& [id, share] : expected) {
    // Four standard deviations.
    EXPECT_NEAR(actual.at(id), share, 4 * std::sqrt(0.25 / 2000)) << id;
  }
}

TEST(GenerateTest, DrawsTokensByTheirProbabilities) {
  expect_shares({.temperature = 1}, {{0, 0.5}, {1, 0.3}, {2, 0.15}, {3, 0.05}});
  // Roots of probabilities, divided by their sum.
  const double sum =
      std::sqrt(0.5) + std::sqrt(0.3) + std::sqrt(0.15) + std::sqrt(0.05);
  expect_shares({.temperature = 2}, {{0, std::sqrt(0.5) / sum},
                                     {1, std::sqrt(0.3) / sum},
                                     {2, std::sqrt(0.15) / sum},
                                     {3, std::sqrt(0.05) / sum}});
  expect_shares({.temperature = 1, .top_k = 2}, {{0, 0.625}, {1, 0.375}});
  expect_shares({.temperature = 1, .top_k = 9},
                {{0, 0.5}, {1, 0.3}, {2, 0.15}, {3, 0.05}});
  expect_shares({.temperature = 1, .top_p = 0.6}, {{0, 0.625}, {1, 0.375}});
  expect_shares({.temperature = 1, .top_p = 0.1}, {{0, 1}});
  expect_shares({.temperature = 1, .top_k = 3, .top_p = 0.6},
                {{0, 0.625}, {1, 0.375}});
  expect_shares({.temperature = 1e-9}, {{0, 1}});
}

// More tokens than are sorted at first.
TEST(GenerateTest, ManyTokensMayBeProbable) {
  constexpr int64_t kCount = 300;
  std::vector<std::vector<double>> rows(kCount, std::vector<double>(kCount, 0));
  TableModel model(rows, 4);
  int32_t largest = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const int32_t id = write(
        model, {0},
        {.max_tokens = 1, .temperature = 1, .top_p = 0.5, .seed = seed})[0];
    largest = std::max(largest, id);
  }
  // Equal scores are in the order of ids, and half of them are kept.
  EXPECT_LT(largest, kCount / 2);
  EXPECT_GT(largest, kCount / 3);
}

Gpt2 small_gpt() {
  return Gpt2({.vocabulary = 11,
               .context = 12,
               .units = 12,
               .heads = 3,
               .layers = 2,
               .deviation = 0.5});
}

Llama small_llama() {
  return Llama({.vocabulary = 11,
                .context = 12,
                .units = 12,
                .hidden = 16,
                .heads = 6,
                .kv_heads = 2,
                .layers = 2,
                .window = 4,
                .first_window_layer = 1,
                .query_key_norm = true,
                .deviation = 0.5});
}

// Without caches: the whole text each time.
Ids greedy_ids(LanguageModel& model, Ids text, int64_t count) {
  const auto test_mode = using_config(&Config::train, false);
  const auto no_graph = no_backprop_mode();
  const size_t given = text.size();
  for (int64_t i = 0; i < count; ++i) {
    Array ids =
        array::empty({1, std::ssize(text)}, Dtype::kInt32, native_device());
    std::copy(text.begin(), text.end(), ids.data<int32_t>());
    ids = ids.to_device(current_device());
    const Array scores = model(as_variable(ids)).data()[{0, -1}];
    text.push_back(static_cast<int32_t>(array::argmax(scores).item<int64_t>()));
  }
  return {text.begin() + static_cast<ptrdiff_t>(given), text.end()};
}

class LanguageModelTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, LanguageModelTest,
                         ::catena::testing::every_device());

TEST_P(LanguageModelTest, WritesWhatTheWholeTextGives) {
  Gpt2 gpt = small_gpt();
  Llama llama = small_llama();
  for (LanguageModel* model :
       std::initializer_list<LanguageModel*>{&gpt, &llama}) {
    model->to_device(device());
    const Ids prompt = {1, 2, 3};
    EXPECT_EQ(write(*model, prompt, {.max_tokens = 9}),
              greedy_ids(*model, prompt, 9));
  }
}

TEST(LanguageModelThreadsTest, TheTextIsTheSameForAnyNumberOfThreads) {
  Llama model = small_llama();
  const int threads = get_num_threads();
  const GenerateOptions options = {
      .max_tokens = 9, .temperature = 1.5, .seed = 5};
  set_num_threads(1);
  const Ids one = write(model, {1}, options);
  set_num_threads(2);
  const Ids two = write(model, {1}, options);
  set_num_threads(threads);
  EXPECT_EQ(one, two);
  GenerateOptions other = options;
  other.seed = 6;
  EXPECT_NE(write(model, {1}, other), one);
}

// The log probability of a text.
double log_probability(LanguageModel& model, const Ids& prompt,
                       const Ids& text) {
  const auto test_mode = using_config(&Config::train, false);
  const auto no_graph = no_backprop_mode();
  Ids all = prompt;
  all.insert(all.end(), text.begin(), text.end());
  Array ids =
      array::empty({1, std::ssize(all)}, Dtype::kInt32, native_device());
  std::copy(all.begin(), all.end(), ids.data<int32_t>());
  const Array scores = model(as_variable(ids)).data().astype(Dtype::kFloat64);
  double sum = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto at = static_cast<int64_t>(prompt.size() + i) - 1;
    double total = 0;
    for (int64_t id = 0; id < scores.shape()[2]; ++id) {
      total += std::exp(scores[{0, at, id}].item<double>());
    }
    sum += scores[{0, at, text[i]}].item<double>() - std::log(total);
  }
  return sum;
}

TEST(BeamTest, ManyBeamsFindTheMostProbableText) {
  Gpt2 model = small_gpt();
  const Ids prompt = {4};
  double best = -1e9;
  Ids expected;
  for (int32_t a = 0; a < 11; ++a) {
    for (int32_t b = 0; b < 11; ++b) {
      for (int32_t c = 0; c < 11; ++c) {
        const double score = log_probability(model, prompt, {a, b, c});
        if (score > best) {
          best = score;
          expected = {a, b, c};
        }
      }
    }
  }
  EXPECT_EQ(write(model, prompt, {.max_tokens = 3, .beams = 150}), expected);
  // Few beams find a text that is at least as probable as that of one.
  const Ids greedy = write(model, prompt, {.max_tokens = 6});
  const Ids beam = write(model, prompt, {.max_tokens = 6, .beams = 4});
  EXPECT_GE(log_probability(model, prompt, beam),
            log_probability(model, prompt, greedy) - 1e-4);
}

// After 0, 1 is best at first, but a text that begins with 2 is better.
TEST(BeamTest, SeesFurtherThanOneToken) {
  const double no = -20;
  TableModel model({{no, std::log(0.6), std::log(0.4), no},
                    {0, 0, 0, 0},
                    {no, no, no, std::log(1.0)},
                    {no, no, no, std::log(1.0)}},
                   8);
  EXPECT_EQ(write(model, {0}, {.max_tokens = 2})[0], 1);
  EXPECT_THAT(write(model, {0}, {.max_tokens = 2, .beams = 2}),
              ElementsAre(2, 3));
}

TEST(BeamTest, TheLengthPenaltyPrefersLongerTexts) {
  const double no = -20;
  // 0 is followed by 3, which ends a text, or by 1, and this by 3.
  TableModel model({{no, std::log(0.45), no, std::log(0.55)},
                    {no, std::log(0.5), no, std::log(0.5)},
                    {no, no, no, no},
                    {no, no, no, 0}},
                   8);
  const auto text = [&](double penalty) {
    return generate(model, Ids{0},
                    {.max_tokens = 3,
                     .stop_ids = {3},
                     .beams = 2,
                     .length_penalty = penalty});
  };
  EXPECT_THAT(text(0).ids, ::testing::IsEmpty());
  EXPECT_EQ(text(0).end, GenerationEnd::kStop);
  EXPECT_GT(text(4).ids.size(), 1u);
}

TEST_P(LanguageModelTest, CachesHaveACapacity) {
  Llama model = small_llama();
  model.to_device(device());
  EXPECT_EQ(model.make_caches().size(), 2u);
  EXPECT_EQ(model.make_caches()[0].capacity(), 12);
  EXPECT_EQ(model.make_caches(3, 5)[1].capacity(), 5);
  EXPECT_EQ(model.make_caches(3, 5)[1].keys().shape(), Shape({3, 2, 0, 2}));
  EXPECT_EQ(model.make_caches()[0].keys().device(), device());
  EXPECT_THAT(error_of<ValueError>([&] { model.make_caches(1, 13); }),
              HasSubstr("a capacity from 0 to 12, the context, got 13"));
}

TEST(GenerateErrorTest, NamesWhatDoesNotFit) {
  TableModel model = cycle(4);
  const auto message = [&](const Ids& ids, const GenerateOptions& options) {
    return error_of<ValueError>([&] { generate(model, ids, options); });
  };
  EXPECT_THAT(message({}, {}), HasSubstr("expected 1 to 4 ids, the context"));
  EXPECT_THAT(message({0, 0, 0, 0, 0}, {}), HasSubstr("got 5"));
  EXPECT_THAT(message({4}, {}), HasSubstr("expected ids from 0 to 3, got 4"));
  EXPECT_THAT(message({-1}, {}), HasSubstr("got -1"));
  EXPECT_THAT(message({0}, {.max_tokens = -1}), HasSubstr("got -1 and 0"));
  EXPECT_THAT(message({0}, {.temperature = -1}), HasSubstr("got -1"));
  EXPECT_THAT(message({0}, {.top_k = -2}), HasSubstr("got 128 and -2"));
  EXPECT_THAT(message({0}, {.top_p = 0}), HasSubstr("top_p above 0"));
  EXPECT_THAT(message({0}, {.top_p = 1.5}), HasSubstr("got 1.5"));
  EXPECT_THAT(message({0}, {.repetition_penalty = 0}),
              HasSubstr("positive repetition_penalty"));
  EXPECT_THAT(message({0}, {.beams = 0}), HasSubstr("1 to 1000 beams, got 0"));
  EXPECT_THAT(message({0}, {.beams = 2, .length_penalty = NAN}),
              HasSubstr("finite length_penalty"));
  EXPECT_THAT(message({0}, {.stop_sequences = {{}}}),
              HasSubstr("got an empty one"));
  EXPECT_THAT(message({0}, {.stop_texts = {"a"}}),
              HasSubstr("expected decode"));
  EXPECT_THAT(message({0}, {.temperature = 1, .beams = 2}),
              HasSubstr("expected beams without temperature"));
  TableModel broken({{NAN, 0}, {0, 0}}, 4);
  EXPECT_THAT(error_of<ValueError>([&] { generate(broken, Ids{0}); }),
              HasSubstr("expected scores that are numbers"));
}

}  // namespace
}  // namespace catena::links

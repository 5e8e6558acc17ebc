// The links of the n_step functions.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/links/connection/n_step_gru.h"
#include "catena/links/connection/n_step_lstm.h"
#include "catena/links/connection/n_step_rnn.h"
#include "catena/links/testing/golden_link.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::links {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::golden_cases;
using ::catena::testing::GoldenCase;
using ::catena::testing::IsArray;
using ::catena::testing::IsClose;
using ::testing::HasSubstr;

class NStepLinksTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, NStepLinksTest,
                         ::catena::testing::every_device());

template <class LinkType>
void expect_golden(const std::string& name) {
  for (const GoldenCase& golden : golden_cases("links/" + name)) {
    SCOPED_TRACE(golden.name());
    const auto scope =
        using_config(&Config::dtype, golden.array("param/0/w0").dtype());
    LinkType link(
        golden.attr<int64_t>("n_layers"), golden.attr<int64_t>("in_size"),
        golden.attr<int64_t>("out_size"), golden.attr<double>("dropout"));
    ::catena::testing::set_golden_params(link, golden);
    ::catena::testing::expect_golden_call(
        link, golden, [&](const Variables& in) -> Variables {
          Variables outputs;
          std::vector<Variable> ys;
          if constexpr (requires { link(in[0], in[1], std::span(in)); }) {
            auto result = link(in[0], in[1], std::span(in).subspan(2));
            outputs = {result.hy, result.cy};
            ys = std::move(result.ys);
          } else {
            auto result = link(in[0], std::span(in).subspan(1));
            outputs = {result.hy};
            ys = std::move(result.ys);
          }
          outputs.insert(outputs.end(), ys.begin(), ys.end());
          return outputs;
        });
  }
}

// chainer 7.8.1
TEST_P(NStepLinksTest, NStepLSTMFollowsChainer) {
  expect_golden<NStepLSTM>("NStepLSTM");
}
TEST_P(NStepLinksTest, NStepBiLSTMFollowsChainer) {
  expect_golden<NStepBiLSTM>("NStepBiLSTM");
}
TEST_P(NStepLinksTest, NStepGRUFollowsChainer) {
  expect_golden<NStepGRU>("NStepGRU");
}
TEST_P(NStepLinksTest, NStepBiGRUFollowsChainer) {
  expect_golden<NStepBiGRU>("NStepBiGRU");
}
TEST_P(NStepLinksTest, NStepRNNTanhFollowsChainer) {
  expect_golden<NStepRNNTanh>("NStepRNNTanh");
}
TEST_P(NStepLinksTest, NStepRNNReLUFollowsChainer) {
  expect_golden<NStepRNNReLU>("NStepRNNReLU");
}
TEST_P(NStepLinksTest, NStepBiRNNTanhFollowsChainer) {
  expect_golden<NStepBiRNNTanh>("NStepBiRNNTanh");
}
TEST_P(NStepLinksTest, NStepBiRNNReLUFollowsChainer) {
  expect_golden<NStepBiRNNReLU>("NStepBiRNNReLU");
}

std::vector<Variable> sequences(const std::vector<int64_t>& lengths) {
  std::vector<Variable> xs;
  for (const int64_t length : lengths) {
    const Array x = array::arange(length * 2, Dtype::kFloat32).reshape({-1, 2});
    xs.emplace_back(x * (0.1 * (1.0 + xs.size())));
  }
  return xs;
}

// Each as if it were alone, whatever the others' lengths.
TEST_P(NStepLinksTest, SequencesDoNotMix) {
  NStepLSTM link(2, 2, 3, 0);
  const std::vector<Variable> xs = sequences({2, 4, 1, 4, 3});
  const auto [hy, cy, ys] = link({}, {}, xs);
  EXPECT_EQ(hy.shape(), Shape({2, 5, 3}));
  ASSERT_EQ(ys.size(), xs.size());
  for (size_t i = 0; i < xs.size(); ++i) {
    const auto alone = link({}, {}, std::span(xs).subspan(i, 1));
    EXPECT_THAT(ys[i].data(), IsClose(alone.ys[0].data()));
    const auto row = [&](const Variable& state, int64_t b) {
      return state.data()[{Slice(), b}];
    };
    EXPECT_THAT(row(hy, i), IsClose(row(alone.hy, 0)));
    EXPECT_THAT(row(cy, i), IsClose(row(alone.cy, 0)));
  }
}

template <class LinkType>
void expect_list_form(const Variable& xs) {
  LinkType link(2, 3, 4, 0);
  const auto run = [&](const auto& sequences) {
    if constexpr (requires { link({}, {}, sequences); }) {
      return link({}, {}, sequences);
    } else {
      return link({}, sequences);
    }
  };
  std::vector<Variable> list;
  for (int64_t b = 0; b < xs.shape()[0]; ++b) list.emplace_back(xs.data()[b]);
  const auto expected = run(list);
  const auto actual = run(xs);
  EXPECT_THAT(actual.hy.data(), IsArray(expected.hy.data()));
  ASSERT_EQ(actual.ys.shape()[0], static_cast<int64_t>(expected.ys.size()));
  for (size_t b = 0; b < expected.ys.size(); ++b) {
    EXPECT_THAT(actual.ys.data()[static_cast<int64_t>(b)],
                IsArray(expected.ys[b].data()));
  }
}

TEST_P(NStepLinksTest, OneArrayIsAListOfSequences) {
  const Variable xs(
      array::sin(array::arange(2 * 5 * 3, Dtype::kFloat32)).reshape({2, 5, 3}));
  expect_list_form<NStepLSTM>(xs);
  expect_list_form<NStepBiLSTM>(xs);
  expect_list_form<NStepGRU>(xs);
  expect_list_form<NStepBiGRU>(xs);
  expect_list_form<NStepRNNTanh>(xs);
  expect_list_form<NStepBiRNNReLU>(xs);
}

TEST_P(NStepLinksTest, OneArrayTakesStatesAndGivesGradients) {
  NStepLSTM link(1, 3, 4, 0);
  const Array all =
      array::sin(array::arange(2 * 6 * 3, Dtype::kFloat32)).reshape({2, 6, 3});
  const Variable whole(all);
  const auto at_once = link({}, {}, whole);
  const auto half = [&](int64_t begin) {
    return Variable(all[{Slice(), Slice(begin, begin + 3)}]);
  };
  const auto first = link({}, {}, half(0));
  const auto second = link(first.hy, first.cy, half(3));
  EXPECT_THAT(second.cy.data(), IsClose(at_once.cy.data()));
  EXPECT_THAT(second.ys.data(),
              IsClose(at_once.ys.data()[{Slice(), Slice(3, 6)}]));
  Variable ys = at_once.ys;
  ys.set_grad(array::ones_like(ys.data()));
  ys.backward();
  EXPECT_EQ(whole.grad().shape(), all.shape());
  EXPECT_TRUE(link.w(0, 0).grad().defined());
}

TEST_P(NStepLinksTest, WeightsAreScaledByTheirColumns) {
  const NStepLSTM link(2, 100, 50, 0);
  EXPECT_EQ(link.size(), 2);
  EXPECT_EQ(link.namedparams().size(), 32u);
  const auto deviation = [](const Array& w) {
    double squares = 0;
    for (const double x : w.to_vector<double>()) squares += x * x;
    return std::sqrt(squares / w.size());
  };
  EXPECT_EQ(link.w(0, 0).shape(), Shape({50, 100}));
  EXPECT_EQ(link.w(1, 0).shape(), Shape({50, 50}));
  EXPECT_NEAR(deviation(link.w(0, 3).data()), 0.1, 0.01);
  EXPECT_NEAR(deviation(link.w(0, 4).data()), std::sqrt(1.0 / 50), 0.02);
  EXPECT_THAT(link.b(1, 7).data(),
              IsArray(array::zeros({50}, Dtype::kFloat32)));
  const NStepBiLSTM both(2, 4, 3, 0);
  EXPECT_EQ(both.size(), 4);
  EXPECT_EQ(both.w(2, 0).shape(), Shape({3, 6}));
}

TEST_P(NStepLinksTest, TakesEmptySequencesAmongOthers) {
  NStepGRU link(1, 2, 3, 0);
  const auto [hy, ys] = link({}, sequences({0, 2}));
  EXPECT_EQ(ys[0].shape(), Shape({0, 3}));
  EXPECT_EQ(ys[1].shape(), Shape({2, 3}));
  EXPECT_THAT((hy.data()[{0, 0}]), IsArray(array::zeros({3}, Dtype::kFloat32)));
}

// The parameters in cuDNN's order: matrices, layer by layer, then biases.
template <class LinkType>
std::vector<Array> arrays_of(const LinkType& link) {
  constexpr int kWeights = 8;  // of an LSTM
  std::vector<Array> ws;
  std::vector<Array> bs;
  for (int64_t l = 0; l < link.size(); ++l) {
    for (int j = 0; j < kWeights; ++j) {
      ws.push_back(link.w(l, j).data());
      bs.push_back(link.b(l, j).data());
    }
  }
  ws.insert(ws.end(), bs.begin(), bs.end());
  return ws;
}

// Whether each array begins where the one before it ends.
bool are_joined(const std::vector<Array>& arrays) {
  const auto follows = [](const Array& a, const Array& b) {
    return a.storage() != b.storage() ||
           a.raw_data() + a.nbytes() != b.raw_data();
  };
  return std::ranges::adjacent_find(arrays, follows) == arrays.end();
}

// cuDNN wants the weights in one piece (n_step_weights.h).
TEST_P(NStepLinksTest, ParametersAreViewsOfOneArrayOnAGpu) {
  const bool is_gpu = !GetParam().is_native();
  NStepBiLSTM link(2, 2, 3, 0.0);
  EXPECT_EQ(are_joined(arrays_of(link)), is_gpu);
  const std::vector<Array> before = arrays_of(link);

  const auto expect_values = [&](const NStepBiLSTM& other) {
    const std::vector<Array> arrays = arrays_of(other);
    for (size_t i = 0; i < arrays.size(); ++i) {
      EXPECT_THAT(arrays[i], IsArray(before[i]));
    }
  };
  NStepBiLSTM copied = link;
  EXPECT_EQ(are_joined(arrays_of(copied)), is_gpu);
  EXPECT_NE(copied.w(0, 0).data().storage(), before[0].storage());
  expect_values(copied);
  NStepBiLSTM assigned(2, 2, 3, 0.0);
  assigned = copied;
  EXPECT_EQ(are_joined(arrays_of(assigned)), is_gpu);
  expect_values(assigned);
  const NStepBiLSTM shared = copy(link, CopyMode::kShare);
  EXPECT_EQ(shared.b(3, 7).data().raw_data(), before.back().raw_data());
  const NStepBiLSTM again = copy(link, CopyMode::kInit);
  EXPECT_EQ(are_joined(arrays_of(again)), is_gpu);

  // As children of another link, back and forth.
  ChainList model;
  model.append(copied);
  model.to_cpu();
  const auto& child = model.at<NStepBiLSTM>(0);
  EXPECT_FALSE(are_joined(arrays_of(child)));
  model.to_device(GetParam());
  EXPECT_EQ(are_joined(arrays_of(child)), is_gpu);
  expect_values(child);
}

// They stay so when values and gradients come and go.
TEST_P(NStepLinksTest, JoinedParametersTrainAsOthers) {
  NStepLSTM link(2, 2, 3, 0.0);
  NStepLSTM apart = link;
  for (int64_t l = 0; l < apart.size(); ++l) {
    for (int j = 0; j < 8; ++j) {
      for (Param* param : {&apart.w(l, j), &apart.b(l, j)}) {
        param->set_data(param->data().copy());
      }
    }
  }
  EXPECT_FALSE(are_joined(arrays_of(apart)));
  const std::vector<Variable> xs = sequences({2, 4});
  const auto train = [&](NStepLSTM& model) {
    for (int step = 0; step < 3; ++step) {
      model.cleargrads();
      const auto [hy, cy, ys] = model({}, {}, xs);
      functions::sum(hy * hy + cy).backward();
      for (const Parameter& param : model.params()) {
        Array data = param.data();
        data -= param.grad() * 0.1;
      }
    }
  };
  train(link);
  train(apart);
  EXPECT_EQ(are_joined(arrays_of(link)), !GetParam().is_native());
  const std::vector<Array> expected = arrays_of(apart);
  const std::vector<Array> actual = arrays_of(link);
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_THAT(actual[i], IsArray(expected[i]));
  }
}

TEST(NStepLinksErrorTest, NamesWhatDoesNotFit) {
  EXPECT_THAT(error_of<ValueError>([] { NStepLSTM(0, 2, 3, 0); }),
              HasSubstr("NStepLSTM: expected n_layers of at least 1, got 0"));
  EXPECT_THAT(error_of<ValueError>([] { NStepBiGRU(1, 2, 3, 1.5); }),
              HasSubstr("NStepBiGRU: expected dropout in [0, 1), got 1.5"));
  NStepLSTM link(1, 2, 3, 0);
  EXPECT_THAT(error_of<ValueError>([&] { link({}, {}, {}); }),
              HasSubstr("NStepLSTM: expected nonempty xs"));
  EXPECT_THAT(error_of<ValueError>([&] { link({}, {}, sequences({0})); }),
              HasSubstr("NStepLSTM: expected at least one nonempty sequence"));
  const std::vector<Variable> wide{
      Variable(array::zeros({2, 3}, Dtype::kFloat32))};
  EXPECT_THAT(
      error_of<InvalidType>([&] { link({}, {}, wide); }),
      HasSubstr("NStepLSTM: expected xs[0] of shape (length, 2), got (2, 3)"));
  EXPECT_THAT(
      error_of<InvalidType>([&] { link({}, {}, wide[0]); }),
      HasSubstr("NStepLSTM: expected xs of shape (B, length, 2), or a list "
                "of sequences, got (2, 3)"));
  EXPECT_THAT(
      error_of<ValueError>([&] {
        link({}, {}, Variable(array::zeros({2, 0, 2}, Dtype::kFloat32)));
      }),
      HasSubstr("NStepLSTM: expected at least one nonempty sequence, got "
                "xs of shape (2, 0, 2)"));
  const Variable state(array::zeros({1, 2, 3}, Dtype::kFloat32));
  EXPECT_THAT(error_of<InvalidType>([&] { link(state, {}, sequences({2})); }),
              HasSubstr("NStepLSTM: expected states of shape (1, 1, 3), "
                        "got (1, 2, 3)"));
}

}  // namespace
}  // namespace catena::links

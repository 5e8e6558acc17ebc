// Links that take one step of a sequence at a time.

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/autograd/config.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/links/connection/gru.h"
#include "catena/links/connection/lstm.h"
#include "catena/links/connection/mgu.h"
#include "catena/links/connection/peephole.h"
#include "catena/links/connection/tree_lstm.h"
#include "catena/links/connection/zoneoutlstm.h"
#include "catena/links/testing/golden_link.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/save_and_load.h"

namespace catena::links {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::golden_cases;
using ::catena::testing::GoldenCase;
using ::catena::testing::IsArray;
using ::catena::testing::IsClose;
using ::testing::HasSubstr;

class RecurrentTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, RecurrentTest,
                         ::catena::testing::every_device());

Variable float_ones(const Shape& shape) {
  return Variable(array::ones(shape, Dtype::kFloat32));
}

// Makes the link of each case by make(golden), and calls it.
template <class Make, class Call>
void expect_golden(const std::string& name, const Make& make,
                   const Call& call) {
  for (const GoldenCase& golden : golden_cases("links/" + name)) {
    SCOPED_TRACE(golden.name());
    const std::string first = golden.keys("param/").at(0);
    const auto scope =
        using_config(&Config::dtype, golden.array("param/" + first).dtype());
    auto link = make(golden);
    ::catena::testing::set_golden_params(link, golden);
    ::catena::testing::expect_golden_call(
        link, golden,
        [&](const Variables& in) -> Variables { return call(link, in); });
  }
}

// The link with (in_size, out_size).
template <class LinkType>
LinkType sized(const GoldenCase& golden) {
  const bool mgu = golden.has_attr("n_units");
  return LinkType(golden.attr<int64_t>(mgu ? "n_inputs" : "in_size"),
                  golden.attr<int64_t>(mgu ? "n_units" : "out_size"));
}

template <class LinkType>
void expect_golden_steps(const std::string& name) {
  expect_golden(name, sized<LinkType>, [](auto& link, const Variables& in) {
    return Variables{link(in[0])};
  });
}

template <class LinkType>
void expect_golden_stateless(const std::string& name) {
  expect_golden(name, sized<LinkType>, [](auto& link, const Variables& in) {
    return Variables{link(in[0], in[1])};
  });
}

// chainer 7.8.1
TEST_P(RecurrentTest, LSTMFollowsChainer) { expect_golden_steps<LSTM>("LSTM"); }
TEST_P(RecurrentTest, GRUFollowsChainer) { expect_golden_steps<GRU>("GRU"); }
TEST_P(RecurrentTest, StatefulGRUFollowsChainer) {
  expect_golden_steps<StatefulGRU>("StatefulGRU");
}
TEST_P(RecurrentTest, StatefulMGUFollowsChainer) {
  expect_golden_steps<StatefulMGU>("StatefulMGU");
}
TEST_P(RecurrentTest, StatefulPeepholeLSTMFollowsChainer) {
  expect_golden_steps<StatefulPeepholeLSTM>("StatefulPeepholeLSTM");
}
// With ratios of 0; random states are the function's concern.
TEST_P(RecurrentTest, StatefulZoneoutLSTMFollowsChainer) {
  expect_golden(
      "StatefulZoneoutLSTM",
      [](const GoldenCase& golden) {
        return StatefulZoneoutLSTM(golden.attr<int64_t>("in_size"),
                                   golden.attr<int64_t>("out_size"),
                                   {.c_ratio = golden.attr<double>("c_ratio"),
                                    .h_ratio = golden.attr<double>("h_ratio")});
      },
      [](auto& link, const Variables& in) { return Variables{link(in[0])}; });
}
TEST_P(RecurrentTest, StatelessGRUFollowsChainer) {
  expect_golden_stateless<StatelessGRU>("StatelessGRU");
}
TEST_P(RecurrentTest, StatelessMGUFollowsChainer) {
  expect_golden_stateless<StatelessMGU>("StatelessMGU");
}
TEST_P(RecurrentTest, StatelessLSTMFollowsChainer) {
  expect_golden("StatelessLSTM", sized<StatelessLSTM>,
                [](auto& link, const Variables& in) {
                  const auto [c, h] = link(in[0], in[1], in[2]);
                  return Variables{c, h};
                });
}

// The children's cells, their outputs, then x.
template <class LinkType>
Variables call_tree(LinkType& link, const Variables& in) {
  const std::span all(in);
  const size_t n = (in.size() - 1) / 2;
  const auto [c, h] = link(all.first(n), all.subspan(n, n), in.back());
  return {c, h};
}
TEST_P(RecurrentTest, ChildSumTreeLSTMFollowsChainer) {
  expect_golden("ChildSumTreeLSTM", sized<ChildSumTreeLSTM>,
                call_tree<ChildSumTreeLSTM>);
}
TEST_P(RecurrentTest, NaryTreeLSTMFollowsChainer) {
  expect_golden(
      "NaryTreeLSTM",
      [](const GoldenCase& golden) {
        return NaryTreeLSTM(golden.attr<int64_t>("in_size"),
                            golden.attr<int64_t>("out_size"),
                            golden.attr<int64_t>("n_ary"));
      },
      call_tree<NaryTreeLSTM>);
}

TEST_P(RecurrentTest, LSTMSetsTheForgetGatesBiasApart) {
  const LSTM lstm(3, 2);
  EXPECT_THAT(lstm.upward->b.data(),
              IsArray(array::array({0, 0, 1, 0, 0, 0, 1, 0}, Dtype::kFloat32)));
  EXPECT_FALSE(lstm.lateral->b.defined());
  const LSTM other(3, 2, {.bias_init = 2, .forget_bias_init = 3});
  EXPECT_THAT(other.upward->b.data(),
              IsArray(array::array({2, 2, 3, 2, 2, 2, 3, 2}, Dtype::kFloat32)));
}

TEST_P(RecurrentTest, LSTMInfersItsInputSize) {
  LSTM lstm(2);
  EXPECT_FALSE(lstm.upward->W.is_initialized());
  EXPECT_EQ(lstm(float_ones({3, 5})).shape(), Shape({3, 2}));
  EXPECT_EQ(lstm.upward->W.shape(), Shape({8, 5}));
  StatelessLSTM stateless(2);
  EXPECT_EQ(stateless({}, {}, float_ones({3, 5}))[1].shape(), Shape({3, 2}));
}

TEST_P(RecurrentTest, LSTMTakesFewerRowsAndKeepsTheOthers) {
  LSTM lstm(3, 2);
  lstm(float_ones({3, 3}));
  const Array c = lstm.c.data();
  const Array h = lstm.h.data();
  const Variable y = lstm(float_ones({1, 3}));
  EXPECT_EQ(y.shape(), Shape({1, 2}));
  EXPECT_THAT((lstm.c.data()[{Slice(1, 3)}]), IsArray(c[{Slice(1, 3)}]));
  EXPECT_THAT((lstm.h.data()[{Slice(1, 3)}]), IsArray(h[{Slice(1, 3)}]));
  EXPECT_THAT((lstm.h.data()[{Slice(0, 1)}]), IsArray(y.data()));
  EXPECT_EQ(lstm(float_ones({0, 3})).shape(), Shape({0, 2}));
  EXPECT_EQ(lstm.h.shape(), Shape({3, 2}));
  EXPECT_THAT(error_of<ValueError>([&] {
                lstm(float_ones({4, 3}));
              }),
              HasSubstr("LSTM: expected x of at most 3 rows, as many as "
                        "the state has, got (4, 3)"));
}

TEST_P(RecurrentTest, StatesAreResetAndSet) {
  LSTM lstm(3, 2);
  const Array first = lstm(float_ones({2, 3})).data();
  EXPECT_THAT(lstm(float_ones({2, 3})).data(), ::testing::Not(IsClose(first)));
  lstm.reset_state();
  EXPECT_FALSE(lstm.c.defined());
  EXPECT_FALSE(lstm.h.defined());
  EXPECT_THAT(lstm(float_ones({2, 3})).data(), IsClose(first));
  const Variable c = float_ones({2, 2});
  lstm.set_state(c, Variable());
  EXPECT_TRUE(lstm.c.is_same(c));
  EXPECT_FALSE(lstm.h.defined());

  StatefulGRU gru(3, 2);
  const Array of_gru = gru(float_ones({2, 3})).data();
  EXPECT_TRUE(gru.h.defined());
  gru.reset_state();
  EXPECT_FALSE(gru.h.defined());
  EXPECT_THAT(gru(float_ones({2, 3})).data(), IsClose(of_gru));
  gru.set_state(c);
  EXPECT_TRUE(gru.h.is_same(c));

  StatefulMGU mgu(3, 2);
  const Array of_mgu = mgu(float_ones({2, 3})).data();
  mgu.reset_state();
  EXPECT_THAT(mgu(float_ones({2, 3})).data(), IsClose(of_mgu));
  mgu.set_state(c);
  EXPECT_TRUE(mgu.h.is_same(c));

  StatefulPeepholeLSTM peephole(3, 2);
  const Array of_peephole = peephole(float_ones({2, 3})).data();
  peephole.reset_state();
  EXPECT_THAT(peephole(float_ones({2, 3})).data(), IsClose(of_peephole));
  peephole.set_state(c, c);
  EXPECT_TRUE(peephole.c.is_same(c) && peephole.h.is_same(c));
}

// With a ratio of 1 states stay what they are: zeros, or what was set.
TEST_P(RecurrentTest, ZoneoutKeepsStates) {
  StatefulZoneoutLSTM keeps(3, 2, {.c_ratio = 1, .h_ratio = 1});
  const Array zeros = array::zeros({2, 2}, Dtype::kFloat32);
  EXPECT_THAT(keeps(float_ones({2, 3})).data(), IsArray(zeros));
  keeps.set_state(float_ones({2, 2}), float_ones({2, 2}));
  EXPECT_THAT(keeps(float_ones({2, 3})).data(),
              IsArray(float_ones({2, 2}).data()));
  EXPECT_THAT(keeps.c.data(), IsArray(float_ones({2, 2}).data()));
  keeps.reset_state();
  EXPECT_FALSE(keeps.c.defined() || keeps.h.defined());
  // When it is not training, it is an LSTM.
  const auto scope = using_config(&Config::train, false);
  LSTM plain(3, 2);
  StatefulZoneoutLSTM tested(3, 2);
  tested.upward->W.copydata(plain.upward->W);
  tested.upward->b.copydata(plain.upward->b);
  EXPECT_THAT(tested(float_ones({2, 3})).data(),
              IsClose(plain(float_ones({2, 3})).data()));
}

// Moving a link moves its states with it, and a set state comes to the link.
TEST_P(RecurrentTest, StatesMoveWithTheLink) {
  const Device other = native_device(1);
  LSTM lstm(3, 2);
  lstm(float_ones({2, 3}));
  StatefulGRU gru(3, 2);
  gru(float_ones({2, 3}));
  lstm.to_device(other);
  gru.to_device(other);
  EXPECT_EQ(lstm.c.device(), other);
  EXPECT_EQ(lstm.h.device(), other);
  EXPECT_EQ(gru.h.device(), other);
  lstm.to_cpu();
  EXPECT_EQ(lstm.c.device(), native_device());
  lstm.set_state(Variable(array::ones({2, 2}).to_device(other)), Variable());
  EXPECT_EQ(lstm.c.device(), native_device());
}

TEST_P(RecurrentTest, StatesAreNotSaved) {
  LSTM lstm(3, 2);
  LSTM loaded(3, 2);
  lstm(float_ones({2, 3}));
  ::catena::testing::save_and_load_npz(lstm, loaded);
  EXPECT_FALSE(loaded.c.defined());
  EXPECT_THAT(loaded.lateral->W.data(), IsArray(lstm.lateral->W.data()));
  EXPECT_EQ(lstm.namedparams().size(), 3u);
}

// After a cut the next loss reaches only the steps since, whose data it still
// starts from.
TEST_P(RecurrentTest, BackpropagationThroughTimeIsTruncatedByUnchaining) {
  LSTM lstm(3, 2);
  const Variable first = float_ones({1, 3});
  const Variable second = float_ones({1, 3});
  Variable loss = functions::sum(lstm(first));
  loss.backward();
  const Array grad = first.grad();
  EXPECT_TRUE(grad.defined());
  loss.unchain_backward();
  loss = functions::sum(lstm(second));
  loss.backward();
  EXPECT_TRUE(second.grad().defined());
  EXPECT_THAT(first.grad(), IsArray(grad));
}

TEST_P(RecurrentTest, TreesTakeUndefinedStates) {
  ChildSumTreeLSTM sum(3, 2);
  const Variable none;
  const Variable zero(array::zeros({2, 2}, Dtype::kFloat32));
  const Variable x = float_ones({2, 3});
  const Variables with{none, zero};
  const Variables zeros{zero, zero};
  EXPECT_THAT(sum(with, with, x)[1].data(),
              IsClose(sum(zeros, zeros, x)[1].data()));
  EXPECT_THAT(sum({}, {}, x)[0].data(),
              IsClose(sum(zeros, zeros, x)[0].data()));
  const Variable no_x(array::zeros({2, 3}, Dtype::kFloat32));
  EXPECT_THAT(sum(with, with, none)[1].data(),
              IsClose(sum(with, with, no_x)[1].data()));
  NaryTreeLSTM nary(3, 2);
  EXPECT_EQ(nary.n_ary(), 2);
  EXPECT_EQ(nary.W_h(1).W.shape(), Shape({10, 2}));
  EXPECT_THAT(nary(with, with, x)[1].data(),
              IsClose(nary(zeros, zeros, x)[1].data()));
}

TEST(RecurrentErrorTest, NamesWhatDoesNotFit) {
  EXPECT_THAT(error_of<ValueError>([] { LSTM(3, 0); }),
              HasSubstr("LSTM: expected out_size of at least 1, got 0"));
  EXPECT_THAT(error_of<ValueError>([] { StatefulGRU(3, -1); }),
              HasSubstr("GRU: expected out_size"));
  EXPECT_THAT(error_of<ValueError>([] { StatelessMGU(0, 2); }),
              HasSubstr("MGU: expected n_inputs"));
  EXPECT_THAT(error_of<ValueError>([] { StatefulPeepholeLSTM(3, 0); }),
              HasSubstr("StatefulPeepholeLSTM: expected out_size"));
  EXPECT_THAT(error_of<ValueError>([] { ChildSumTreeLSTM(3, 0); }),
              HasSubstr("ChildSumTreeLSTM: expected out_size"));
  EXPECT_THAT(error_of<ValueError>([] { NaryTreeLSTM(3, 2, 0); }),
              HasSubstr("NaryTreeLSTM: expected n_ary"));
  EXPECT_THAT(
      error_of<ValueError>([] { StatefulZoneoutLSTM(3, 2, {.c_ratio = 1.5}); }),
      HasSubstr("StatefulZoneoutLSTM: expected c_ratio in [0, 1], got 1.5"));
  LSTM lstm(3, 2);
  EXPECT_THAT(error_of<InvalidType>([&] {
                lstm(float_ones({2, 4}));
              }),
              HasSubstr("4 != 3"));
}

TEST(RecurrentErrorTest, NamesChildrenThatDoNotFit) {
  const Variables one{float_ones({2, 2})};
  const Variables none(2);
  NaryTreeLSTM nary(3, 2);
  EXPECT_THAT(error_of<ValueError>([&] {
                nary(one, one, float_ones({2, 3}));
              }),
              HasSubstr("NaryTreeLSTM: expected 2 cs, got 1"));
  EXPECT_THAT(error_of<IndexError>([&] { nary.W_h(2); }),
              HasSubstr("child from 0 to 1, got 2"));
  ChildSumTreeLSTM sum(3, 2);
  EXPECT_THAT(
      error_of<ValueError>([&] {
        sum(one, {}, float_ones({2, 3}));
      }),
      HasSubstr("ChildSumTreeLSTM: expected as many cs as hs, got 1 and 0"));
  EXPECT_THAT(error_of<ValueError>([&] { sum(none, none, Variable()); }),
              HasSubstr("expected x or a state to be defined"));
}

}  // namespace
}  // namespace catena::links

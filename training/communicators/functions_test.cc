#include "catena/training/communicators/functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/square.h"
#include "catena/functions/math/sum.h"
#include "catena/links/normalization/batch_normalization.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/training/communicators/multi_node_batch_normalization.h"
#include "catena/training/communicators/testing/threads.h"

namespace catena::training::communicators {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::catena::testing::IsClose;
using ::testing::HasSubstr;

void run(int ranks, const std::function<void(Communicator&)>& work) {
  for (const auto& failure : testing::run_threads(ranks, work)) {
    if (failure) std::rethrow_exception(failure);
  }
}

TEST(AllreduceTest, DifferentiatesAsTheSumOfAllLosses) {
  run(3, [](Communicator& communicator) {
    const double rank = communicator.rank();
    const Variable x(array::full({2}, rank + 1, Dtype::kFloat64));
    const Variable y = allreduce(x, communicator);
    EXPECT_THAT(y.data(), IsArray(array::full({2}, 6.0)));
    // The loss of a rank is (rank + 1) y^2, the sum of all is 6 y^2.
    functions::sum(y * y * (rank + 1))
        .backward({.enable_double_backprop = true});
    const Variable gx = x.grad_var();
    EXPECT_THAT(gx.data(), IsArray(array::full({2}, 2 * 6 * 6.0)));
    // The sum over ranks of 12 y, by x: all three ranks compute the same.
    x.cleargrad();
    functions::sum(gx).backward();
    EXPECT_THAT(x.grad(), IsArray(array::full({2}, 12 * 3.0)));
  });
}

TEST(AllreduceTest, RejectsIntegers) {
  run(1, [](Communicator& communicator) {
    const Variable x(array::arange(3, Dtype::kInt32));
    EXPECT_THAT(error_of<InvalidType>([&] { allreduce(x, communicator); }),
                HasSubstr("x.dtype"));
  });
}

// A minibatch, and the weights of its results in the loss.
struct Data {
  explicit Data(int64_t n) {
    array::random::Generator random(5, current_device());
    x = random.normal(3, 2, {n, 3, 2});
    weight = random.uniform(-1, 1, {n, 3, 2});
    second_weight = random.uniform(-1, 1, {n, 3, 2});
    gamma = random.uniform(0.5, 2, {3});
    beta = random.uniform(-1, 1, {3});
  }
  Array x, weight, second_weight, gamma, beta;
};

struct Result {
  Array y, mean, var, gx, ggamma, gbeta, ggx;
};

// Results, gradients and second derivatives for some rows of the data.
Result compute(
    const Data& data, const Slice& rows,
    const std::function<
        Variable(const Variable& x, const Variable& gamma, const Variable& beta,
                 const functions::BatchNormalizationOptions& options)>& f) {
  Result result;
  result.mean = array::zeros({3});
  result.var = array::ones({3});
  const functions::BatchNormalizationOptions options{
      .running_mean = result.mean, .running_var = result.var, .decay = 0.8};
  const Variable x(data.x[{rows}].copy());
  const Variable gamma(data.gamma);
  const Variable beta(data.beta);
  const Variable y = f(x, gamma, beta, options);
  result.y = y.data();
  const Variable loss = functions::sum(y * data.weight[{rows}]);
  loss.backward();
  result.gx = x.grad();
  result.ggamma = gamma.grad();
  result.gbeta = beta.grad();

  // Once more with a recorded graph, whose gradients must be the same.
  const functions::BatchNormalizationOptions no_update;
  x.cleargrad();
  gamma.cleargrad();
  functions::sum(f(x, gamma, beta, no_update) * data.weight[{rows}])
      .backward({.enable_double_backprop = true});
  EXPECT_THAT(x.grad(), IsClose(result.gx, {.rtol = 1e-9, .atol = 1e-10}));
  EXPECT_THAT(gamma.grad(),
              IsClose(result.ggamma, {.rtol = 1e-9, .atol = 1e-10}));
  const Variable gx = x.grad_var();
  x.cleargrad();
  functions::sum(functions::square(gx) * data.second_weight[{rows}]).backward();
  result.ggx = x.grad();
  return result;
}

class MultiNodeBatchNormalizationTest : public ::testing::TestWithParam<int> {};

TEST_P(MultiNodeBatchNormalizationTest, IsThatOfTheWholeMinibatch) {
  const int ranks = GetParam();
  // Ranks have 4, 5, 6, ... rows.
  std::vector<int64_t> begins = {0};
  for (int rank = 0; rank < ranks; ++rank) {
    begins.push_back(begins.back() + 4 + rank);
  }
  const int64_t n = begins.back();
  const Result whole =
      compute(Data(n), Slice(0, n), [](const auto&... arguments) {
        return functions::batch_normalization(arguments...);
      });
  std::vector<Result> parts(static_cast<size_t>(ranks));
  run(ranks, [&](Communicator& communicator) {
    const int rank = communicator.rank();
    const auto f = [&](const Variable& x, const Variable& gamma,
                       const Variable& beta,
                       const functions::BatchNormalizationOptions& options) {
      return multi_node_batch_normalization(x, gamma, beta, communicator,
                                            options);
    };
    parts[rank] = compute(Data(n), Slice(begins[rank], begins[rank + 1]), f);
  });
  constexpr catena::testing::Tolerance kClose{.rtol = 1e-9, .atol = 1e-10};
  Array ggamma = array::zeros({3});
  Array gbeta = array::zeros({3});
  for (int rank = 0; rank < ranks; ++rank) {
    SCOPED_TRACE(rank);
    const Result& part = parts[rank];
    const Slice rows(begins[rank], begins[rank + 1]);
    EXPECT_THAT(part.y, IsClose(whole.y[{rows}], kClose));
    EXPECT_THAT(part.gx, IsClose(whole.gx[{rows}], kClose));
    EXPECT_THAT(part.ggx, IsClose(whole.ggx[{rows}], kClose));
    EXPECT_THAT(part.mean, IsClose(whole.mean, kClose));
    EXPECT_THAT(part.var, IsClose(whole.var, kClose));
    ggamma += part.ggamma.to_device(native_device());
    gbeta += part.gbeta.to_device(native_device());
  }
  // Each rank has its part, which the optimizer adds up.
  EXPECT_THAT(ggamma, IsClose(whole.ggamma, kClose));
  EXPECT_THAT(gbeta, IsClose(whole.gbeta, kClose));
}

INSTANTIATE_TEST_SUITE_P(Ranks, MultiNodeBatchNormalizationTest,
                         ::testing::Values(1, 2, 3));

TEST(MultiNodeBatchNormalizationTest, HalfPrecisionIsComputedInSingle) {
  run(2, [](Communicator& communicator) {
    const Data data(8);
    const Slice rows(4 * communicator.rank(), 4 * communicator.rank() + 4);
    const Variable y = multi_node_batch_normalization(
        Variable(data.x[{rows}].astype(Dtype::kFloat16)),
        Variable(data.gamma.astype(Dtype::kFloat32)),
        Variable(data.beta.astype(Dtype::kFloat32)), communicator);
    const Variable whole = functions::batch_normalization(
        Variable(data.x), Variable(data.gamma), Variable(data.beta));
    EXPECT_THAT(y.data(), IsClose(whole.data()[{rows}].astype(Dtype::kFloat16),
                                  {.rtol = 5e-3, .atol = 5e-3}));
  });
}

// What rounding takes from a mean near 1000, or from the sums of ranks, times
// the sum of gy, would be half a thousandth of gamma's gradient or more.
TEST(MultiNodeBatchNormalizationTest,
     GammasGradientIgnoresHowTheMeanIsRounded) {
  constexpr int64_t kRows = 400;
  for (const double std : {0.01, 1.0}) {
    array::random::Generator random(7, native_device());
    const Array noise = random.uniform(-1, 1, {2 * kRows, 3});
    const Array x = (noise * std + 1000.0).astype(Dtype::kFloat32);
    const Array gy = (noise + 10.0).astype(Dtype::kFloat32);
    const auto gradient = [&](Dtype dtype, const Slice& rows, bool recorded,
                              const auto& f) {
      const auto part = [&](const Array& all) {
        return all[{rows}].astype(dtype).to_device(current_device());
      };
      const Variable gamma(array::ones({3}, dtype));
      const Variable y =
          f(Variable(part(x)), gamma, Variable(array::zeros({3}, dtype)));
      y.set_grad(part(gy));
      y.backward({.enable_double_backprop = recorded});
      return gamma.grad().to_device(native_device()).astype(Dtype::kFloat64);
    };
    const Array exact =
        gradient(Dtype::kFloat64, Slice(0, 2 * kRows), false,
                 [](const auto&... arguments) {
                   return functions::batch_normalization(arguments...);
                 });
    for (const bool recorded : {false, true}) {
      std::vector<Array> parts(2);
      run(2, [&](Communicator& communicator) {
        const int rank = communicator.rank();
        // Their sizes differ.
        const Slice rows =
            rank == 0 ? Slice(0, kRows / 3) : Slice(kRows / 3, 2 * kRows);
        parts[rank] = gradient(
            Dtype::kFloat32, rows, recorded, [&](const auto&... arguments) {
              return multi_node_batch_normalization(arguments..., communicator);
            });
      });
      EXPECT_THAT(parts[0] + parts[1],
                  IsClose(exact, {.rtol = 1e-5, .atol = 0}))
          << "deviations of " << std << (recorded ? ", recorded" : "");
    }
  }
}

TEST(MultiNodeBatchNormalizationTest, BadArgumentsAreErrors) {
  run(1, [](Communicator& communicator) {
    const Data data(4);
    const Variable x(data.x);
    const Variable gamma(data.gamma);
    const Variable beta(data.beta);
    EXPECT_THAT(
        error_of<ValueError>([&] {
          multi_node_batch_normalization(x, gamma, beta, communicator,
                                         {.eps = -1});
        }),
        HasSubstr("multi_node_batch_normalization: expected eps of at"));
    const Variable wide(array::ones({4}));
    EXPECT_THAT(error_of<InvalidType>([&] {
                  multi_node_batch_normalization(x, wide, beta, communicator);
                }),
                HasSubstr("gamma.shape"));
  });
}

TEST(MultiNodeBatchNormalizationLinkTest, KeepsStatisticsOfAllRanks) {
  run(2, [](Communicator& communicator) {
    const Data data(8);
    const links::BatchNormalizationOptions options{.dtype = Dtype::kFloat64};
    MultiNodeBatchNormalization link(std::nullopt, communicator, options);
    links::BatchNormalization one(std::nullopt, options);
    const Slice rows(4 * communicator.rank(), 4 * communicator.rank() + 4);
    const Variable part(data.x[{rows}]);
    for (const bool finetune : {false, true}) {
      const Variable y = link(part, {.finetune = finetune});
      const Variable whole = one(Variable(data.x), {.finetune = finetune});
      EXPECT_THAT(y.data(), IsClose(whole.data()[{rows}]));
    }
    EXPECT_EQ(link.N, 1);
    EXPECT_THAT(link.avg_mean, IsClose(one.avg_mean));
    EXPECT_THAT(link.avg_var, IsClose(one.avg_var));
    // A copy is an independent link with the same communicator.
    MultiNodeBatchNormalization copy = link;
    const auto test_mode = using_config(&Config::train, false);
    EXPECT_THAT(copy(part).data(), IsClose(one(part).data()));
  });
}

}  // namespace
}  // namespace catena::training::communicators

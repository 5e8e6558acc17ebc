#include "catena/training/communicators/testing/contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/functions/activation/tanh.h"
#include "catena/functions/loss/mean_squared_error.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/optimizers/optimizer.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/training/communicators/gradient_reducer.h"
#include "catena/training/communicators/multi_node_optimizer.h"

namespace catena::training::communicators::testing {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::catena::testing::IsClose;
using ::testing::AllOf;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

Array numbers(int64_t n, Dtype dtype) {
  return array::arange(n, Dtype::kFloat64).astype(dtype);
}

// 1 + 2 + ... + size
int64_t sum_of_ranks(const Communicator& communicator) {
  return int64_t{communicator.size()} * (communicator.size() + 1) / 2;
}

// Three layers: one is used twice, another not at all.
class Network : public Chain<Network> {
 public:
  explicit Network(bool with_sizes)
      : l1(this, "l1", with_sizes ? std::optional<int64_t>(3) : std::nullopt,
           5),
        l2(this, "l2", 5, 5),
        unused(this, "unused", 2, 2),
        l3(this, "l3", with_sizes ? std::optional<int64_t>(5) : std::nullopt,
           1) {}

  Variable forward(const Variable& x, const Variable& t) {
    const Variable h = functions::tanh(l2(functions::tanh(l2(l1(x)))));
    return functions::mean_squared_error(l3(h), t);
  }

  Child<links::Linear> l1, l2, unused, l3;
};

auto loss_of(Network& network) {
  return [&](const Variable& x, const Variable& t) {
    return network.forward(x, t);
  };
}

std::string bits_of(const Link& link) {
  std::string bits;
  for (const auto& [path, param] : link.namedparams()) {
    const Array host = param.data().to_device(native_device()).contiguous();
    bits.append(path).append(host.raw_data(),
                             static_cast<size_t>(host.nbytes()));
  }
  return bits;
}

void expect_same_bits(Communicator& communicator, const Link& link) {
  const std::string bits = bits_of(link);
  for (const std::string& others : communicator.allgather_bytes(bits)) {
    EXPECT_EQ(others, bits);
  }
}

struct Way {
  std::string name;
  BucketPolicy policy;
  bool with_sizes;
  bool lazy_grad_sum = false;
};

template <class O, class Options>
void check_training_with(Communicator& communicator, const Way& way,
                         const Options& options) {
  SCOPED_TRACE(way.name);
  const auto scope = using_config(&Config::lazy_grad_sum, way.lazy_grad_sum);
  constexpr int64_t kPart = 4;
  const int64_t whole = kPart * communicator.size();
  const Slice part(communicator.rank() * kPart,
                   (communicator.rank() + 1) * kPart);
  std::vector<Array> xs;
  std::vector<Array> ts;
  array::random::Generator data(3, current_device());
  for (int step = 0; step < 5; ++step) {
    xs.push_back(data.uniform(-1, 1, {whole, 3}, Dtype::kFloat32));
    ts.push_back(data.uniform(-1, 1, {whole, 1}, Dtype::kFloat32));
  }

  // The first rank's draw is used.
  array::random::seed(7 + 100 * static_cast<uint64_t>(communicator.rank()));
  Network network(way.with_sizes);
  O optimizer(options);
  create_multi_node_optimizer(optimizer, communicator,
                              {.bucket_policy = way.policy});
  optimizer.setup(network);
  for (size_t i = 0; i < xs.size(); ++i) {
    optimizer.update(loss_of(network), Variable(xs[i][{part}]),
                     Variable(ts[i][{part}]));
  }

  array::random::seed(7);
  Network alone(way.with_sizes);
  O one_optimizer(options);
  one_optimizer.setup(alone);
  for (size_t i = 0; i < xs.size(); ++i) {
    one_optimizer.update(loss_of(alone), Variable(xs[i]), Variable(ts[i]));
  }

  EXPECT_EQ(optimizer.t(), 5);
  const auto expected = alone.namedparams();
  const auto actual = network.namedparams();
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    SCOPED_TRACE(actual[i].first);
    EXPECT_THAT(actual[i].second.data(), IsClose(expected[i].second.data(),
                                                 {.rtol = 1e-4, .atol = 1e-6}));
  }
  expect_same_bits(communicator, network);
}

// Several at once, waited for in a different order. Their sizes are not
// divisible by the number of ranks.
void check_large_sums(Communicator& communicator) {
  std::vector<Array> sums;
  std::vector<std::unique_ptr<Communicator::Request>> requests;
  for (const Dtype dtype :
       {Dtype::kFloat32, Dtype::kFloat64, Dtype::kInt32, Dtype::kInt64}) {
    const auto size = 300'007 - 70'001 * static_cast<int64_t>(sums.size());
    sums.push_back(numbers(size, dtype) * (communicator.rank() + 1));
    requests.push_back(communicator.start_allreduce(sums.back()));
  }
  const int64_t ranks = sum_of_ranks(communicator);
  for (size_t i = sums.size(); i > 0; --i) {
    requests[i - 1]->wait();
    EXPECT_THAT(
        sums[i - 1],
        IsArray(numbers(sums[i - 1].size(), sums[i - 1].dtype()) * ranks));
  }
}

}  // namespace

void check_collectives(Communicator& communicator) {
  const int rank = communicator.rank();
  const int size = communicator.size();
  const int64_t ranks = sum_of_ranks(communicator);
  EXPECT_EQ(communicator.intra_size() * communicator.inter_size(), size);
  EXPECT_LT(communicator.intra_rank(), communicator.intra_size());
  EXPECT_LT(communicator.inter_rank(), communicator.inter_size());

  for (const Dtype dtype :
       {Dtype::kFloat32, Dtype::kFloat64, Dtype::kFloat16, Dtype::kBFloat16,
        Dtype::kInt8, Dtype::kInt32, Dtype::kInt64, Dtype::kUInt8}) {
    SCOPED_TRACE(to_string(dtype));
    const Array n = numbers(7, dtype);
    EXPECT_THAT(communicator.allreduce(n * (rank + 1)), IsArray(n * ranks));
    const Array from_last = communicator.bcast(n * (rank + 1), size - 1);
    EXPECT_THAT(from_last, IsArray(n * size));
  }
  // Views, 0-d arrays and empty arrays.
  const Array matrix = numbers(6, Dtype::kFloat32).reshape({2, 3});
  EXPECT_THAT(communicator.allreduce(matrix.T() * (rank + 1)),
              IsArray(matrix.T() * ranks));
  EXPECT_THAT(communicator.allreduce(matrix[{0, 2}]),
              IsArray(matrix[{0, 2}] * size));
  EXPECT_THAT(communicator.allreduce(numbers(0, Dtype::kFloat32)),
              IsArray(numbers(0, Dtype::kFloat32)));
  check_large_sums(communicator);
  // Larger than one message.
  const Array large = array::full({1 << 18}, rank + 1, Dtype::kFloat32);
  EXPECT_THAT(communicator.allreduce(large),
              IsArray(array::full({1 << 18}, ranks, Dtype::kFloat32)));

  // Several at once, waited for in a different order.
  const Array first = numbers(5, Dtype::kFloat32);
  const Array second = array::full({3}, rank + 1, Dtype::kFloat64);
  const auto first_sum = communicator.start_allreduce(first);
  const auto second_sum = communicator.start_allreduce(second);
  second_sum->wait();
  first_sum->wait();
  EXPECT_TRUE(first_sum->test());
  EXPECT_THAT(first, IsArray(numbers(5, Dtype::kFloat32) * size));
  EXPECT_THAT(second, IsArray(array::full({3}, ranks, Dtype::kFloat64)));

  EXPECT_EQ(communicator.bcast_bytes(str("from ", rank), size - 1),
            str("from ", size - 1));
  std::vector<std::string> expected;
  for (int i = 0; i < size; ++i) expected.push_back(std::string(i, 'x'));
  EXPECT_THAT(communicator.allgather_bytes(std::string(rank, 'x')),
              ElementsAreArray(expected));
  communicator.barrier();
}

void check_models(Communicator& communicator) {
  const int rank = communicator.rank();
  const int size = communicator.size();
  array::random::seed(static_cast<uint64_t>(rank));
  // Only the last rank's model has all its shapes.
  Network network(/*with_sizes=*/rank == size - 1);
  communicator.bcast_data(network, size - 1);
  EXPECT_FALSE(network.has_uninitialized_params());
  expect_same_bits(communicator, network);

  // A gradient that only the first rank has counts as zeros on the others.
  const Array ones = array::ones({5, 5}, Dtype::kFloat32);
  network.cleargrads();
  network.l2->W.set_grad(ones * (rank + 1));
  if (rank == 0) network.l3->W.set_grad(array::ones({1, 5}, Dtype::kFloat32));
  communicator.allreduce_grad(network);
  EXPECT_THAT(network.l2->W.grad(), IsArray(ones * ((size + 1) / 2.0)));
  EXPECT_THAT(network.l3->W.grad(),
              IsArray(array::full({1, 5}, 1.0 / size, Dtype::kFloat32)));
  EXPECT_THAT(network.l1->b.grad(),
              IsArray(array::zeros({5}, Dtype::kFloat32)));

  // With a bucket for each, gradients are summed in place, unless someone else
  // shares their memory.
  const Array held = ones * (rank + 1);
  network.l2->W.set_grad(held);
  network.l3->W.set_grad(array::ones({1, 5}, Dtype::kFloat32) * rank);
  const char* memory = network.l3->W.grad().raw_data();
  GradientReducer reducer(communicator, {.bucket_bytes = 0, .overlap = false});
  reducer.start(network);
  reducer.finish();
  EXPECT_THAT(network.l2->W.grad(), IsArray(ones * ((size + 1) / 2.0)));
  EXPECT_THAT(held, IsArray(ones * (rank + 1)));
  EXPECT_THAT(network.l3->W.grad(),
              IsArray(array::full({1, 5}, (size - 1) / 2.0, Dtype::kFloat32)));
  EXPECT_EQ(network.l3->W.grad().raw_data(), memory);
}

void check_bad_calls(Communicator& communicator) {
  const int size = communicator.size();
  const Array x = numbers(3, Dtype::kFloat32);
  EXPECT_THAT(error_of<ValueError>([&] { communicator.bcast(x, size); }),
              HasSubstr(str("expected a root in [0, ", size, "), got ")));
  EXPECT_THAT(error_of<ValueError>([&] { communicator.bcast_bytes("", -1); }),
              HasSubstr("got -1"));
  EXPECT_THAT(error_of<DtypeError>(
                  [&] { communicator.allreduce(x.astype(Dtype::kBool)); }),
              HasSubstr("expected numbers, got bool"));
  if (size == 1) return;

  // All ranks learn that the last rank's model differs.
  const bool is_last = communicator.rank() == size - 1;
  links::Linear linear(3, is_last ? 4 : 2);
  EXPECT_THAT(
      error_of<CommunicatorError>([&] { communicator.allreduce_grad(linear); }),
      AllOf(HasSubstr("expected the same parameters on all ranks"),
            HasSubstr("/b float32 (4,)")));
  communicator.barrier();
  if (is_last) {
    EXPECT_THAT(error_of<IoError>([&] { communicator.bcast_data(linear); }),
                HasSubstr("W"));
  } else {
    communicator.bcast_data(linear);
  }
  communicator.barrier();
}

void check_training(Communicator& communicator) {
  const Way ways[] = {
      {"as it comes", communicator.bucket_policy(), false},
      {"with all sizes", communicator.bucket_policy(), true},
      {"one by one", {.bucket_bytes = 0, .overlap = true}, false},
      {"one by one, lazily", {.bucket_bytes = 0, .overlap = true}, true, true},
      {"some together", {.bucket_bytes = 128, .overlap = true}, true},
      {"afterwards", {.bucket_bytes = 1 << 20, .overlap = false}, false},
  };
  for (const Way& way : ways) {
    check_training_with<optimizers::MomentumSGD>(
        communicator, way, optimizers::MomentumSGDOptions{.lr = 0.1});
  }
  check_training_with<optimizers::Adam>(communicator, ways[0],
                                        optimizers::AdamOptions{});
}

void check_loss_scaling(Communicator& communicator) {
  const bool is_last = communicator.rank() == communicator.size() - 1;
  const auto trained = [&](const std::optional<LossScalingOptions>& scaling) {
    array::random::seed(7);
    links::Linear linear(3, 2);
    optimizers::MomentumSGD optimizer({.lr = 0.1, .momentum = 0.5});
    create_multi_node_optimizer(optimizer, communicator);
    optimizer.setup(linear);
    if (scaling) optimizer.loss_scaling(*scaling);
    const auto step = [&](double t) {
      optimizer.update(
          [&](const Variable& x) {
            const Variable y = linear(x);
            return functions::mean_squared_error(
                y, Variable(array::full_like(y.data(), t)));
          },
          Variable(numbers(6, Dtype::kFloat32).reshape({2, 3})));
    };
    for (int i = 0; i < 3; ++i) step(communicator.rank());
    EXPECT_EQ(optimizer.t(), 3);
    if (scaling) {
      step(is_last ? INFINITY : 1);
      EXPECT_TRUE(optimizer.was_skipped());
      EXPECT_EQ(optimizer.t(), 3);
      step(communicator.rank());
      EXPECT_FALSE(optimizer.was_skipped());
    } else {
      step(communicator.rank());
    }
    EXPECT_EQ(optimizer.t(), 4);
    expect_same_bits(communicator, linear);
    return linear.W.data();
  };
  const Array expected = trained(std::nullopt);
  // Powers of two: results are exact.
  EXPECT_THAT(trained(LossScalingOptions{.scale = 64.0}), IsArray(expected));
  EXPECT_THAT(trained(LossScalingOptions{}), IsArray(expected));
}

}  // namespace catena::training::communicators::testing

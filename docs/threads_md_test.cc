// The statements and the code of threads.md, which is compared with the page.

#include "catena/docs/threads_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using catena::testing::IsArray;
using catena::testing::TempFolder;
using ::testing::HasSubstr;

constexpr int kThreads = 4;

// Runs work(0), work(1), ... in threads of their own.
void in_threads(const std::function<void(int)>& work, int n = kThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < n; ++i) threads.emplace_back([&, i] { work(i); });
  for (std::thread& thread : threads) thread.join();
}

// As bytes, for an exact comparison.
Array bits(const Array& a) { return a.ravel().view(Dtype::kUInt8); }

TEST(ThreadsMdTest, HasTheCodeOfThePage) {
  catena::testing::expect_code_of_page("docs/threads.md",
                                       "docs/threads_md_test.cc", 3);
}

Array draws_of(int thread) {
  const DeviceScope scope(native_device(thread));
  array::random::seed(static_cast<uint64_t>(thread), native_device(thread));
  return array::random::normal(0, 1, {1000});
}

// The gradients of all batches, each computed by a thread.
template <class Model, class Loss>
void add_gradients(Model& model, const std::vector<Array>& batches, Loss loss) {
  std::vector<Model> copies(batches.size(), model);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < batches.size(); ++i) {
    threads.emplace_back([&, i] {
      copies[i].cleargrads();
      loss(copies[i], Variable(batches[i])).backward();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Model& copy : copies) model.addgrads(copy);
}

TEST(ThreadsMdTest, ThreadsWithTheirOwnModelsDoNotDisturbEachOther) {
  const auto train = [](int index) {
    array::random::seed(static_cast<uint64_t>(index), native_device(index));
    const DeviceScope scope(native_device(index));
    L::Linear model(20, 20);
    optimizers::SGD optimizer;
    optimizer.setup(model);
    const Array x =
        array::random::normal(0, 1, {50, 20}).astype(Dtype::kFloat32);
    for (int step = 0; step < 5; ++step) {
      model.cleargrads();
      F::sum(F::tanh(model(Variable(x)))).backward();
      optimizer.update();
    }
    return model.W.array().to_device(native_device());
  };
  std::vector<Array> together(kThreads);
  in_threads([&](int i) { together[i] = train(i); });
  for (int i = 0; i < kThreads; ++i) {
    EXPECT_THAT(bits(together[i]), IsArray(bits(train(i)))) << i;
  }
}

TEST(ThreadsMdTest, SettingsDevicesAndHooksBelongToAThread) {
  const ConfigScope<bool> here = using_config(&Config::train, false);
  const DeviceScope scope(native_device(3));
  function_hooks::TimerHook timer;
  const FunctionHookScope hook(timer);
  const auto no_graph = no_backprop_mode();
  Reporter reporter;
  Observation observation;
  const auto reported = reporter.scope(observation);
  in_threads([](int) {
    EXPECT_EQ(config().train, global_config().train);
    EXPECT_TRUE(config().enable_backprop);
    EXPECT_EQ(current_device(), native_device());
    F::relu(Variable(array::ones({2})));
    report({{"loss", 1.0}});
  });
  EXPECT_TRUE(global_config().train);
  EXPECT_TRUE(timer.call_history().empty());
  EXPECT_TRUE(observation.empty());
}

TEST(ThreadsMdTest, AnErrorIsThrownWhereItWasMade) {
  std::vector<std::string> messages(kThreads);
  in_threads([&](int i) {
    try {
      array::zeros({2 + i}).reshape({7, 7});
    } catch (const ShapeError& error) {
      messages[i] = error.what();
    }
  });
  for (int i = 0; i < kThreads; ++i) {
    EXPECT_THAT(messages[i], HasSubstr("(" + std::to_string(2 + i) + ",)"));
  }
}

TEST(ThreadsMdTest, ResultsDoNotDependOnTheNumberOfThreads) {
  const int before = get_num_threads();
  const Array x = array::random::normal(0, 1, {300, 1000});
  std::vector<Array> sums;
  for (const int n : {1, 2, 5}) {
    set_num_threads(n);
    sums.push_back(bits(array::exp(x).sum()));
  }
  set_num_threads(before);
  EXPECT_THAT(sums[1], IsArray(sums[0]));
  EXPECT_THAT(sums[2], IsArray(sums[0]));
}

TEST(ThreadsMdTest, AnyThreadMayFreeABlock) {
  std::vector<Array> arrays(kThreads);
  in_threads([&](int i) { arrays[i] = array::full({100'000}, i); });
  in_threads([&](int i) { arrays[(i + 1) % kThreads] = Array(); });
  for (const Array& a : arrays) EXPECT_FALSE(a.defined());
}

TEST(ThreadsMdTest, ThreadsThatShareAGeneratorGetPiecesOfOneSequence) {
  constexpr int kEach = 200;
  const auto sorted = [](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values;
  };
  array::random::seed(5);
  std::vector<double> alone;
  for (int i = 0; i < kThreads * kEach; ++i) {
    alone.push_back(array::random::uniform(0, 1, Shape{1}).item<double>());
  }
  array::random::seed(5);
  std::vector<std::vector<double>> parts(kThreads);
  in_threads([&](int i) {
    for (int k = 0; k < kEach; ++k) {
      parts[i].push_back(array::random::uniform(0, 1, Shape{1}).item<double>());
    }
  });
  std::vector<double> together;
  for (const auto& part : parts) {
    together.insert(together.end(), part.begin(), part.end());
  }
  EXPECT_EQ(sorted(together), sorted(alone));
}

TEST(ThreadsMdTest, ALogicalDeviceHasAGeneratorOfItsOwn) {
  std::vector<Array> draws(kThreads);
  in_threads([&](int i) { draws[i] = draws_of(i).to_device(native_device()); });
  for (int i = 0; i < kThreads; ++i) {
    EXPECT_THAT(bits(draws[i]),
                IsArray(bits(draws_of(i).to_device(native_device()))));
  }
}

TEST(ThreadsMdTest, AnArrayMayBeReadByThreadsAtOnce) {
  const Array x = array::random::normal(0, 1, {64, 64});
  const Array expected = x.T().dot(x);
  in_threads([&](int) {
    for (int k = 0; k < 20; ++k) {
      const Array copy = x;
      EXPECT_THAT(bits(copy.T().dot(copy)), IsArray(bits(expected)));
    }
  });
}

TEST(ThreadsMdTest, AModelMayComputeForwardInThreads) {
  auto model = Sequential(
      L::Linear(8, 16), L::BatchNormalization(16),
      [](const Variable& x) { return F::relu(x); }, L::Linear(16, 4));
  const Variable x(
      array::random::normal(0, 1, {10, 8}).astype(Dtype::kFloat32));
  const auto predict = [&] {
    const auto test = using_config(&Config::train, false);
    const auto no_graph = no_backprop_mode();
    return bits(model(x).array());
  };
  const Array expected = predict();
  in_threads([&](int) {
    for (int k = 0; k < 20; ++k) EXPECT_THAT(predict(), IsArray(expected));
  });
}

TEST(ThreadsMdTest, AnExecutionPlanMayBeCalledByThreads) {
  auto model = Sequential(
      L::Linear(8, 16), [](const Variable& x) { return F::relu(x); },
      L::Linear(16, 4));
  const auto test = using_config(&Config::train, false);
  F::ExecutionPlan plan([&](const Variable& x) { return model(x); });
  std::vector<Variable> inputs;
  std::vector<Array> expected;
  for (int i = 0; i < kThreads; ++i) {  // of different shapes
    const Array x = array::random::normal(0, 1, {5 + i, 8});
    inputs.emplace_back(x.astype(Dtype::kFloat32));
    const auto no_graph = no_backprop_mode();
    expected.push_back(model(inputs.back()).array());
  }
  in_threads([&](int i) {
    const auto in_test = using_config(&Config::train, false);
    const auto no_graph = no_backprop_mode();
    for (int k = 0; k < 20; ++k) {
      const int which = (i + k) % kThreads;
      EXPECT_THAT(plan(inputs[which]).array(),
                  catena::testing::IsClose(expected[which]));
    }
  });
}

TEST(ThreadsMdTest, GradientsOfCopiesAddUp) {
  L::Linear model(8, 3);
  std::vector<Array> batches;
  for (int i = 0; i < kThreads; ++i) {
    batches.push_back(
        array::random::normal(0, 1, {5, 8}).astype(Dtype::kFloat32));
  }
  const auto loss = [](L::Linear& link, const Variable& x) {
    return F::sum(F::square(link(x)));
  };
  model.cleargrads();
  for (const Array& batch : batches) loss(model, Variable(batch)).backward();
  const Array expected = model.W.grad().copy();
  model.cleargrads();
  add_gradients(model, batches, loss);
  EXPECT_THAT(model.W.grad(), catena::testing::IsClose(expected));
}

TEST(ThreadsMdTest, AUserKernelIsCompiledOnce) {
  const array::ElementwiseKernel kernel("float32 x", "float32 y",
                                        "y = x * 2 + 1", "threads_md");
  const Array x = array::arange(1000).astype(Dtype::kFloat32);
  std::vector<Array> results(kThreads);
  in_threads([&](int i) { results[i] = kernel(x); });
  for (const Array& result : results) {
    EXPECT_THAT(result, IsArray((x * 2 + 1).astype(Dtype::kFloat32)));
  }
}

TEST(ThreadsMdTest, AReaderOfNpzFilesMayBeSharedByThreads) {
  const TempFolder folder;
  const Array x = array::arange(10000);
  array::savez_compressed(folder.file("x.npz"), {{"x", x}});
  const array::NpzReader reader(folder.file("x.npz"));
  in_threads([&](int) {
    for (int k = 0; k < 5; ++k) {
      EXPECT_THAT(reader.read_array("x"), IsArray(x));
    }
  });
}

TEST(ThreadsMdTest, AChildOfForkComputesTheSame) {
  const Array a = array::random::normal(0, 1, {200, 300});
  const Array product = bits(a.dot(a.T()));
  const Array sum = bits(array::exp(a).sum(0));
  // By oneDNN.
  const auto always = using_config(&Config::use_onednn, Usage::kAlways);
  const Variable x(a.reshape({4, 15, 25, 40}).astype(Dtype::kFloat32));
  const Variable W(
      array::random::normal(0, 1, {16, 15, 3, 3}).astype(Dtype::kFloat32));
  const auto convolve = [&] { return bits(F::convolution_2d(x, W).array()); };
  const Array convolved = convolve();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(60);
    set_num_threads(3);
    const bool is_same = array::array_equal(bits(a.dot(a.T())), product) &&
                         array::array_equal(bits(array::exp(a).sum(0)), sum) &&
                         array::array_equal(convolve(), convolved);
    ::_exit(is_same ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace

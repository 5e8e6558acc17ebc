#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "catena/array/core/backend.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/function_hooks/cuda_profile_hook.h"
#include "catena/autograd/function_hooks/memory_profile_hook.h"
#include "catena/autograd/function_hooks/print_hook.h"
#include "catena/autograd/function_hooks/timer_hook.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/testing/simple_functions.h"
#include "catena/tests/testing/error_of.h"

namespace catena::function_hooks {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Pair;
using ::testing::StartsWith;

Variable make_input() { return Variable(array::array({1.0, 2.0})); }

TEST(TimerHookTest, RecordsForwardAndBackwardInTheOrderInWhichTheyEnd) {
  TimerHook timer;
  {
    const FunctionHookScope scope(timer);
    testing::sum(testing::neg(make_input())).backward();
  }
  testing::neg(make_input());
  // The backward of sum applies broadcast_to, that of neg another neg.
  EXPECT_THAT(timer.call_history(),
              ElementsAre(Pair("neg", Ge(0)), Pair("sum", Ge(0)),
                          Pair("broadcast_to", Ge(0)), Pair("sum", Ge(0)),
                          Pair("neg", Ge(0)), Pair("neg", Ge(0))));
}

// Sleeps, and applies another that sleeps.
class Sleep final : public FunctionNode {
 public:
  explicit Sleep(int depth) : depth_(depth) {}
  std::string_view label() const override { return "Sleep"; }
  Arrays forward(const Arrays& in) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (depth_ > 0) catena::apply<Sleep>({as_variable(in[0])}, depth_ - 1);
    if (depth_ < 0) raise<ValueError>("too deep");
    return {in[0]};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return gy;
  }

 private:
  int depth_;
};

TEST(TimerHookTest, CountsTheTimeOfNestedFunctionsOnce) {
  TimerHook timer;
  const FunctionHookScope scope(timer);
  apply<Sleep>({make_input()}, 1);
  ASSERT_EQ(timer.call_history().size(), 2);
  const double inner = timer.call_history()[0].second;
  const double outer = timer.call_history()[1].second;
  EXPECT_GE(inner, 2e-3);
  EXPECT_GE(outer, inner + 2e-3);
  EXPECT_EQ(timer.total_time(), outer);
  apply<Sleep>({make_input()}, 0);
  EXPECT_EQ(timer.total_time(), outer + timer.call_history()[2].second);
}

TEST(TimerHookTest, IgnoresCallsThatThrew) {
  TimerHook timer;
  const FunctionHookScope scope(timer);
  EXPECT_THROW(apply<Sleep>({make_input()}, -1), ValueError);
  EXPECT_TRUE(timer.call_history().empty());
  apply<Sleep>({make_input()}, 0);
  ASSERT_EQ(timer.call_history().size(), 1);
  EXPECT_EQ(timer.total_time(), timer.call_history()[0].second);
}

TEST(TimerHookTest, SumsUpByNameInTheOrderOfTheFirstCall) {
  TimerHook timer;
  const FunctionHookScope scope(timer);
  const Variable x = make_input();
  testing::add(testing::exp(x), testing::exp(x));
  const auto& history = timer.call_history();
  EXPECT_THAT(
      timer.summary(),
      ElementsAre(FieldsAre("exp", history[0].second + history[1].second, 2),
                  FieldsAre("add", history[2].second, 1)));
}

TEST(TimerHookTest, PrintsATable) {
  TimerHook timer;
  {
    const FunctionHookScope scope(timer);
    apply<Sleep>({make_input()}, 0);
    testing::broadcast_to(Variable(array::array(1.0)), {3});
  }
  std::ostringstream os;
  timer.print_report(os);
  EXPECT_THAT(os.str(),
              MatchesRegex("FunctionName  ElapsedTime  Occurrence\n"
                           "       Sleep  +[0-9]+[.][0-9][0-9]ms  +1\n"
                           "broadcast_to  +[0-9]+[.][0-9][0-9][mun]s  +1\n"));
}

TEST(TimerHookTest, TimesOneFunctionAlone) {
  const auto timer = std::make_shared<TimerHook>();
  const auto node = Ref<FunctionNode>::adopt(new Sleep(0));
  node->add_hook(timer);
  const Variable inputs[] = {make_input()};
  const Variable y = node->apply(inputs)[0];
  testing::sum(y).backward();
  EXPECT_THAT(timer->call_history(),
              ElementsAre(Pair("Sleep", Ge(2e-3)), Pair("Sleep", Ge(0))));
}

TEST(PrintHookTest, PrintsInputsAndOutputGradients) {
  std::ostringstream os;
  PrintHook hook(os);
  const FunctionHookScope scope(hook);
  const Variable x = make_input();
  const Variable y = testing::neg(x);
  EXPECT_EQ(os.str(),
            "function\tneg\n"
            "input data\n"
            "variable\n"
            "- device: native:0\n"
            "- shape: (2,)\n"
            "- dtype: float64\n"
            "- data: mean=1.5, std=0.5, min=1, max=2\n"
            "- grad: none\n");
  os.str("");
  y.set_grad(array::array({3.0, 3.0}));
  y.backward();
  EXPECT_THAT(os.str(), StartsWith("function\tneg\noutput gradient\n"));
  EXPECT_THAT(os.str(), HasSubstr("- data: mean=3, std=0, min=3, max=3\n"));
}

TEST(PrintHookTest, SaysWhichOutputHasNoGradient) {
  const Variable x = make_input();
  const Variables outputs = testing::add_sub(x, x);
  std::ostringstream os;
  PrintHook hook(os, {.end = "|", .flush = false});
  const FunctionHookScope scope(hook);
  outputs[1].set_grad(array::array({1.0, 1.0}));
  outputs[1].backward();
  EXPECT_THAT(os.str(), StartsWith("function\tadd_sub|output gradient|(none)|"
                                   "variable\n- device"));
}

TEST(MemoryProfileHookTest, CountsTheBytesThatFunctionsTake) {
  MemoryProfileHook memory;
  const Variable x = make_input();
  {
    const FunctionHookScope scope(memory);
    testing::neg(x);
    testing::exp(x);
    testing::exp(x);
  }
  testing::exp(x);
  ASSERT_EQ(memory.call_history().size(), 3);
  EXPECT_EQ(memory.call_history()[0].name, "neg");
  // Two doubles each.
  EXPECT_THAT(memory.summary(), ElementsAre(FieldsAre("neg", 16, Ge(0), 1),
                                            FieldsAre("exp", 32, Ge(0), 2)));
  EXPECT_EQ(memory.total_used_bytes(), 48);
  EXPECT_GE(memory.total_acquired_bytes(), 0);
}

TEST(MemoryProfileHookTest, SeesThePoolGrow) {
  MemoryProfileHook memory;
  const FunctionHookScope scope(memory);
  // More than any test before has freed.
  const Variable big =
      testing::neg(Variable(array::zeros({4 << 20}, Dtype::kFloat32)));
  EXPECT_EQ(memory.total_used_bytes(), int64_t{4} * (4 << 20));
  EXPECT_GE(memory.total_acquired_bytes(), memory.total_used_bytes());
}

// Makes an array of 100 bytes, and applies another that does.
class Allocates final : public FunctionNode {
 public:
  explicit Allocates(int depth) : depth_(depth) {}
  std::string_view label() const override { return "Allocates"; }
  Arrays forward(const Arrays& in) override {
    array::empty({100}, Dtype::kInt8);
    if (depth_ > 0) catena::apply<Allocates>({as_variable(in[0])}, depth_ - 1);
    if (depth_ < 0) raise<ValueError>("too deep");
    return {in[0]};
  }
  Variables backward(const Indexes&, const Variables& gy) override {
    return gy;
  }

 private:
  int depth_;
};

TEST(MemoryProfileHookTest, CountsTheBytesOfNestedFunctionsOnce) {
  MemoryProfileHook memory;
  const FunctionHookScope scope(memory);
  EXPECT_THROW(apply<Allocates>({make_input()}, -1), ValueError);
  apply<Allocates>({make_input()}, 1);
  ASSERT_EQ(memory.call_history().size(), 2);
  EXPECT_EQ(memory.call_history()[0].used_bytes, 100);
  EXPECT_EQ(memory.call_history()[1].used_bytes, 200);
  EXPECT_EQ(memory.total_used_bytes(), 200);
  EXPECT_THAT(memory.summary(),
              ElementsAre(FieldsAre("Allocates", 300, Ge(0), 2)));
}

TEST(MemoryProfileHookTest, PrintsATable) {
  MemoryProfileHook memory;
  {
    const FunctionHookScope scope(memory);
    apply<Allocates>({make_input()}, 0);
    testing::neg(Variable(array::zeros({192}, Dtype::kFloat64)));
  }
  const auto report = [&](std::string_view unit) {
    std::ostringstream os;
    memory.print_report(os, unit);
    return os.str();
  };
  EXPECT_THAT(report("auto"),
              MatchesRegex("FunctionName  UsedBytes  AcquiredBytes  Occurrence"
                           "\n   Allocates     0.10KB  .*  +1\n"
                           "         neg     1.50KB  .*  +1\n"));
  EXPECT_THAT(report("auto_foreach"), HasSubstr("   Allocates    100.00B"));
  EXPECT_THAT(report("B"), HasSubstr("         neg   1536.00B"));
  EXPECT_THAT(::catena::testing::error_of<ValueError>([&] { report("kB"); }),
              HasSubstr("got 'kB'"));
}

TEST(CUDAProfileHookTest, NeedsTheCudaLibrary) {
  const BackendTable* cuda = backend_table(Backend::kCuda);
  set_backend_table(Backend::kCuda, nullptr);
  EXPECT_THAT(
      ::catena::testing::error_of<DeviceError>([] { CUDAProfileHook(); }),
      HasSubstr("--config=cuda"));
  set_backend_table(Backend::kCuda, cuda);
}

// Stands in for the library.
std::vector<std::string> ranges;
BackendTable recorder() {
  BackendTable table = *backend_table(Backend::kNative);
  table.push_range = [](const std::string& name) { ranges.push_back(name); };
  table.pop_range = []() noexcept { ranges.push_back("end"); };
  return table;
}

TEST(CUDAProfileHookTest, OpensARangeAroundEachFunction) {
  const BackendTable* cuda = backend_table(Backend::kCuda);
  const BackendTable table = recorder();
  set_backend_table(Backend::kCuda, &table);
  {
    CUDAProfileHook hook;
    const FunctionHookScope scope(hook);
    const Variable x = make_input();
    const Variable y = testing::exp(x);
    EXPECT_THAT(ranges, ElementsAre("exp.forward", "end"));
    ranges.clear();
    y.set_grad(array::array({1.0, 1.0}));
    y.backward();
    EXPECT_THAT(ranges,
                ElementsAre("exp.backward", "mul.forward", "end", "end"));
    ranges.clear();
    EXPECT_THROW(apply<Allocates>({make_input()}, -1), ValueError);
  }
  EXPECT_THAT(ranges, ElementsAre("Allocates.forward", "end"));
  set_backend_table(Backend::kCuda, cuda);
}

}  // namespace
}  // namespace catena::function_hooks

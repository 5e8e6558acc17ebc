#include "catena/autograd/function_hooks/trace_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "catena/array/core/backend.h"
#include "catena/array/core/profiling.h"
#include "catena/array/core/trace.h"
#include "catena/array/creation.h"
#include "catena/autograd/testing/simple_functions.h"

namespace catena::function_hooks {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<json> events_of(const Trace& trace) {
  std::ostringstream os;
  trace.write(os);
  return json::parse(os.str())["traceEvents"];
}

// "CATEGORY NAME: DETAIL" of spans.
std::vector<std::string> spans_of(const Trace& trace) {
  std::vector<std::string> spans;
  for (const json& event : events_of(trace)) {
    if (event["ph"] != "X") continue;
    spans.push_back(event["cat"].get<std::string>() + " " +
                    event["name"].get<std::string>() + ": " +
                    event["args"]["detail"].get<std::string>());
  }
  return spans;
}

Variable make_x() { return Variable(array::array({1.0, 2.0})); }

TEST(TraceHookTest, RecordsForwardAndBackwardWithShapes) {
  Trace trace;
  {
    TraceHook hook;
    const FunctionHookScope scope(hook);
    testing::sum(testing::neg(make_x())).backward();
  }
  trace.stop();
  // The backward of sum applies broadcast_to, that of neg another neg.
  EXPECT_THAT(
      spans_of(trace),
      ElementsAre("forward neg: float64 (2,)", "forward sum: float64 (2,)",
                  "forward broadcast_to: float64 ()",
                  "backward sum: float64 ()", "forward neg: float64 (2,)",
                  "backward neg: float64 (2,)"));
}

TEST(TraceHookTest, CountsTheMemoryOfTheHost) {
  Trace trace;
  const Array large = array::zeros({1 << 22}, Dtype::kFloat32);
  {
    TraceHook hook;
    const FunctionHookScope scope(hook);
    testing::neg(make_x());
  }
  trace.stop();
  std::map<std::string, int64_t> counters;
  for (const json& event : events_of(trace)) {
    if (event["ph"] == "C") counters[event["name"]] = event["args"]["value"];
  }
  EXPECT_GE(counters.at("host memory, used"), large.size() * 4);
  EXPECT_GE(counters.at("host memory, reserved"),
            counters.at("host memory, used"));
}

TEST(TraceHookTest, FunctionsAreTheTaskOfTheirKernels) {
  // Seen from the backward of a function that is recorded.
  class Look : public FunctionHook {
   public:
    std::string_view name() const override { return "Look"; }
    void forward_preprocess(const FunctionNode&, const Arrays&) override {
      task = trace_task();
    }
    std::string task;
  };
  const Trace trace;
  TraceHook hook;
  Look look;
  const FunctionHookScope first(hook);
  const FunctionHookScope second(look);
  testing::neg(make_x());
  EXPECT_EQ(look.task, "neg");
  EXPECT_EQ(trace_task(), "");
}

TEST(TraceHookTest, WithoutATraceItRecordsNothing) {
  TraceHook hook;
  const FunctionHookScope scope(hook);
  const Variable y = testing::sum(testing::neg(make_x()));
  Trace trace;
  trace.stop();
  y.backward();
  EXPECT_THAT(spans_of(trace), IsEmpty());
}

TEST(TraceHookTest, FunctionsThatThrewAreLeftOut) {
  Trace trace;
  {
    TraceHook hook;
    const FunctionHookScope scope(hook);
    EXPECT_ANY_THROW(testing::broadcast_to(make_x(), {3}));
    testing::neg(make_x());
  }
  trace.stop();
  EXPECT_THAT(spans_of(trace), ElementsAre("forward neg: float64 (2,)"));
}

// A device whose clock advances by a microsecond with each mark.
class Mark final : public DeviceMark {
 public:
  static std::shared_ptr<const DeviceMark> make(int device) {
    EXPECT_EQ(device, 0);
    return std::make_shared<Mark>();
  }
  std::string stream_name() const override { return "device 0"; }
  void wait() const override { ++waits; }
  int64_t nanoseconds_since(const DeviceMark& earlier) const override {
    return 1000 * (time_ - static_cast<const Mark&>(earlier).time_);
  }
  static inline int waits = 0;

 private:
  static inline int64_t clock_ = 0;
  int64_t time_ = clock_++;
};

TEST(TraceHookTest, DevicesThatWorkLaterHaveRowsOfTheirOwn) {
  const BackendTable* const native = backend_table(Backend::kNative);
  BackendTable table = *native;
  table.mark = Mark::make;
  set_backend_table(Backend::kNative, &table);
  Trace trace;
  {
    TraceHook hook;
    const FunctionHookScope scope(hook);
    testing::neg(testing::neg(make_x()));
    EXPECT_EQ(Mark::waits, 1);  // for the comparison of clocks alone
  }
  set_backend_table(Backend::kNative, native);
  trace.stop();
  EXPECT_EQ(Mark::waits, 3);
  std::map<int, std::string> rows;
  std::vector<double> times;
  for (const json& event : events_of(trace)) {
    if (event["name"] == "thread_name") {
      rows[event["tid"]] = event["args"]["name"];
    } else if (event["ph"] == "X" && rows[event["tid"]] == "device 0") {
      EXPECT_EQ(event["name"], "neg");
      EXPECT_NEAR(event["dur"].get<double>(), 1, 1e-6);
      times.push_back(event["ts"]);
    }
  }
  ASSERT_EQ(times.size(), 2);
  EXPECT_NEAR(times[1] - times[0], 2, 1e-6);
}

}  // namespace
}  // namespace catena::function_hooks

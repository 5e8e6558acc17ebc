#include "catena/array/core/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<json> events_of(const Trace& trace, const std::string& phase) {
  std::ostringstream os;
  trace.write(os);
  const json whole = json::parse(os.str());
  std::vector<json> events;
  for (const json& event : whole["traceEvents"]) {
    if (event["ph"] == phase) events.push_back(event);
  }
  return events;
}

std::vector<std::string> names_of(const std::vector<json>& events) {
  std::vector<std::string> names;
  for (const json& event : events) names.push_back(event["name"]);
  return names;
}

TEST(TraceTest, SpansAreNestedInTime) {
  Trace trace;
  {
    TraceSpan outer("test", "outer");
    EXPECT_TRUE(outer.is_recorded());
    outer.set_detail("a \"detail\"\n");
    const TraceSpan inner("test", "inner");
  }
  trace.stop();
  const std::vector<json> spans = events_of(trace, "X");
  ASSERT_THAT(names_of(spans), ElementsAre("inner", "outer"));
  const json& inner = spans[0];
  const json& outer = spans[1];
  EXPECT_EQ(outer["cat"], "test");
  EXPECT_EQ(outer["args"]["detail"], "a \"detail\"\n");
  EXPECT_FALSE(inner.contains("args"));
  EXPECT_EQ(inner["tid"], outer["tid"]);
  EXPECT_LE(outer["ts"].get<double>(), inner["ts"].get<double>());
  EXPECT_GE(outer["ts"].get<double>() + outer["dur"].get<double>(),
            inner["ts"].get<double>() + inner["dur"].get<double>());
}

TEST(TraceTest, RecordsNothingBeforeAndAfter) {
  { const TraceSpan span("test", "before"); }
  add_trace_counter("before", 1);
  Trace trace;
  { const TraceSpan span("test", "during"); }
  EXPECT_EQ(trace.size(), 1);
  trace.stop();
  const TraceSpan span("test", "after");
  EXPECT_FALSE(span.is_recorded());
  EXPECT_THAT(names_of(events_of(trace, "X")), ElementsAre("during"));
  EXPECT_THAT(events_of(trace, "C"), IsEmpty());
}

TEST(TraceTest, LeavesOutSpansThatBeganInAnotherTraceOrDidNotEnd) {
  auto first = std::make_unique<Trace>();
  const TraceSpan open("test", "open");
  {
    const TraceSpan across("test", "across");
    first->stop();
    EXPECT_THAT(events_of(*first, "X"), IsEmpty());
    first.reset();
    first = std::make_unique<Trace>();
  }
  first->stop();
  EXPECT_THAT(events_of(*first, "X"), IsEmpty());
}

TEST(TraceTest, ThreadsHaveRowsWithNames) {
  set_trace_thread_name("me");
  Trace trace;
  { const TraceSpan span("test", "mine"); }
  std::thread([] {
    set_trace_thread_name("other");
    const TraceSpan span("test", "others");
  }).join();
  add_trace_span({.category = "device",
                  .name = "work",
                  .begin = 1000,
                  .end = 2500,
                  .row = "stream 1"});
  trace.stop();
  std::map<int, std::string> rows;
  for (const json& event : events_of(trace, "M")) {
    if (event["name"] == "thread_name") {
      rows[event["tid"]] = event["args"]["name"];
    }
  }
  std::map<std::string, std::string> row_of;
  for (const json& event : events_of(trace, "X")) {
    row_of[event["name"]] = rows.at(event["tid"]);
    if (event["name"] == "work") {
      EXPECT_EQ(event["dur"], 1.5);
    }
  }
  EXPECT_EQ(row_of["mine"], "me");
  EXPECT_EQ(row_of["others"], "other");
  EXPECT_EQ(row_of["work"], "stream 1");
}

TEST(TraceTest, CountersHaveValues) {
  Trace trace;
  add_trace_counter("bytes", 5);
  add_trace_counter("bytes", 1LL << 40);
  trace.stop();
  const std::vector<json> counters = events_of(trace, "C");
  ASSERT_EQ(counters.size(), 2);
  EXPECT_EQ(counters[0]["args"]["value"], 5);
  EXPECT_EQ(counters[1]["args"]["value"], 1LL << 40);
}

TEST(TraceTest, TheTaskIsTheInnermostSpan) {
  const Trace trace;
  EXPECT_EQ(trace_task(), "");
  const TraceSpan outer("test", "outer");
  {
    const TraceSpan inner("test", "inner");
    EXPECT_EQ(trace_task(), "inner");
  }
  EXPECT_EQ(trace_task(), "outer");
}

TEST(TraceTest, CountsTheEventsThatDoNotFit) {
  Trace trace({.max_events = 3});
  for (int i = 0; i < 5; ++i) add_trace_counter("x", i);
  trace.stop();
  EXPECT_EQ(trace.size(), 3);
  std::ostringstream os;
  trace.write(os);
  EXPECT_EQ(json::parse(os.str())["otherData"]["dropped events"], 2);
}

TEST(TraceTest, ThreadsThatRecordWhileItStopsLoseNothingElse) {
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!stop) const TraceSpan span("test", "busy");
    });
  }
  for (int i = 0; i < 20; ++i) {
    Trace trace({.max_events = 10000});
    { const TraceSpan span("test", "mine"); }
    trace.stop();
    EXPECT_GE(trace.size(), 1);
    EXPECT_EQ(events_of(trace, "X").size(), static_cast<size_t>(trace.size()));
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(TraceTest, RefusesWhatMakesNoSense) {
  EXPECT_THAT(error_of<ValueError>([] { Trace({.max_events = 0}); }),
              "Trace: expected max_events >= 1, got 0");
  const Trace trace;
  EXPECT_THAT(error_of<ValueError>([] { Trace second; }),
              "Trace: expected that no other trace is recording");
  EXPECT_THAT(error_of<ValueError>([&] { trace.write(std::cout); }),
              "Trace::write: expected a call after stop()");
}

}  // namespace
}  // namespace catena

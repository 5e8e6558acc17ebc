#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/array/core/named_fields_only.h"

// Where the time goes: a record of what each thread does and when, for
// Perfetto (ui.perfetto.dev) or Chrome (about:tracing).
// function_hooks::TraceHook and training::extensions::TraceReport fill it;
// programs can add spans of their own.
namespace catena {

namespace internal {

// The number of the trace that records, or 0.
inline std::atomic<int64_t> recording_trace{0};

struct TraceBuffer;

}  // namespace internal

// Whether a trace is recording.
inline bool is_tracing() {
  return internal::recording_trace.load(std::memory_order_relaxed) != 0;
}

// Nanoseconds of the monotonic clock by which traces tell the time.
int64_t trace_clock();

struct TraceOptions {
  NamedFieldsOnly keywords = {};
  // Events of all threads beyond this number are counted, but not recorded.
  // 100 bytes each.
  int64_t max_events = 1000000;
};

// Records from its construction to stop(). One at a time in a process.
class Trace {
 public:
  // Throws ValueError when another trace is recording, or max_events < 1.
  explicit Trace(const TraceOptions& options = {});
  // Stops.
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // Ends the recording; the events remain until the trace is destroyed.
  void stop();
  // The number of events so far, without those that were dropped.
  int64_t size() const;

  // Writes the events in the Trace Event Format (JSON), after stop(). Spans
  // that had not ended are left out. Throws ValueError when it is still
  // recording.
  void write(std::ostream& os) const;

 private:
  int64_t number_;
  int64_t begin_;
  int64_t max_events_;
  int64_t dropped_ = 0;
  std::vector<std::shared_ptr<internal::TraceBuffer>> buffers_;
};

// What this thread does until the end of the scope. Without a trace that
// records, it costs a load and a branch.
//
//   const TraceSpan span("my program", "reading");
class TraceSpan {
 public:
  // The name must outlive the span.
  TraceSpan(const char* category, std::string_view name) {
    if (is_tracing()) [[unlikely]]
      start(category, name);
  }
  ~TraceSpan() {
    if (trace_ != 0) [[unlikely]]
      end();
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

  // Whether it is recorded, so that a detail is worth making.
  bool is_recorded() const { return trace_ != 0; }
  // Text for the event's arguments, such as shapes.
  void set_detail(std::string detail) { detail_ = std::move(detail); }

 private:
  void start(const char* category, std::string_view name);
  void end();

  int64_t trace_ = 0;
  int64_t begin_ = 0;
  const char* category_ = nullptr;
  std::string_view name_;
  std::string detail_;
  std::string outer_name_;
};

// A span whose end is known. Times are trace_clock()'s.
struct FinishedSpan {
  const char* category;
  std::string name;
  int64_t begin;
  int64_t end;
  std::string detail = {};
  // The name of a row that is not a thread's, such as a stream of a GPU; by
  // default that of this thread.
  std::string row = {};
};
// Adds it, if a trace is recording.
void add_trace_span(FinishedSpan span);

// What this thread does, by which its parallel loops are called on the rows of
// all threads that take part: the name of the innermost span.
const std::string& trace_task();
// Sets it, and returns what it was.
std::string exchange_trace_task(std::string name);

// Adds the present value of a counter, which viewers draw as a curve.
void add_trace_counter(std::string_view name, int64_t value);

// What this thread's row is called; defaults to "thread N".
void set_trace_thread_name(std::string_view name);

}  // namespace catena

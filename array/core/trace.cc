#include "catena/array/core/trace.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "catena/array/core/error.h"

namespace catena {
namespace internal {

struct TraceEvent {
  enum class Kind { kSpan, kCounter };

  Kind kind;
  const char* category;
  std::string row;  // empty: the thread's
  std::string name;
  std::string detail;
  int64_t begin;  // nanoseconds
  int64_t value;  // the length of a span
};

// The events of one thread.
struct TraceBuffer {
  int64_t thread;
  std::mutex mutex;  // of what follows
  std::string thread_name;
  int64_t trace = 0;
  std::vector<TraceEvent> events;
};

}  // namespace internal

namespace {

using internal::recording_trace;
using internal::TraceBuffer;
using internal::TraceEvent;

struct Registry {
  std::mutex mutex;
  std::vector<std::shared_ptr<TraceBuffer>> buffers;
  int64_t traces = 0;
  int64_t threads = 0;
};

// Never destroyed: threads may end after static objects.
Registry& registry() {
  static auto* const all = new Registry;
  return *all;
}

// How many more events fit, of all threads.
std::atomic<int64_t> space{0};

// A thread's buffer: in the registry until the thread ends, or for as long as
// a trace still has to take its events.
class ThreadBuffer {
 public:
  ThreadBuffer() : buffer_(std::make_shared<TraceBuffer>()) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    buffer_->thread = ++all.threads;
    all.buffers.push_back(buffer_);
  }
  ~ThreadBuffer() {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    const int64_t trace = recording_trace.load();
    if (trace == 0 || buffer_->trace != trace) std::erase(all.buffers, buffer_);
  }
  ThreadBuffer(const ThreadBuffer&) = delete;
  ThreadBuffer& operator=(const ThreadBuffer&) = delete;

  TraceBuffer& get() const { return *buffer_; }

 private:
  std::shared_ptr<TraceBuffer> buffer_;
};

TraceBuffer& thread_buffer() {
  thread_local const ThreadBuffer buffer;
  return buffer.get();
}

thread_local std::string current_task;

void add(int64_t trace, TraceEvent event) {
  if (trace == 0 || space.fetch_sub(1, std::memory_order_relaxed) <= 0) return;
  TraceBuffer& buffer = thread_buffer();
  const std::lock_guard lock(buffer.mutex);
  // It may have stopped in the meantime.
  if (recording_trace.load() != trace) return;
  if (std::exchange(buffer.trace, trace) != trace) buffer.events.clear();
  buffer.events.push_back(std::move(event));
}

// A string of JSON.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x",
                    static_cast<unsigned>(c));
      result += escape;
    } else {
      result += c;
    }
  }
  return result + '"';
}

// Microseconds with three decimals.
std::string microseconds(int64_t nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f",
                static_cast<double>(nanoseconds) * 1e-3);
  return text;
}

// Writes the events as the elements of a list.
class EventWriter {
 public:
  explicit EventWriter(std::ostream& os) : os_(os) {}

  void name_row(int64_t row, std::string_view name) {
    begin("thread_name", 'M', row)
        << R"(,"args":{"name":)" << quoted(name) << "}}";
    // Rows in the order of their numbers.
    begin("thread_sort_index", 'M', row)
        << R"(,"args":{"sort_index":)" << row << "}}";
  }
  void span(int64_t row, const TraceEvent& event, int64_t origin) {
    begin(event.name, 'X', row)
        << R"(,"cat":)" << quoted(event.category) << R"(,"ts":)"
        << microseconds(event.begin - origin) << R"(,"dur":)"
        << microseconds(event.value);
    if (!event.detail.empty()) {
      os_ << R"(,"args":{"detail":)" << quoted(event.detail) << "}";
    }
    os_ << "}";
  }
  void counter(const TraceEvent& event, int64_t origin) {
    begin(event.name, 'C', 0)
        << R"(,"ts":)" << microseconds(event.begin - origin)
        << R"(,"args":{"value":)" << event.value << "}}";
  }

 private:
  std::ostream& begin(std::string_view name, char phase, int64_t row) {
    os_ << (std::exchange(is_first_, false) ? "\n" : ",\n") << R"({"name":)"
        << quoted(name) << R"(,"ph":")" << phase << R"(","pid":1,"tid":)"
        << row;
    return os_;
  }

  std::ostream& os_;
  bool is_first_ = true;
};

}  // namespace

int64_t trace_clock() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Trace::Trace(const TraceOptions& options)
    : begin_(trace_clock()), max_events_(options.max_events) {
  if (options.max_events < 1) {
    raise<ValueError>("Trace: expected max_events >= 1, got ",
                      options.max_events);
  }
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (recording_trace.load() != 0) {
    raise<ValueError>("Trace: expected that no other trace is recording");
  }
  number_ = ++all.traces;
  space = options.max_events;
  recording_trace = number_;
}

Trace::~Trace() { stop(); }

void Trace::stop() {
  if (recording_trace.load() != number_) return;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  recording_trace = 0;
  dropped_ = std::max<int64_t>(-space.load(), 0);
  for (const auto& buffer : all.buffers) {
    const std::lock_guard buffer_lock(buffer->mutex);
    if (buffer->trace != number_) continue;
    auto taken = std::make_shared<TraceBuffer>();
    taken->thread = buffer->thread;
    taken->thread_name = buffer->thread_name;
    taken->events = std::exchange(buffer->events, {});
    buffers_.push_back(std::move(taken));
  }
  // Those of threads that have ended meanwhile.
  std::erase_if(all.buffers, [](const std::shared_ptr<TraceBuffer>& buffer) {
    return buffer.use_count() == 1;
  });
}

int64_t Trace::size() const {
  if (recording_trace.load() == number_) {
    return max_events_ - std::max<int64_t>(space.load(), 0);
  }
  int64_t count = 0;
  for (const auto& buffer : buffers_) {
    count += static_cast<int64_t>(buffer->events.size());
  }
  return count;
}

void Trace::write(std::ostream& os) const {
  if (recording_trace.load() == number_) {
    raise<ValueError>("Trace::write: expected a call after stop()");
  }
  os << R"({"displayTimeUnit":"ms","traceEvents":[)";
  EventWriter writer(os);
  // Rows of threads, then the others.
  int64_t last = 0;
  for (const auto& buffer : buffers_) {
    last = std::max(last, buffer->thread);
    writer.name_row(buffer->thread, buffer->thread_name.empty()
                                        ? str("thread ", buffer->thread)
                                        : buffer->thread_name);
  }
  std::map<std::string, int64_t, std::less<>> rows;
  for (const auto& buffer : buffers_) {
    for (const TraceEvent& event : buffer->events) {
      if (event.kind == TraceEvent::Kind::kCounter) {
        writer.counter(event, begin_);
        continue;
      }
      int64_t row = buffer->thread;
      if (!event.row.empty()) {
        const auto [found, is_new] = rows.try_emplace(event.row, last + 1);
        if (is_new) writer.name_row(++last, event.row);
        row = found->second;
      }
      writer.span(row, event, begin_);
    }
  }
  os << "\n],\"otherData\":{\"dropped events\":" << dropped_ << "}}\n";
}

void TraceSpan::start(const char* category, std::string_view name) {
  trace_ = recording_trace.load(std::memory_order_relaxed);
  category_ = category;
  name_ = name;
  outer_name_ = exchange_trace_task(std::string(name));
  begin_ = trace_clock();
}

void TraceSpan::end() {
  const int64_t now = trace_clock();
  exchange_trace_task(std::move(outer_name_));
  try {
    add(trace_, {.kind = TraceEvent::Kind::kSpan,
                 .category = category_,
                 .row = {},
                 .name = std::string(name_),
                 .detail = std::move(detail_),
                 .begin = begin_,
                 .value = now - begin_});
  } catch (const std::bad_alloc&) {
    // Called by destructors: the trace lacks a span.
  }
}

void add_trace_span(FinishedSpan span) {
  add(recording_trace.load(std::memory_order_relaxed),
      {.kind = TraceEvent::Kind::kSpan,
       .category = span.category,
       .row = std::move(span.row),
       .name = std::move(span.name),
       .detail = std::move(span.detail),
       .begin = span.begin,
       .value = span.end - span.begin});
}

const std::string& trace_task() { return current_task; }

std::string exchange_trace_task(std::string name) {
  return std::exchange(current_task, std::move(name));
}

void add_trace_counter(std::string_view name, int64_t value) {
  const int64_t trace = recording_trace.load(std::memory_order_relaxed);
  if (trace == 0) return;
  add(trace, {.kind = TraceEvent::Kind::kCounter,
              .category = "",
              .row = {},
              .name = std::string(name),
              .detail = {},
              .begin = trace_clock(),
              .value = value});
}

void set_trace_thread_name(std::string_view name) {
  try {
    TraceBuffer& buffer = thread_buffer();
    const std::lock_guard lock(buffer.mutex);
    buffer.thread_name = name;
  } catch (const std::bad_alloc&) {
    // The first thing that a thread does, where nobody would catch it: the
    // trace has the thread's number.
  }
}

}  // namespace catena

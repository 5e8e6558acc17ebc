#include "catena/array/core/parallel.h"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/inline_regions.h"
#include "catena/array/core/trace.h"

#ifdef __SANITIZE_THREAD__
extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_release(void*);

// oneDNN and BLAS use the same runtime and are not instrumented: their threads'
// memset and memcpy calls would look like races.
extern "C" const char* __tsan_default_suppressions() {
  return "race:libdnnl\n"
         "race:libopenblas\n";
}
#endif

namespace catena {
namespace {

// The OpenMP runtime's own synchronization is invisible to ThreadSanitizer, so
// it is told about the fork and the join of a region.
void acquire([[maybe_unused]] void* event) {
#ifdef __SANITIZE_THREAD__
  __tsan_acquire(event);
#endif
}

void release([[maybe_unused]] void* event) {
#ifdef __SANITIZE_THREAD__
  __tsan_release(event);
#endif
}

std::atomic<int>& thread_count() {
  static std::atomic<int> count{omp_get_max_threads()};
  return count;
}

using Clock = std::chrono::steady_clock;

int64_t nanoseconds_now() {
  return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
}

// Notices that another program has the cores: then the other threads of a
// region end long after the caller's own part, and short regions are faster
// without them. Two such joins in a short time are followed by a pause in which
// the calling thread works alone: so long that waiting takes at most a ninth of
// the time, and longer each time, until joins are on time again.
class SlowJoins {
 public:
  bool expected() const {
    return pause_ != Clock::duration::zero() && Clock::now() < end_of_pause_;
  }

  // `own` is the time of the caller's part, `wait` that of the join.
  void observe(Clock::duration own, Clock::duration wait) {
    if (wait > kPatience && wait > 4 * own) {
      const Clock::time_point now = Clock::now();
      const bool again = now - last_ < kShortTime;
      last_ = now;
      if (!again) return;
      pause_ = std::min(std::max(2 * pause_, 8 * wait), kMaxPause);
      last_ = end_of_pause_ = now + pause_;
    } else if (pause_ != Clock::duration::zero()) {
      pause_ = pause_ > kMinPause ? pause_ / 2 : Clock::duration::zero();
    }
  }

 private:
  // Above the time in which an idle core wakes up, below a time slice.
  static constexpr Clock::duration kPatience = std::chrono::microseconds(200);
  // One late join is an accident, and nothing to change one's habits for.
  static constexpr Clock::duration kShortTime = std::chrono::milliseconds(20);
  static constexpr Clock::duration kMinPause = std::chrono::milliseconds(2);
  static constexpr Clock::duration kMaxPause = std::chrono::milliseconds(64);

  Clock::duration pause_ = Clock::duration::zero();
  Clock::time_point end_of_pause_;
  // The last late join, or the end of its pause.
  Clock::time_point last_;
};

// A child of fork() has none of its parent's threads, for which the OpenMP
// runtime would wait.
constinit bool is_child = false;
[[maybe_unused]] const int fork_handler = [] {
  // LLVM's runtime installs its own handlers when it is first asked something.
  // They must run first: before them, a child waits for its parent's locks.
  omp_get_max_threads();
  return ::pthread_atfork(
      /*prepare=*/nullptr, /*parent=*/nullptr, /*child=*/[] {
        is_child = true;
        omp_set_num_threads(1);
      });
}();

// The threads of this thread's regions, tried before the OpenMP runtime starts
// them, since it ends the process where it cannot.
class TriedThreads {
 public:
  // Whether there can be `count` threads with this one.
  bool include(int64_t count) {
    if (count <= count_) return true;
    if (Clock::now() < next_try_) return false;
    if (can_start(count - 1)) {
      count_ = count;
      return true;
    }
    next_try_ = Clock::now() + std::chrono::seconds(1);
    return false;
  }

 private:
  // All at once, as in a region.
  static bool can_start(int64_t count) {
    std::mutex gate;
    std::vector<pthread_t> threads;
    threads.reserve(static_cast<size_t>(count));  // nothing throws below
    {
      const std::lock_guard closed(gate);
      for (int64_t i = 0; i < count; ++i) {
        pthread_t thread;
        if (::pthread_create(&thread, nullptr, pass, &gate) != 0) break;
        threads.push_back(thread);
      }
    }
    for (const pthread_t thread : threads) ::pthread_join(thread, nullptr);
    return static_cast<int64_t>(threads.size()) == count;
  }
  static void* pass(void* gate) {
    const std::lock_guard open(*static_cast<std::mutex*>(gate));
    return nullptr;
  }

  int64_t count_ = 1;
  Clock::time_point next_try_;
};

thread_local TriedThreads tried_threads;
thread_local SlowJoins slow_joins;
// Whether this thread is in a region that it runs alone.
thread_local bool in_lone_region = false;

// One parallel region: the ranges and the first exception of a body.
struct Region {
  int64_t size;
  int64_t step;
  absl::FunctionRef<void(int64_t, int64_t)> body;
  // What the caller does, for traces. Not a view, since the caller's task is
  // another one while a loop runs.
  std::string name = "parallel_for";
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
  std::exception_ptr error = nullptr;
  Clock::time_point end_of_own_part = {};
  char fork = 0;
  char join = 0;
};

[[gnu::noinline]] void run_range(Region& region, int64_t index) {
  acquire(&region.fork);
  const int64_t begin =
      index <= region.size / region.step ? index * region.step : region.size;
  const int64_t end = begin + std::min(region.step, region.size - begin);
  {
    const TraceSpan span("kernel", region.name);
    try {
      if (begin < end) region.body(begin, end);
    } catch (...) {
      if (!region.failed.test_and_set()) {
        region.error = std::current_exception();
      }
    }
  }
  release(&region.join);  // after the span, which reads the region
}

// The code generated for the pragma reads variables across threads in ways that
// ThreadSanitizer cannot track.
__attribute__((noinline, no_sanitize("thread"))) void fork_and_join(
    Region& region, int64_t ranges) {
  release(&region.fork);
#pragma omp parallel for num_threads(static_cast <int>(ranges)) \
    schedule(static, 1)
  for (int64_t i = 0; i < ranges; ++i) {
    run_range(region, i);
    if (i == 0) region.end_of_own_part = Clock::now();
  }
  acquire(&region.join);
}

void run_alone(Region& region, int64_t ranges) {
  in_lone_region = true;
  for (int64_t i = 0; i < ranges; ++i) run_range(region, i);
  in_lone_region = false;
}

}  // namespace

// OpenMP stores this limit per thread that it did not start itself.
void cpu::run_this_thread_serially() { omp_set_max_active_levels(0); }

void set_num_threads(int count) {
  if (count < 1) {
    raise<ValueError>("set_num_threads: expected at least 1, got ", count);
  }
  thread_count() = count;
  omp_set_num_threads(is_child ? 1 : count);
}

int get_num_threads() { return thread_count().load(std::memory_order_relaxed); }

namespace cpu {

void parallel_for(int64_t size, int64_t grain,
                  absl::FunctionRef<void(int64_t, int64_t)> body,
                  int64_t align) {
  if (size <= 0) return;
  const int64_t ranges =
      std::min<int64_t>(get_num_threads(), size / std::max<int64_t>(grain, 1));
  if (ranges <= 1 || omp_in_parallel() || in_lone_region) {
    body(0, size);
    return;
  }
  const int64_t step = (size - 1) / ranges + 1;
  align = std::clamp<int64_t>(align, 1, size);
  Region region{size, ((step - 1) / align + 1) * align, body};
  if (is_tracing() && !trace_task().empty()) region.name = trace_task();
  if (is_child || slow_joins.expected() || !tried_threads.include(ranges)) {
    run_alone(region, ranges);
  } else {
    const Clock::time_point start = Clock::now();
    fork_and_join(region, ranges);
    slow_joins.observe(region.end_of_own_part - start,
                       Clock::now() - region.end_of_own_part);
  }
  if (region.error) std::rethrow_exception(region.error);
}

int parallel_threads() {
  const bool is_alone =
      omp_in_parallel() || in_lone_region || is_child || slow_joins.expected();
  const int count = is_alone ? 1 : get_num_threads();
  return tried_threads.include(count) ? count : 1;
}

LibraryCall::LibraryCall(int64_t own_nanoseconds)
    : own_nanoseconds_(own_nanoseconds), threads_(parallel_threads()) {
  if (threads_ > 1) start_ = nanoseconds_now();
}

LibraryCall::~LibraryCall() {
  if (threads_ == 1) return;
  const int64_t time = nanoseconds_now() - start_;
  slow_joins.observe(std::chrono::nanoseconds(own_nanoseconds_),
                     std::chrono::nanoseconds(time - own_nanoseconds_));
}

}  // namespace cpu
}  // namespace catena

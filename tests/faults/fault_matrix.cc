#include "catena/tests/faults/fault_matrix.h"

#include <dirent.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <typeinfo>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_pool.h"
#include "catena/autograd/class_name.h"

namespace catena::testing {
namespace {

// One broken subject must not fill the log.
constexpr int kMaxFailures = 8;
constexpr int kLeakTimes = 4;

int64_t injected = 0;

// What an exception that must not leave a function makes of the program: the
// message of std::terminate does not say which call failed.
std::string current_attempt;
std::terminate_handler print_reason = nullptr;
[[noreturn]] void print_attempt() {
  std::fprintf(stderr, "ended by %s\n", current_attempt.c_str());
  print_reason();
  std::abort();
}

int64_t count_open_files() {
  int64_t count = 0;
  DIR* const folder = ::opendir("/proc/self/fd");
  while (::readdir(folder) != nullptr) ++count;
  ::closedir(folder);
  return count;
}

// What a trial may not leave behind.
struct Holding {
  std::string name;
  std::function<int64_t()> count;
};
std::vector<Holding>& holdings() {
  static auto& all = *new std::vector<Holding>{
      {"bytes of the heap", live_heap_bytes},
      {"bytes of the pool",
       [] { return cpu::memory_pool_statistics().used_bytes; }},
      {"open files", count_open_files}};
  return all;
}

// How much there is of each. Into memory that is there already.
void count_holdings(std::vector<int64_t>& counts) {
  for (size_t i = 0; i < counts.size(); ++i) counts[i] = holdings()[i].count();
}

class GivenRead final : public FaultTrial {
 public:
  explicit GivenRead(std::function<std::string()> read)
      : read_(std::move(read)) {}
  void run() override { state_ = read_(); }
  std::string state() override { return state_; }

 private:
  std::function<std::string()> read_;
  std::string state_;
};

class Matrix {
 public:
  Matrix(const FaultSubject& subject, int64_t most)
      : subject_(subject), most_(most) {}

  void run(const Faults& faults) {
    if (!find_states()) return;
    for (const Fault fault : faults) run(fault);
    std::printf("%s: %lld faults\n", subject_.name.c_str(),
                static_cast<long long>(injected_));
    injected += injected_;
  }

 private:
  // Fills the caches of the process, too. False if there is nothing to compare
  // with.
  bool find_states() {
    current_attempt = subject_.name + ", no fault";
    for (int i = 0; i < 2; ++i) {
      const auto trial = subject_.make();
      before_ = trial->state();
      trial->run();
      const std::string after = trial->state();
      if (i > 0 && after != after_) {
        ADD_FAILURE() << subject_.name << ": two runs differ";
        return false;
      }
      after_ = after;
    }
    return true;
  }

  void run(Fault fault) {
    const int64_t calls = count(fault);
    const int64_t step = std::max<int64_t>(1, (calls + most_ - 1) / most_);
    for (int64_t n = 1; n <= calls && failures_ < kMaxFailures; n += step) {
      current_attempt =
          str(subject_.name, ", ", fault, " call ", n, " of ", calls);
      // A leak leaves something each time; what is cached for good when it is
      // first needed does not, nor do tables that grow now and then.
      int times = 0;
      while (times < kLeakTimes && leaves_something(fault, n)) ++times;
      if (times == kLeakTimes) fail(left_);
    }
  }

  int64_t count(Fault fault) const {
    const auto trial = subject_.make();
    const FaultScope counts;
    trial->run();
    return counts.calls(fault);
  }

  bool leaves_something(Fault fault, int64_t n) {
    left_.clear();
    count_holdings(held_before_);
    attempt(fault, n);
    count_holdings(held_after_);
    for (size_t i = 0; i < held_after_.size(); ++i) {
      const int64_t left = held_after_[i] - held_before_[i];
      if (left > 0) left_ += str(" ", left, " ", holdings()[i].name);
    }
    if (left_.empty()) return false;
    left_ = "leaves" + left_;
    return true;
  }

  void attempt(Fault fault, int64_t n) {
    const auto trial = subject_.make();
    bool threw = false;
    {
      const FaultScope scope(fault, n);
      threw = run_and_catch(*trial, fault, scope);
      if (scope.has_failed()) ++injected_;
    }
    const std::string state = trial->state();
    if (threw && state != before_ && state != after_) {
      fail("leaves a half-changed state");
    }
    if (!threw && state != after_) fail("is not noticed, but gives wrong bits");
    if (!threw) return;
    try {
      trial->run();
      if (trial->state() != after_) fail("makes the next try give wrong bits");
    } catch (const std::exception& error) {
      fail(str("makes the next try fail: ", error.what()));
    }
  }

  bool run_and_catch(FaultTrial& trial, Fault fault, const FaultScope& scope) {
    try {
      trial.run();
      return false;
    } catch (const Error& error) {
      const NoFaults suspended;
      check_reason(error, fault, scope.failed_call());
    } catch (const std::exception& error) {
      const NoFaults suspended;
      fail(str("throws a ", qualified_class_name(typeid(error)),
               ", not an Error: ", error.what()));
    } catch (...) {
      const NoFaults suspended;
      fail("throws what is no exception");
    }
    return true;
  }

  // An error that says what has failed.
  void check_reason(const Error& error, Fault fault, const std::string& call) {
    const std::string message = error.what();
    if (dynamic_cast<const OutOfMemoryError*>(&error) != nullptr) return;
    if (fault == Fault::kCudaMemory || fault == Fault::kCudaPool) {
      fail("is no OutOfMemoryError: " + message);
    } else if (message.find(call) == message.npos) {
      fail(str("gives an error without the name ", call, ": ", message));
    }
  }

  // Once for each fault, which may be repeated.
  void fail(const std::string& what) {
    if (failed_attempt_ == current_attempt) return;
    failed_attempt_ = current_attempt;
    ++failures_;
    ADD_FAILURE() << current_attempt << ": " << what;
  }

  const FaultSubject& subject_;
  int64_t most_;
  std::string before_;
  std::string after_;
  std::vector<int64_t> held_before_ = std::vector<int64_t>(holdings().size());
  std::vector<int64_t> held_after_ = held_before_;
  std::string left_;
  std::string failed_attempt_;
  int64_t injected_ = 0;
  int failures_ = 0;
};

}  // namespace

const Faults kFaultsButNew = [] {
  Faults faults;
  for (int i = 0; i < kSystemFaults; ++i) {
    if (static_cast<Fault>(i) != Fault::kNew) {
      faults.push_back(static_cast<Fault>(i));
    }
  }
  return faults;
}();
const Faults kAllFaults = [] {
  Faults faults = kFaultsButNew;
  faults.push_back(Fault::kNew);
  return faults;
}();

void watch_holding(std::string name, std::function<int64_t()> count) {
  holdings().push_back({std::move(name), std::move(count)});
}

MakeTrial reading(std::function<std::string()> read) {
  return [read = std::move(read)] { return std::make_unique<GivenRead>(read); };
}

void expect_faults_do_no_harm(const FaultSubject& subject, const Faults& faults,
                              int64_t most) {
  static const bool installed [[maybe_unused]] = [] {
    print_reason = std::set_terminate(print_attempt);
    return true;
  }();
  Matrix(subject, most).run(faults);
}

void expect_faults_do_no_harm(const std::vector<FaultSubject>& subjects) {
  for (const FaultSubject& subject : subjects) {
    expect_faults_do_no_harm(subject);
  }
}

int64_t faults_injected() { return injected; }

}  // namespace catena::testing

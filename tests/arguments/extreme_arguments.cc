#include "catena/tests/arguments/extreme_arguments.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <typeinfo>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_pool.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/tests/support/runfiles.h"

namespace catena::testing {
namespace {

// What is larger is looked at in a few places only.
constexpr int64_t kMaxElements = int64_t{1} << 16;
constexpr int64_t kPoolLimit = int64_t{1} << 28;
// One broken function must not fill the log.
constexpr int kMaxFailures = 3;

std::string current_function;
std::string current_call;
int failures = 0;

// A signal has no stack of its own names: which call was it? Then what would
// have happened without this handler, so that sanitizers report.
constexpr std::array<int, 5> kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT,
                                         SIGTERM};
std::array<struct sigaction, kSignals.size()> earlier_actions;
void print_call(int signal) {
  constexpr char kBegin[] = "signal during ";
  for (const std::string_view text :
       {std::string_view(kBegin), std::string_view(current_call),
        std::string_view("\n")}) {
    [[maybe_unused]] const auto written =
        ::write(STDERR_FILENO, text.data(), text.size());
  }
  for (size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &earlier_actions[i], nullptr);
  }
  if (signal == SIGTERM || signal == SIGABRT) ::raise(signal);
}

void print_calls_of_signals() {
  struct sigaction action = {};
  action.sa_handler = print_call;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &earlier_actions[i]);
  }
}

void fail(const std::string& what) {
  if (++failures <= kMaxFailures) ADD_FAILURE() << current_call << ": " << what;
}

// Elements at both ends of each axis.
void touch_corners(const Array& a) {
  for (const bool at_end : {false, true}) {
    std::vector<Index> indexes;
    for (const int64_t extent : a.shape()) {
      indexes.emplace_back(at_end ? extent - 1 : 0);
    }
    array::basic_index(a, indexes).copy();
  }
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::stringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) {
    fields.push_back(field);
  }
  return fields;
}

std::ifstream open(const std::string& name) {
  const std::string path = runfile("tests/arguments/" + name);
  std::ifstream file(path);
  if (!file) ADD_FAILURE() << "expected " << path;
  return file;
}

// Functions and arguments that have no case, each with a reason. Both may end
// with "*".
struct Exemption {
  std::string function;
  std::string argument;
  bool is_used = false;
};

bool matches(const std::string& pattern, const std::string& text) {
  if (pattern.empty() || pattern.back() != '*') return pattern == text;
  const size_t size = pattern.size() - 1;
  return text.compare(0, size, pattern, 0, size) == 0;
}

std::vector<Exemption> read_exemptions() {
  std::vector<Exemption> exemptions;
  std::ifstream file = open("exempt.csv");
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const auto fields = fields_of(line);
    if (fields.size() < 3) {
      ADD_FAILURE() << "exempt.csv: expected function,argument,reason, got "
                    << line;
      continue;
    }
    exemptions.push_back({fields[0], fields[1]});
  }
  return exemptions;
}

}  // namespace

#ifdef __SANITIZE_ADDRESS__
// The pool has no limit then, but each allocation has one.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:max_allocation_size_mb=512";
}
#endif

void touch(const Array& a) {
  if (!a.defined() || a.size() == 0) return;
  if (a.size() <= kMaxElements) {
    a.copy();
  } else {
    touch_corners(a);
  }
}

void touch(const Variable& y) {
  if (!y.defined()) return;
  touch(y.data());
  if (!y.requires_grad() || y.data().size() > kMaxElements) return;
  if (!is_floating(y.dtype())) return;
  Variable out = y;
  out.set_grad(array::ones_like(y.data()));
  out.backward();
}

namespace internal {

void attempt(const std::string& arguments, const std::function<void()>& body) {
  static const bool prepared [[maybe_unused]] = [] {
    print_calls_of_signals();
    cpu::set_memory_pool_limit(kPoolLimit);
    return true;
  }();
  current_call = current_function + " = " + arguments;
  try {
    body();
  } catch (const Error& error) {
    if (std::strlen(error.what()) == 0) fail("an Error without a message");
  } catch (const std::exception& error) {
    fail(str("expected a result or an Error, got a ", typeid(error).name(),
             ": ", error.what()));
  } catch (...) {
    fail("expected a result or an Error, got what is no exception");
  }
}

const std::vector<Shape>& extreme_shapes() {
  static const std::vector<Shape> shapes = [] {
    std::vector<Shape> all = {{}};
    for (const int64_t n : kExtremes) {
      all.insert(all.end(), {{n}, {2, n}, {n, 2}, {n, 1, 0}, {n, n, n}});
      for (const int64_t m : kExtremes) all.push_back({n, m});
    }
    return all;
  }();
  return shapes;
}

const std::vector<Slice>& extreme_slices() {
  static const std::vector<Slice> slices = [] {
    std::vector<std::optional<int64_t>> bounds = {std::nullopt};
    bounds.insert(bounds.end(), kExtremes.begin(), kExtremes.end());
    std::vector<Slice> all;
    for (const auto& start : bounds) {
      for (const auto& stop : bounds) {
        for (const auto& step : bounds) {
          all.emplace_back(start, stop, step.value_or(1));
        }
      }
    }
    return all;
  }();
  return slices;
}

const std::vector<Array>& extreme_indices() {
  static const std::vector<Array> arrays = [] {
    std::vector<Array> all;
    for (const int64_t n : kExtremes) {
      for (const Shape& values : {Shape{n, n, n}, Shape{0, n, 1}}) {
        const Array indices =
            array::array(std::vector<int64_t>(values.begin(), values.end()));
        all.push_back(indices);
        all.push_back(indices.astype(Dtype::kInt32));
      }
    }
    return all;
  }();
  return arrays;
}

std::string text_of(const Slice& slice) {
  const auto text = [](const std::optional<int64_t>& bound) {
    return bound ? std::to_string(*bound) : std::string();
  };
  return str(text(slice.start), ":", text(slice.stop), ":", slice.step);
}

std::string text_of(const Array& indices) {
  return str(indices.dtype(), " ", Shape(indices.to_vector<int64_t>()));
}

}  // namespace internal

void expect_results_or_errors(const ArgumentCases& cases) {
  for (const ArgumentCase& one : cases) {
    current_function = one.function() + ": " + one.argument();
    failures = 0;
    one.call_all();
  }
}

void expect_all_arguments(const ArgumentCases& cases) {
  std::set<std::pair<std::string, std::string>> tested;
  for (const ArgumentCase& one : cases) {
    tested.emplace(one.function(), one.argument());
  }
  std::vector<Exemption> exemptions = read_exemptions();
  std::ifstream file = open("integer_arguments.csv");
  int count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const auto fields = fields_of(line);
    if (tested.count({fields[0], fields[1]}) > 0) continue;
    const auto exemption = std::find_if(
        exemptions.begin(), exemptions.end(), [&](const Exemption& one) {
          return matches(one.function, fields[0]) &&
                 matches(one.argument, fields[1]);
        });
    if (exemption == exemptions.end()) {
      ADD_FAILURE() << "expected a case for " << fields[0] << ", " << fields[1];
    } else {
      exemption->is_used = true;
    }
  }
  EXPECT_GT(count, 500) << "in integer_arguments.csv";
  for (const Exemption& one : exemptions) {
    if (one.is_used) continue;
    ADD_FAILURE() << "exempt.csv: " << one.function << "," << one.argument
                  << " stands for nothing";
  }
}

}  // namespace catena::testing

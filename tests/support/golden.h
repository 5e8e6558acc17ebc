#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena::testing {

// One case of a golden file (tests/golden/README.md says what the keys mean):
//
//   class ReluGolden : public ::testing::TestWithParam<GoldenCase> {};
//   TEST_P(ReluGolden, Agrees) {
//     const Array y = relu(GetParam().array("in0"));
//     EXPECT_THAT(y, GetParam().is_close("out0"));
//   }
//   INSTANTIATE_TEST_SUITE_P(
//       All, ReluGolden,
//       ::testing::ValuesIn(golden_cases("functions/activation/relu")),
//       golden_case_name);
//
// Lookups of missing keys or of another type throw IoError with file, case and
// key.
class GoldenCase {
 public:
  const std::string& name() const { return name_; }

  bool has(std::string_view key) const;
  // "in0", "out1", "after/running_mean"; on native:0.
  Array array(std::string_view key) const;
  // array(<key>0), array(<key>1), ... up to the last existing number; a missing
  // number before it (an argument that was None) gives an undefined Array.
  std::vector<Array> arrays(std::string_view key) const;
  std::vector<Array> inputs() const { return arrays("in"); }
  std::vector<Array> outputs() const { return arrays("out"); }

  // The keys that start with `prefix`, without it, in file order:
  // keys("param/") may be {"l1/W", "l1/b"}.
  std::vector<std::string> keys(std::string_view prefix = "") const;

  // A keyword argument, "attr/<name>". T is bool, int, int64_t, double,
  // std::string, Shape (a tuple of integers, or one), std::vector<double> or
  // Array.
  bool has_attr(std::string_view name) const;
  template <class T>
  T attr(std::string_view name) const;
  // The same, or `fallback` if the file has no such keyword.
  template <class T>
  T attr_or(std::string_view name, T fallback) const {
    return has_attr(name) ? attr<T>(name) : fallback;
  }
  // Whether an attribute is stored as text, such as "None".
  bool attr_is_text(std::string_view name) const;
  // The value of any text key, such as "repr".
  std::string text(std::string_view key) const;

  // False when the case ran with config.train off.
  bool train() const;
  // Matches arrays close to array(key), within the case's own tolerance or, by
  // default, that of the array's dtype.
  ArrayMatcher is_close(std::string_view key) const;

 private:
  friend class GoldenFile;
  using Entries = std::map<std::string, Array, std::less<>>;

  GoldenCase(std::string file, std::string name)
      : file_(std::move(file)), name_(std::move(name)) {}
  [[noreturn]] void fail(std::string_view key, std::string_view expected,
                         const Array& got) const;

  std::string file_;
  std::string name_;
  std::vector<std::string> order_;  // keys in file order
  std::shared_ptr<Entries> entries_ = std::make_shared<Entries>();
};

template <>
bool GoldenCase::attr<bool>(std::string_view name) const;
template <>
int GoldenCase::attr<int>(std::string_view name) const;
template <>
int64_t GoldenCase::attr<int64_t>(std::string_view name) const;
template <>
double GoldenCase::attr<double>(std::string_view name) const;
template <>
std::string GoldenCase::attr<std::string>(std::string_view name) const;
template <>
Shape GoldenCase::attr<Shape>(std::string_view name) const;
template <>
std::vector<double> GoldenCase::attr<std::vector<double>>(
    std::string_view name) const;
template <>
Array GoldenCase::attr<Array>(std::string_view name) const;

std::ostream& operator<<(std::ostream& os, const GoldenCase& golden);

// The cases of tests/golden/<path>.npz, in file order. Throws IoError when it
// has none.
std::vector<GoldenCase> golden_cases(std::string_view path);
// One case by name.
GoldenCase golden_case(std::string_view path, std::string_view name);

// The files of tests/golden/<folder> in the test's data, without ".npz", in
// alphabetical order.
std::vector<std::string> golden_files(std::string_view folder);

// The name of a parameterized test: the case's, letters and digits only.
std::string golden_case_name(const ::testing::TestParamInfo<GoldenCase>& info);

}  // namespace catena::testing

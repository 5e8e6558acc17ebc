#include "catena/tests/support/golden.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <ostream>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/io/npz.h"
#include "catena/tests/support/runfiles.h"

namespace catena::testing {
namespace {

bool is_text(const Array& a) {
  return a.dtype() == Dtype::kUInt8 && a.ndim() == 1;
}

std::string text_of(const Array& bytes) {
  return {bytes.raw_data(), static_cast<size_t>(bytes.size())};
}

template <class T>
std::vector<T> values_of(const Array& a) {
  const Array cast = a.astype(dtype_of<T>);
  return {cast.data<T>(), cast.data<T>() + cast.size()};
}

std::string attr_key(std::string_view name) { return str("attr/", name); }

}  // namespace

bool GoldenCase::has(std::string_view key) const {
  return entries_->find(key) != entries_->end();
}

void GoldenCase::fail(std::string_view key, std::string_view expected,
                      const Array& got) const {
  raise<IoError>(file_, ": case ", name_, ": key ", key, ": expected ",
                 expected, ", got dtype ", got.dtype(), " and shape ",
                 got.shape());
}

Array GoldenCase::array(std::string_view key) const {
  const auto found = entries_->find(key);
  if (found != entries_->end()) return found->second;
  std::string present;
  for (const std::string& known : order_) present += " " + known;
  raise<IoError>(file_, ": case ", name_, ": expected key ", key, ", got",
                 present);
}

std::vector<Array> GoldenCase::arrays(std::string_view key) const {
  std::vector<Array> result;
  for (const std::string& rest : keys(key)) {
    if (!std::all_of(rest.begin(), rest.end(), ::isdigit)) continue;
    const size_t index = std::stoul(rest);
    if (index >= result.size()) result.resize(index + 1);
    result[index] = array(str(key, rest));
  }
  return result;
}

std::vector<std::string> GoldenCase::keys(std::string_view prefix) const {
  std::vector<std::string> result;
  for (const std::string& key : order_) {
    if (key.starts_with(prefix)) result.push_back(key.substr(prefix.size()));
  }
  return result;
}

bool GoldenCase::has_attr(std::string_view name) const {
  return has(attr_key(name));
}

bool GoldenCase::attr_is_text(std::string_view name) const {
  return has_attr(name) && is_text(array(attr_key(name)));
}

std::string GoldenCase::text(std::string_view key) const {
  const Array value = array(key);
  if (!is_text(value)) fail(key, "text", value);
  return text_of(value);
}

template <>
bool GoldenCase::attr<bool>(std::string_view name) const {
  const Array value = attr<Array>(name);
  if (value.dtype() != Dtype::kBool || value.ndim() != 0) {
    fail(attr_key(name), "a bool", value);
  }
  return value.item<bool>();
}

template <>
int64_t GoldenCase::attr<int64_t>(std::string_view name) const {
  const Array value = attr<Array>(name);
  if (!is_integral(value.dtype()) || value.ndim() != 0) {
    fail(attr_key(name), "an integer", value);
  }
  return value.item<int64_t>();
}

template <>
int GoldenCase::attr<int>(std::string_view name) const {
  return static_cast<int>(attr<int64_t>(name));
}

template <>
double GoldenCase::attr<double>(std::string_view name) const {
  const Array value = attr<Array>(name);
  if (value.ndim() != 0) fail(attr_key(name), "a number", value);
  return value.item<double>();
}

template <>
std::string GoldenCase::attr<std::string>(std::string_view name) const {
  return text(attr_key(name));
}

template <>
Shape GoldenCase::attr<Shape>(std::string_view name) const {
  const Array value = attr<Array>(name);
  if (!is_integral(value.dtype()) || is_text(value) || value.ndim() > 1) {
    fail(attr_key(name), "a tuple of integers", value);
  }
  return values_of<int64_t>(value);
}

template <>
std::vector<double> GoldenCase::attr<std::vector<double>>(
    std::string_view name) const {
  const Array value = attr<Array>(name);
  if (is_text(value) || value.ndim() > 1) {
    fail(attr_key(name), "a tuple of numbers", value);
  }
  return values_of<double>(value);
}

template <>
Array GoldenCase::attr<Array>(std::string_view name) const {
  return array(attr_key(name));
}

bool GoldenCase::train() const {
  return !has("config/train") || array("config/train").item<bool>();
}

ArrayMatcher GoldenCase::is_close(std::string_view key) const {
  if (!has("tol")) return IsClose(array(key));
  const std::vector<double> pair = values_of<double>(array("tol"));
  if (pair.size() != 2) fail("tol", "a pair", array("tol"));
  return IsClose(array(key), {.rtol = pair[0], .atol = pair[1]});
}

std::ostream& operator<<(std::ostream& os, const GoldenCase& golden) {
  return os << golden.name();
}

class GoldenFile {
 public:
  static std::vector<GoldenCase> read(std::string_view path) {
    const std::string file = str("tests/golden/", path, ".npz");
    const array::NpzReader reader(runfile(file));
    std::vector<GoldenCase> cases;
    std::map<std::string, size_t, std::less<>> positions;
    for (const std::string& key : reader.keys()) {
      const size_t slash = key.find('/');
      if (slash == std::string::npos) {
        raise<IoError>(file, ": expected keys <case>/<key>, got ", key);
      }
      const std::string name = key.substr(0, slash);
      const auto [position, added] = positions.emplace(name, cases.size());
      if (added) cases.push_back(GoldenCase(file, name));
      GoldenCase& golden = cases[position->second];
      golden.order_.push_back(key.substr(slash + 1));
      golden.entries_->emplace(golden.order_.back(), reader.read_array(key));
    }
    if (cases.empty()) raise<IoError>(file, ": expected cases, got none");
    return cases;
  }
};

std::vector<GoldenCase> golden_cases(std::string_view path) {
  return GoldenFile::read(path);
}

GoldenCase golden_case(std::string_view path, std::string_view name) {
  for (const GoldenCase& golden : golden_cases(path)) {
    if (golden.name() == name) return golden;
  }
  raise<IoError>("tests/golden/", path, ".npz: expected a case ", name,
                 ", got none with that name");
}

std::vector<std::string> golden_files(std::string_view folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(
           runfile(str("tests/golden/", folder)))) {
    if (entry.path().extension() == ".npz")
      files.push_back(entry.path().stem());
  }
  std::ranges::sort(files);
  return files;
}

std::string golden_case_name(const ::testing::TestParamInfo<GoldenCase>& info) {
  std::string name = info.param.name();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
}

}  // namespace catena::testing

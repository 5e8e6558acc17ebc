#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/io/load_limits.h"
#include "catena/serializers/json_field.h"

namespace catena::links {

// The fields of a JSON file with settings. Each is asked for once;
// refuse_rest() then refuses those that nobody asked for, since they could mean
// that the model computes something else. All throw IoError that names file and
// field.
class JsonFields {
 public:
  // Reads a file, which must be an object.
  static JsonFields read(const std::string& path, const LoadLimits& limits);
  // The object within a field; null if it is absent or null.
  std::optional<JsonFields> object(const std::string& name);

  bool has(const std::string& name) const;  // and it is not null
  // Whole numbers from 1 to 2^31 - 1, which sizes are.
  int64_t size(const std::string& name);
  std::optional<int64_t> optional_size(const std::string& name);
  // Numbers that are finite.
  double number(const std::string& name, double otherwise);
  std::optional<double> optional_number(const std::string& name);
  bool flag(const std::string& name, bool otherwise);
  std::optional<std::string> optional_text(const std::string& name);
  std::vector<std::string> texts(const std::string& name);
  // A whole number from 0 to 2^31 - 1, or a list of them; none if absent.
  std::vector<int32_t> ids(const std::string& name);
  // How many entries an object has; null if it is absent.
  std::optional<int64_t> count(const std::string& name);

  // Refuses a field that has another value than these.
  void expect(const std::string& name,
              std::initializer_list<nlohmann::json> values);
  // Fields that do not matter.
  void ignore(std::initializer_list<const char*> names);
  void ignore(const std::set<std::string>& names);
  void refuse_rest() const;

  // Throws: the file's name, the field, what was expected, and what it is.
  [[noreturn]] void fail(const std::string& name,
                         std::string_view expected) const;

 private:
  JsonFields(nlohmann::json json, std::string where)
      : json_(std::make_unique<nlohmann::json>(std::move(json))),
        where_(std::move(where)),
        root_(*json_, where_, "") {}

  // The field, which may be null; it has been asked for now.
  serializers::JsonField asked(const std::string& name);

  std::unique_ptr<const nlohmann::json> json_;  // keeps its place
  std::string where_;
  serializers::JsonField root_;
  std::set<std::string> asked_;
};

}  // namespace catena::links

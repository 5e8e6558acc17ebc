#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What net.proto says, as data.
namespace catena::caffe {

struct MessageType;

struct EnumType {
  std::string name;
  std::vector<std::pair<std::string, int64_t>> values;

  // The value's name; null for a number that has none.
  const std::string* find(int64_t number) const;
};

enum class FieldKind : uint8_t {
  kInt32,
  kUint32,
  kInt64,
  kBool,
  kEnum,
  kFloat,
  kDouble,
  kString,
  kMessage,
};

struct FieldType {
  std::string name;
  int64_t number = 0;
  FieldKind kind = FieldKind::kInt32;
  bool repeated = false;
  bool packed = false;
  // As net.proto has it; empty when that names none. Numbers of enums are found
  // already.
  double default_number = 0;
  const MessageType* message = nullptr;   // of kMessage
  const EnumType* enumeration = nullptr;  // of kEnum

  // Floating numbers that may be many: they stay in the file.
  bool stays_in_file() const {
    return packed && (kind == FieldKind::kFloat || kind == FieldKind::kDouble);
  }
};

struct MessageType {
  std::string name;
  std::vector<FieldType> fields;

  // Null when there is none.
  const FieldType* find(int64_t number) const;
  const FieldType* find(std::string_view name) const;
};

// The message of that name in net.proto. ValueError when there is none.
const MessageType& message_type(std::string_view name);

}  // namespace catena::caffe

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "catena/array/array.h"
#include "catena/caffe/schema.h"

namespace catena::caffe {

// Floating numbers of a message, in their order. What is read from a file stays
// there: a run is where some of them lie. `loose` holds those that were not
// packed.
struct PackedNumbers {
  struct Run {
    int64_t offset;  // in the file, or in `loose`
    int64_t count;
    bool in_file;
  };

  int64_t count = 0;
  std::vector<Run> runs;
  std::string loose;
  // Instead of all that, numbers to be written: float32 on the CPU.
  Array values;
};

// A message of the format: fields by their names in net.proto. Reading a field
// that is not set gives its default; a name that the message does not have is a
// ValueError.
class Message {
 public:
  explicit Message(const MessageType& type) : type_(&type) {}
  explicit Message(std::string_view type) : type_(&message_type(type)) {}

  const MessageType& type() const { return *type_; }

  // How many values a field has; 0 or 1 unless it is repeated.
  int64_t count(std::string_view name) const;
  bool has(std::string_view name) const { return count(name) > 0; }

  // The last value.
  int64_t integer(std::string_view name) const;
  bool boolean(std::string_view name) const { return integer(name) != 0; }
  double number(std::string_view name) const;
  std::string text(std::string_view name) const;
  // The enum value's name.
  std::string choice(std::string_view name) const;
  const Message& message(std::string_view name) const;

  // All values.
  std::vector<int64_t> integers(std::string_view name) const;
  std::vector<double> numbers(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  std::span<const Message> messages(std::string_view name) const;
  const PackedNumbers& packed(std::string_view name) const;

  // Sets the only value, or adds one to a repeated field.
  void add(std::string_view name, int64_t value);
  void add(std::string_view name, bool value) {
    add(name, static_cast<int64_t>(value));
  }
  void add(std::string_view name, double value);
  void add(std::string_view name, std::string value);
  void add(std::string_view name, const char* value) {
    add(name, std::string(value));
  }
  // The value of an enum by its name.
  void add_choice(std::string_view name, std::string_view value);
  void add_values(std::string_view name, const Array& values);
  // A new message in a repeated field; the one there is in another.
  Message& add_message(std::string_view name);

  using Values = std::variant<std::vector<int64_t>, std::vector<double>,
                              std::vector<std::string>, std::vector<Message>,
                              PackedNumbers>;
  struct Slot {
    const FieldType* field;
    Values values;
  };
  // The fields that are set, in the order in which they were.
  const std::vector<Slot>& slots() const { return slots_; }
  // The values of a field of this message's type, for readers; made where there
  // are none.
  Values& values_of(const FieldType& field);
  // Takes what `other` has in fields of the same name and kind, except for
  // enums, whose meaning is the message's own.
  void take_fields(Message&& other);

 private:
  const FieldType& field(std::string_view name) const;
  const Slot* find(const FieldType& field) const;
  template <class T>
  const std::vector<T>& list(std::string_view name) const;
  template <class T>
  void put(std::string_view name, T value);

  const MessageType* type_;
  std::vector<Slot> slots_;
};

// A message as a .prototxt has it, without PackedNumbers.
std::string to_text(const Message& message);

}  // namespace catena::caffe

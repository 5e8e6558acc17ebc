#include "catena/caffe/message.h"

#include <deque>
#include <mutex>
#include <utility>

#include "catena/array/error.h"

namespace catena::caffe {
namespace {

Message::Values empty_values(const FieldType& field) {
  switch (field.kind) {
    case FieldKind::kFloat:
    case FieldKind::kDouble:
      if (field.stays_in_file()) return PackedNumbers();
      return std::vector<double>();
    case FieldKind::kString:
      return std::vector<std::string>();
    case FieldKind::kMessage:
      return std::vector<Message>();
    default:
      return std::vector<int64_t>();
  }
}

int64_t count_of(const Message::Values& values) {
  return std::visit(
      [](const auto& list) -> int64_t {
        if constexpr (requires { list.count; }) {
          return list.count;
        } else {
          return static_cast<int64_t>(list.size());
        }
      },
      values);
}

// As the text format quotes it: bytes that are not printable in octal.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      result += '\\';
      for (const int shift : {6, 3, 0}) {
        result += static_cast<char>('0' + ((byte >> shift) & 7));
      }
    } else {
      result += c;
    }
  }
  return result + '"';
}

void append_text(std::string& out, const Message& message,
                 const std::string& indent) {
  for (const Message::Slot& slot : message.slots()) {
    const FieldType& field = *slot.field;
    const auto line = [&](const std::string& value) {
      out += str(indent, field.name, ": ", value, "\n");
    };
    if (const auto* list = std::get_if<std::vector<int64_t>>(&slot.values)) {
      for (const int64_t value : *list) {
        if (field.kind == FieldKind::kBool) {
          line(value != 0 ? "true" : "false");
        } else if (field.kind == FieldKind::kEnum) {
          const std::string* name = field.enumeration->find(value);
          line(name != nullptr ? *name : std::to_string(value));
        } else {
          line(std::to_string(value));
        }
      }
    } else if (const auto* list =
                   std::get_if<std::vector<double>>(&slot.values)) {
      for (const double value : *list) line(message_text(value));
    } else if (const auto* list =
                   std::get_if<std::vector<std::string>>(&slot.values)) {
      for (const std::string& value : *list) line(quoted(value));
    } else if (const auto* list =
                   std::get_if<std::vector<Message>>(&slot.values)) {
      for (const Message& value : *list) {
        out += str(indent, field.name, " {\n");
        append_text(out, value, indent + "  ");
        out += indent + "}\n";
      }
    }
  }
}

// A message without fields: one for each type that was asked for, for good.
const Message& default_message(const MessageType& type) {
  static std::mutex mutex;
  // Never destroyed: models of static storage may refer to them.
  static auto* const defaults = new std::deque<Message>();
  const std::lock_guard lock(mutex);
  for (const Message& known : *defaults) {
    if (&known.type() == &type) return known;
  }
  return defaults->emplace_back(type);
}

}  // namespace

const FieldType& Message::field(std::string_view name) const {
  const FieldType* const found = type_->find(name);
  if (found == nullptr) {
    raise<ValueError>("net.proto: ", type_->name, " has no field '", name, "'");
  }
  return *found;
}

const Message::Slot* Message::find(const FieldType& field) const {
  for (const Slot& slot : slots_) {
    if (slot.field == &field) return &slot;
  }
  return nullptr;
}

template <class T>
const std::vector<T>& Message::list(std::string_view name) const {
  static const std::vector<T> kNone;
  const Slot* const slot = find(field(name));
  return slot == nullptr ? kNone : std::get<std::vector<T>>(slot->values);
}

int64_t Message::count(std::string_view name) const {
  const Slot* const slot = find(field(name));
  return slot == nullptr ? 0 : count_of(slot->values);
}

int64_t Message::integer(std::string_view name) const {
  const auto& values = list<int64_t>(name);
  if (!values.empty()) return values.back();
  return static_cast<int64_t>(field(name).default_number);
}

double Message::number(std::string_view name) const {
  const auto& values = list<double>(name);
  if (!values.empty()) return values.back();
  return field(name).default_number;
}

std::string Message::text(std::string_view name) const {
  const auto& values = list<std::string>(name);
  return values.empty() ? std::string() : values.back();
}

std::string Message::choice(std::string_view name) const {
  // The reader lets no number in that has no name.
  return *field(name).enumeration->find(integer(name));
}

const Message& Message::message(std::string_view name) const {
  const auto& values = list<Message>(name);
  if (!values.empty()) return values.back();
  return default_message(*field(name).message);
}

std::vector<int64_t> Message::integers(std::string_view name) const {
  return list<int64_t>(name);
}
std::vector<double> Message::numbers(std::string_view name) const {
  return list<double>(name);
}
std::vector<std::string> Message::texts(std::string_view name) const {
  return list<std::string>(name);
}
std::span<const Message> Message::messages(std::string_view name) const {
  return list<Message>(name);
}

const PackedNumbers& Message::packed(std::string_view name) const {
  static const PackedNumbers kNone;
  const Slot* const slot = find(field(name));
  return slot == nullptr ? kNone : std::get<PackedNumbers>(slot->values);
}

Message::Values& Message::values_of(const FieldType& field) {
  for (Slot& slot : slots_) {
    if (slot.field == &field) return slot.values;
  }
  slots_.push_back({&field, empty_values(field)});
  return slots_.back().values;
}

template <class T>
void Message::put(std::string_view name, T value) {
  const FieldType& found = field(name);
  auto& values = std::get<std::vector<T>>(values_of(found));
  if (!found.repeated) values.clear();
  values.push_back(std::move(value));
}

void Message::add(std::string_view name, int64_t value) { put(name, value); }
void Message::add(std::string_view name, double value) { put(name, value); }
void Message::add(std::string_view name, std::string value) {
  put(name, std::move(value));
}

void Message::add_choice(std::string_view name, std::string_view value) {
  for (const auto& [known, number] : field(name).enumeration->values) {
    if (known == value) return put(name, number);
  }
  raise<ValueError>("net.proto: ", type_->name, ".", name, " has no value '",
                    value, "'");
}

void Message::add_values(std::string_view name, const Array& values) {
  auto& packed = std::get<PackedNumbers>(values_of(field(name)));
  packed.values = values.to_device(native_device())
                      .astype(Dtype::kFloat32, Array::CopyPolicy::kIfNeeded)
                      .contiguous();
  packed.count = values.size();
}

Message& Message::add_message(std::string_view name) {
  const FieldType& found = field(name);
  auto& values = std::get<std::vector<Message>>(values_of(found));
  if (values.empty() || found.repeated) values.emplace_back(*found.message);
  return values.back();
}

void Message::take_fields(Message&& other) {
  for (Slot& slot : other.slots_) {
    const FieldType* const own = type_->find(slot.field->name);
    if (own == nullptr || own->kind != slot.field->kind ||
        own->kind == FieldKind::kEnum || own->message != slot.field->message) {
      continue;
    }
    values_of(*own) = std::move(slot.values);
  }
}

std::string to_text(const Message& message) {
  std::string result;
  append_text(result, message, "");
  return result;
}

}  // namespace catena::caffe

#include "catena/caffe/schema.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "catena/array/error.h"

namespace catena::caffe {
namespace {

constexpr std::string_view kNetProto =
#include "catena/caffe/net_proto.inc"
    ;

// The words and signs of a .proto file, without its comments.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) { advance(); }

  bool at_end() const { return current_.empty(); }
  std::string_view peek() const { return current_; }
  std::string_view next() {
    const std::string_view result = current_;
    advance();
    return result;
  }
  bool accept(std::string_view token) {
    if (current_ != token) return false;
    advance();
    return true;
  }
  void expect(std::string_view token) {
    if (accept(token)) return;
    raise<ValueError>("net.proto: expected '", token, "', got '", current_,
                      "'");
  }

 private:
  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
           c == '.' || c == '-';
  }
  void advance() {
    for (;;) {
      while (!text_.empty() &&
             std::isspace(static_cast<unsigned char>(text_.front())) != 0) {
        text_.remove_prefix(1);
      }
      if (!text_.starts_with("//")) break;
      text_.remove_prefix(std::min(text_.find('\n'), text_.size()));
    }
    size_t size = 0;
    if (text_.starts_with('"')) {
      size = text_.find('"', 1) + 1;
    } else if (!text_.empty() && is_word(text_.front())) {
      while (size < text_.size() && is_word(text_[size])) ++size;
    } else {
      size = text_.empty() ? 0 : 1;
    }
    current_ = text_.substr(0, size);
    text_.remove_prefix(size);
  }

  std::string_view text_;
  std::string_view current_;
};

constexpr std::pair<std::string_view, FieldKind> kScalars[] = {
    {"int32", FieldKind::kInt32},   {"uint32", FieldKind::kUint32},
    {"int64", FieldKind::kInt64},   {"bool", FieldKind::kBool},
    {"float", FieldKind::kFloat},   {"double", FieldKind::kDouble},
    {"string", FieldKind::kString},
};

class Schema {
 public:
  Schema() {
    Tokens in(kNetProto);
    while (!in.at_end()) {
      const std::string_view word = in.next();
      if (word == "message") {
        parse_message(in);
      } else if (word == "enum") {
        parse_enum(in, "");
      } else {  // syntax, package
        while (!in.accept(";")) in.next();
      }
    }
    for (const Unresolved& field : unresolved_) resolve(field);
  }

  const MessageType& message(std::string_view name) const {
    const auto found = messages_.find(name);
    if (found == messages_.end()) {
      raise<ValueError>("net.proto: there is no message '", name, "'");
    }
    return found->second;
  }

 private:
  // A field whose type, or default, is a name that may come later.
  struct Unresolved {
    std::string scope;
    size_t field;
    std::string type;
    std::string default_text;
  };

  void parse_enum(Tokens& in, std::string_view scope) {
    const std::string name = str(scope, in.next());
    EnumType& result = enums_[name];
    result.name = name;
    in.expect("{");
    while (!in.accept("}")) {
      const std::string value(in.next());
      in.expect("=");
      result.values.emplace_back(value, number(in.next()));
      in.expect(";");
    }
  }

  void parse_message(Tokens& in) {
    const std::string name(in.next());
    MessageType& result = messages_[name];
    result.name = name;
    in.expect("{");
    while (!in.accept("}")) {
      const std::string_view word = in.next();
      if (word == "enum") {
        parse_enum(in, name + ".");
      } else {
        parse_field(in, result, word == "repeated");
      }
    }
  }

  void parse_field(Tokens& in, MessageType& message, bool repeated) {
    FieldType field;
    field.repeated = repeated;
    const std::string type(in.next());
    field.name = in.next();
    in.expect("=");
    field.number = number(in.next());
    std::string default_text;
    if (in.accept("[")) {
      const std::string_view option = in.next();
      in.expect("=");
      const std::string_view value = in.next();
      if (option == "packed") {
        field.packed = value == "true";
      } else {
        default_text = value;
      }
      in.expect("]");
    }
    in.expect(";");
    message.fields.push_back(field);
    unresolved_.push_back(
        {message.name, message.fields.size() - 1, type, default_text});
  }

  void resolve(const Unresolved& unresolved) {
    FieldType& field =
        messages_.find(unresolved.scope)->second.fields[unresolved.field];
    const std::string& text = unresolved.default_text;
    for (const auto& [name, kind] : kScalars) {
      if (unresolved.type != name) continue;
      field.kind = kind;
      if (text == "true") {
        field.default_number = 1;
      } else if (!text.empty() && text != "false") {
        field.default_number = number<double>(text);
      }
      return;
    }
    auto found = enums_.find(str(unresolved.scope, ".", unresolved.type));
    if (found == enums_.end()) found = enums_.find(unresolved.type);
    if (found == enums_.end()) {
      field.kind = FieldKind::kMessage;
      field.message = &message(unresolved.type);
      return;
    }
    field.kind = FieldKind::kEnum;
    field.enumeration = &found->second;
    // Without a default the first value is it.
    field.default_number =
        static_cast<double>(found->second.values.front().second);
    for (const auto& [name, value] : found->second.values) {
      if (name == text) field.default_number = static_cast<double>(value);
    }
  }

  template <class T = int64_t>
  static T number(std::string_view text) {
    T value{};
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }

  std::map<std::string, MessageType, std::less<>> messages_;
  std::map<std::string, EnumType, std::less<>> enums_;
  std::vector<Unresolved> unresolved_;
};

}  // namespace

const std::string* EnumType::find(int64_t number) const {
  for (const auto& [name, value] : values) {
    if (value == number) return &name;
  }
  return nullptr;
}

const FieldType* MessageType::find(int64_t number) const {
  for (const FieldType& field : fields) {
    if (field.number == number) return &field;
  }
  return nullptr;
}

const FieldType* MessageType::find(std::string_view name) const {
  for (const FieldType& field : fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

const MessageType& message_type(std::string_view name) {
  // Never destroyed: messages of static storage may refer to it.
  static const Schema* const schema = new Schema();
  return schema->message(name);
}

}  // namespace catena::caffe

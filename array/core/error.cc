#include "catena/array/core/error.h"

#include <charconv>

namespace catena {
namespace {

constexpr std::string_view kInLink = "in link ";

}  // namespace

void Error::prepend(std::string_view text) {
  set_message(std::string(text) + what());
  last_link_ = nullptr;
}

void Error::leave_link(std::string_view name, const void* link) {
  if (last_link_ == link) return;
  std::string text = what();
  if (last_link_ == nullptr) text = std::string(kInLink) + ": " + text;
  text.insert(kInLink.size(), "/" + std::string(name));
  set_message(text);
  last_link_ = link;
}

std::string message_text(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, end.ptr);
}

std::string join_message(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

}  // namespace catena

#include "catena/links/model/chat_format.h"

#include <optional>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"

namespace catena::links {
namespace {

using array::quote;
using Messages = std::span<const ChatMessage>;

constexpr std::string_view kSystem = "system";
constexpr std::string_view kUser = "user";
constexpr std::string_view kAssistant = "assistant";

// Collects parts; plain text that follows plain text is one part.
class Parts {
 public:
  void special(std::string_view token) {
    parts_.push_back({std::string(token), true});
  }
  void plain(std::string_view text) {
    if (text.empty()) return;
    if (parts_.empty() || parts_.back().is_special) parts_.push_back({});
    parts_.back().text += text;
  }
  std::vector<ChatPart> take() { return std::move(parts_); }

 private:
  std::vector<ChatPart> parts_;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

void check_roles(Messages messages) {
  for (size_t i = 0; i < messages.size(); ++i) {
    const std::string& role = messages[i].role;
    if (role != kSystem && role != kUser && role != kAssistant) {
      raise<ValueError>(
          "chat_parts: expected the role system, user or assistant, got ",
          quote(role));
    }
    if (role == kSystem && i > 0) {
      raise<ValueError>(
          "chat_parts: expected a system message in front of all others, got "
          "it as number ",
          i + 1);
    }
  }
}

// Those behind the system message.
void check_turns(Messages messages, const ChatOptions& options) {
  for (size_t i = 0; i < messages.size(); ++i) {
    const std::string_view expected = i % 2 == 0 ? kUser : kAssistant;
    if (messages[i].role != expected) {
      raise<ValueError>(
          "chat_parts: expected user and assistant to take turns, the user "
          "first, got ",
          messages[i].role, " in place of ", expected);
    }
  }
  if (messages.empty() ||
      (options.starts_answer && messages.back().role != kUser)) {
    raise<ValueError>("chat_parts: expected a last message of the user, got ",
                      messages.empty() ? "none" : "one of the assistant");
  }
}

std::vector<ChatPart> chatml(Messages messages, const ChatOptions& options) {
  Parts parts;
  for (const auto& [role, content] : messages) {
    parts.special("<|im_start|>");
    parts.plain(str(role, "\n", content));
    parts.special("<|im_end|>");
    parts.plain("\n");
  }
  if (options.starts_answer) {
    parts.special("<|im_start|>");
    parts.plain("assistant\n");
  }
  return parts.take();
}

std::vector<ChatPart> llama2(Messages messages, const ChatOptions& options) {
  std::string system;
  if (!messages.empty() && messages[0].role == kSystem) {
    system = str("<<SYS>>\n", trimmed(messages[0].content), "\n<</SYS>>\n\n");
    messages = messages.subspan(1);
  }
  check_turns(messages, options);
  Parts parts;
  for (size_t i = 0; i < messages.size(); ++i) {
    const std::string_view content = trimmed(messages[i].content);
    if (i % 2 == 0) {
      parts.special("<s>");
      parts.plain(str("[INST] ", i == 0 ? system : "", content, " [/INST]"));
    } else {
      parts.plain(str(" ", content, " "));
      parts.special("</s>");
    }
  }
  return parts.take();
}

std::vector<ChatPart> llama3(Messages messages, const ChatOptions& options) {
  Parts parts;
  const auto head = [&](std::string_view role) {
    parts.special("<|start_header_id|>");
    parts.plain(role);
    parts.special("<|end_header_id|>");
  };
  parts.special("<|begin_of_text|>");
  for (const auto& [role, content] : messages) {
    head(role);
    parts.plain(str("\n\n", trimmed(content)));
    parts.special("<|eot_id|>");
  }
  if (options.starts_answer) {
    head(kAssistant);
    parts.plain("\n\n");
  }
  return parts.take();
}

std::vector<ChatPart> gemma(Messages messages, const ChatOptions& options) {
  std::string system;
  if (!messages.empty() && messages[0].role == kSystem) {
    system = str(trimmed(messages[0].content), "\n\n");
    messages = messages.subspan(1);
  }
  check_turns(messages, options);
  Parts parts;
  const auto head = [&](std::string_view role) {
    parts.special("<start_of_turn>");
    parts.plain(str(role, "\n"));
  };
  parts.special("<bos>");
  for (size_t i = 0; i < messages.size(); ++i) {
    head(i % 2 == 0 ? "user" : "model");
    parts.plain(str(i == 0 ? system : "", trimmed(messages[i].content)));
    parts.special("<end_of_turn>");
    parts.plain("\n");
  }
  if (options.starts_answer) head("model");
  return parts.take();
}

struct ChatFormat {
  std::string_view name;
  std::string_view end;
  std::vector<ChatPart> (*parts)(Messages, const ChatOptions&);
};

constexpr ChatFormat kFormats[] = {
    {"chatml", "<|im_end|>", chatml},
    {"llama2", "</s>", llama2},
    {"llama3", "<|eot_id|>", llama3},
    {"gemma", "<end_of_turn>", gemma},
};

const ChatFormat& format_of(std::string_view name) {
  for (const ChatFormat& format : kFormats) {
    if (format.name == name) return format;
  }
  raise<ValueError>(
      "chat_parts: expected the format chatml, llama2, llama3 or gemma, got ",
      quote(name));
}

}  // namespace

std::vector<ChatPart> chat_parts(std::string_view format,
                                 std::span<const ChatMessage> messages,
                                 const ChatOptions& options) {
  const ChatFormat& known = format_of(format);
  check_roles(messages);
  return known.parts(messages, options);
}

std::string chat_text(std::string_view format,
                      std::span<const ChatMessage> messages,
                      const ChatOptions& options) {
  std::string text;
  for (const ChatPart& part : chat_parts(format, messages, options)) {
    text += part.text;
  }
  return text;
}

std::string chat_end_token(std::string_view format) {
  return std::string(format_of(format).end);
}

}  // namespace catena::links

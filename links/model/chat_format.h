#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/named_fields_only.h"

// The texts of conversations, as models that answer have seen them in training.
namespace catena::links {

// What one side of a conversation says.
struct ChatMessage {
  std::string role;  // "system", "user" or "assistant"
  std::string content;
};

// A part of a text: a special token, or text in which there are none, whatever
// it looks like.
struct ChatPart {
  std::string text;
  bool is_special = false;
};

struct ChatOptions {
  NamedFieldsOnly keywords = {};
  // Whether the text goes on up to where the model's answer begins.
  bool starts_answer = true;
};

// The text of a conversation, in a format by name: "chatml" (Qwen, SmolLM2),
// "llama2", "llama3" or "gemma". The formats' own space around contents is
// kept, but space that contents begin or end with is removed, except in ChatML.
//
// Throws ValueError for another format or role, a system message that is not
// the first one, and in Llama 2's and Gemma's format unless messages of user
// and assistant take turns, the user's first, and with starts_answer last, too.
std::vector<ChatPart> chat_parts(std::string_view format,
                                 std::span<const ChatMessage> messages,
                                 const ChatOptions& options = {});

// The parts one after the other.
std::string chat_text(std::string_view format,
                      std::span<const ChatMessage> messages,
                      const ChatOptions& options = {});

// The special token that ends an answer: "<|im_end|>", "</s>", "<|eot_id|>" or
// "<end_of_turn>". Throws ValueError for another format.
std::string chat_end_token(std::string_view format);

}  // namespace catena::links

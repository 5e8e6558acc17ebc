#include "catena/dataset/tokenizers/added_token_finder.h"

#include <algorithm>

#include "catena/dataset/tokenizers/unicode.h"
#include "catena/dataset/tokenizers/utf8.h"

namespace catena::datasets {
namespace {

constexpr uint32_t kNoNode = UINT32_MAX;

bool is_word(Character character) { return is_word_character(character.code); }
bool is_blank(Character character) {
  return is_space(class_of(character.code));
}

}  // namespace

AddedTokenFinder::AddedTokenFinder(std::span<const AddedToken> tokens,
                                   std::span<const std::string> contents)
    : tokens_(tokens.begin(), tokens.end()), nodes_(1) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    begins_[static_cast<unsigned char>(contents[i][0])] = true;
    uint32_t node = 0;
    for (const char c : contents[i]) {
      const auto byte = static_cast<unsigned char>(c);
      uint32_t next = child(node, byte);
      if (next == kNoNode) {
        next = static_cast<uint32_t>(nodes_.size());
        std::vector<Edge>& edges = nodes_[node].edges;
        const auto place =
            std::find_if(edges.begin(), edges.end(),
                         [byte](const Edge& edge) { return edge.byte > byte; });
        edges.insert(place, {byte, next});
        nodes_.emplace_back();
      }
      node = next;
    }
    nodes_[node].token = static_cast<int32_t>(i);
    has_ordinary_ = has_ordinary_ || !tokens[i].is_special;
  }
}

uint32_t AddedTokenFinder::child(uint32_t node, unsigned char byte) const {
  const std::vector<Edge>& edges = nodes_[node].edges;
  const auto found =
      std::lower_bound(edges.begin(), edges.end(), byte,
                       [](const Edge& edge, unsigned char wanted) {
                         return edge.byte < wanted;
                       });
  return found == edges.end() || found->byte != byte ? kNoNode : found->node;
}

std::optional<AddedTokenFinder::Match> AddedTokenFinder::match_at(
    std::string_view text, size_t begin, size_t place,
    bool allows_special) const {
  const AddedToken* longest = nullptr;
  size_t end = place;
  uint32_t node = 0;
  for (size_t i = place; i < text.size(); ++i) {
    node = child(node, static_cast<unsigned char>(text[i]));
    if (node == kNoNode) break;
    if (nodes_[node].token < 0) continue;
    const AddedToken& token = tokens_[static_cast<size_t>(nodes_[node].token)];
    if (token.is_special && !allows_special) continue;
    longest = &token;
    end = i + 1;
  }
  if (longest == nullptr) return std::nullopt;
  std::string_view before = text.substr(0, place);
  std::string_view after = text.substr(end);
  if (longest->is_single_word &&
      ((!before.empty() && is_word(last_character(before))) ||
       (!after.empty() && is_word(first_character(after.data()))))) {
    return std::nullopt;
  }
  while (longest->strips_left && before.size() > begin &&
         is_blank(last_character(before))) {
    before.remove_suffix(static_cast<size_t>(last_character(before).length));
  }
  while (longest->strips_right && !after.empty() &&
         is_blank(first_character(after.data()))) {
    after.remove_prefix(
        static_cast<size_t>(first_character(after.data()).length));
  }
  return Match{before.size(), text.size() - after.size(), longest->id};
}

std::optional<AddedTokenFinder::Match> AddedTokenFinder::find(
    std::string_view text, size_t begin, bool allows_special) const {
  if (!has_ordinary_ && (tokens_.empty() || !allows_special)) {
    return std::nullopt;
  }
  for (size_t place = begin; place < text.size(); ++place) {
    if (!begins_[static_cast<unsigned char>(text[place])]) continue;
    if (const auto match = match_at(text, begin, place, allows_special)) {
      return match;
    }
  }
  return std::nullopt;
}

}  // namespace catena::datasets

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/dataset/tokenizers/added_token.h"

namespace catena::datasets {

// Finds added tokens in a text, which they cut to pieces before it is split
// into words.
class AddedTokenFinder {
 public:
  struct Match {
    size_t begin;
    size_t end;
    int32_t id;
  };

  AddedTokenFinder() = default;
  // `contents` are what is looked for, one for each token, and not empty.
  AddedTokenFinder(std::span<const AddedToken> tokens,
                   std::span<const std::string> contents);

  // The first match from `begin` on, the longest of those that begin at its
  // place; special tokens only if they are allowed.
  std::optional<Match> find(std::string_view text, size_t begin,
                            bool allows_special) const;

 private:
  struct Edge {
    unsigned char byte;
    uint32_t node;
  };
  struct Node {
    std::vector<Edge> edges;  // by byte
    int32_t token = -1;       // that ends here
  };

  uint32_t child(uint32_t node, unsigned char byte) const;
  std::optional<Match> match_at(std::string_view text, size_t begin,
                                size_t place, bool allows_special) const;

  std::vector<AddedToken> tokens_;
  std::vector<Node> nodes_;
  std::array<bool, 256> begins_ = {};  // whether a token begins with a byte
  bool has_ordinary_ = false;
};

}  // namespace catena::datasets

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace catena::datasets {

// Texts by number, one behind the other in memory.
class StringTable {
 public:
  StringTable() = default;
  explicit StringTable(std::span<const std::string> texts) {
    for (const std::string& text : texts) add(text);
  }

  void add(std::string_view text) {
    bytes_ += text;
    ends_.push_back(bytes_.size());
  }
  int64_t size() const { return std::ssize(ends_) - 1; }
  std::string_view operator[](int64_t i) const {
    const auto place = static_cast<size_t>(i);
    return {bytes_.data() + ends_[place], ends_[place + 1] - ends_[place]};
  }

 private:
  std::string bytes_;
  std::vector<size_t> ends_ = {0};
};

}  // namespace catena::datasets

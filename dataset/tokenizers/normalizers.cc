#include "catena/dataset/tokenizers/normalizers.h"

#include <algorithm>
#include <utility>

#include "catena/dataset/tokenizers/utf8.h"

namespace catena::datasets {
namespace {

// Calls use(code, bytes) for each character.
template <class Use>
void for_each_character(std::string_view text, Use use) {
  while (!text.empty()) {
    const Character character = first_character(text.data());
    const auto size = static_cast<size_t>(character.length);
    use(character.code, text.substr(0, size));
    text.remove_prefix(size);
  }
}

// The characters for which keeps(code).
template <class Keeps>
std::string filtered(std::string_view text, Keeps keeps) {
  std::string result;
  result.reserve(text.size());
  for_each_character(text, [&](char32_t code, std::string_view bytes) {
    if (keeps(code)) result += bytes;
  });
  return result;
}

// Also those that are spaces elsewhere.
bool is_control(char32_t code) {
  return class_of(code) == CharacterClass::kControl || code == '\v' ||
         code == '\f' || code == 0x85;
}

std::string cleaned(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for_each_character(text, [&](char32_t code, std::string_view bytes) {
    if (code == '\t' || code == '\n' || code == '\r') {
      result += ' ';
    } else if (!is_control(code) && code != 0xFFFD) {
      result += is_space(class_of(code)) ? " " : bytes;
    }
  });
  return result;
}

bool is_ideograph(char32_t code) {
  constexpr std::pair<char32_t, char32_t> kRanges[] = {
      {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},
      {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F},
      {0x2B820, 0x2CEAF}, {0x2F800, 0x2FA1F}};
  return std::any_of(std::begin(kRanges), std::end(kRanges),
                     [code](const auto& range) {
                       return code >= range.first && code <= range.second;
                     });
}

std::string with_separate_ideographs(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for_each_character(text, [&](char32_t code, std::string_view bytes) {
    const bool is_separate = is_ideograph(code);
    if (is_separate) result += ' ';
    result += bytes;
    if (is_separate) result += ' ';
  });
  return result;
}

}  // namespace

std::string replaced(std::string_view text, std::string_view from,
                     std::string_view to) {
  std::string result;
  result.reserve(text.size());
  for (;;) {
    const size_t place = text.find(from);
    result += text.substr(0, place);
    if (place == std::string_view::npos) return result;
    result += to;
    text.remove_prefix(place + from.size());
  }
}

Normalizer normalizing_form(NormalForm form) {
  return [form](std::string& text) {
    if (!is_normalized(text, form)) text = normalized(text, form);
  };
}

Normalizer lowering_case() {
  return [](std::string& text) { text = lower_case(text); };
}

Normalizer stripping_accents() {
  return [](std::string& text) {
    text =
        filtered(text, [](char32_t code) { return !is_mark(class_of(code)); });
  };
}

Normalizer stripping_spaces(bool left, bool right) {
  return [left, right](std::string& text) {
    std::string_view rest = text;
    while (left && !rest.empty()) {
      const Character character = first_character(rest.data());
      if (!is_space(class_of(character.code))) break;
      rest.remove_prefix(static_cast<size_t>(character.length));
    }
    while (right && !rest.empty()) {
      const Character character = last_character(rest);
      if (!is_space(class_of(character.code))) break;
      rest.remove_suffix(static_cast<size_t>(character.length));
    }
    if (rest.size() < text.size()) text = std::string(rest);
  };
}

Normalizer prepending(std::string text) {
  return [first = std::move(text)](std::string& text) {
    if (!text.empty()) text.insert(0, first);
  };
}

Normalizer replacing(std::string from, std::string to) {
  return [from = std::move(from), to = std::move(to)](std::string& text) {
    text = replaced(text, from, to);
  };
}

Normalizer bert_normalizer(const BertNormalizerOptions& options) {
  return [options](std::string& text) {
    if (options.cleans_text) text = cleaned(text);
    if (options.separates_ideographs) text = with_separate_ideographs(text);
    if (options.strips_accents) {
      if (!is_normalized(text, NormalForm::kNfd)) {
        text = normalized(text, NormalForm::kNfd);
      }
      text = filtered(text, [](char32_t code) {
        return class_of(code) != CharacterClass::kNonspacingMark;
      });
    }
    if (options.lowers_case) text = lower_case(text);
  };
}

Normalizer all_normalizers(std::vector<Normalizer> normalizers) {
  return [all = std::move(normalizers)](std::string& text) {
    for (const Normalizer& normalizer : all) normalizer(text);
  };
}

}  // namespace catena::datasets

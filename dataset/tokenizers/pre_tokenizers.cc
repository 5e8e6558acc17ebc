#include "catena/dataset/tokenizers/pre_tokenizers.h"

#include <span>
#include <utility>

#include "catena/dataset/tokenizers/normalizers.h"
#include "catena/dataset/tokenizers/utf8.h"

namespace catena::datasets {
namespace {

// Hands on matches of a pattern and what is between them, which come one after
// the other, as a behaviour wants it.
class Splitter {
 public:
  Splitter(std::string_view text, bool is_first, SplitBehavior behavior,
           TakePart take)
      : text_(text), is_first_(is_first), behavior_(behavior), take_(take) {}

  // The next `size` bytes.
  void add(size_t size, bool is_match) {
    if (size == 0) return;
    switch (behavior_) {
      case SplitBehavior::kRemoved:
        end_word();
        end_ += size;
        if (is_match) {
          begin_ = end_;
        } else {
          end_word();
        }
        break;
      case SplitBehavior::kIsolated:
        end_word();
        end_ += size;
        end_word();
        break;
      case SplitBehavior::kMergedWithPrevious:
        // A match ends a word, unless it comes after another.
        if (!is_match || was_match_) end_word();
        end_ += size;
        break;
      case SplitBehavior::kMergedWithNext:
        if (is_match || !was_match_) end_word();
        end_ += size;
        break;
      case SplitBehavior::kContiguous:
        if (is_match != was_match_) end_word();
        end_ += size;
        break;
    }
    was_match_ = is_match;
  }
  // The rest is no match.
  void finish() {
    add(text_.size() - end_, false);
    end_word();
  }
  size_t place() const { return end_; }

 private:
  void end_word() {
    if (end_ > begin_) {
      take_(text_.substr(begin_, end_ - begin_), is_first_ && begin_ == 0);
    }
    begin_ = end_;
  }

  std::string_view text_;
  bool is_first_;
  SplitBehavior behavior_;
  TakePart take_;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool was_match_ = false;
};

void split_at_text(std::string_view text, bool is_first,
                   std::string_view pattern, SplitBehavior behavior,
                   bool inverts, TakePart take) {
  Splitter splitter(text, is_first, behavior, take);
  for (;;) {
    const size_t place = text.find(pattern, splitter.place());
    if (place == std::string_view::npos) break;
    splitter.add(place - splitter.place(), inverts);
    splitter.add(pattern.size(), !inverts);
  }
  splitter.add(text.size() - splitter.place(), inverts);
  splitter.finish();
}

// Splits at the characters for which is_match(code).
template <class IsMatch>
void split_at_characters(std::string_view text, bool is_first,
                         SplitBehavior behavior, IsMatch is_match,
                         TakePart take) {
  Splitter splitter(text, is_first, behavior, take);
  for (size_t place = 0; place < text.size();) {
    const Character character = first_character(text.data() + place);
    const size_t end = place + static_cast<size_t>(character.length);
    if (is_match(character.code)) {
      splitter.add(place - splitter.place(), false);
      splitter.add(end - place, true);
    }
    place = end;
  }
  splitter.finish();
}

// Splits wherever kind_of(code) changes; 0 is for what is between words.
template <class KindOf>
void split_at_kinds(std::string_view text, bool is_first, KindOf kind_of,
                    TakePart take) {
  size_t begin = 0;
  int kind = 0;
  for (size_t place = 0; place < text.size();) {
    const Character character = first_character(text.data() + place);
    const int next = kind_of(character.code);
    if (next != kind) {
      if (kind != 0) {
        take(text.substr(begin, place - begin), is_first && begin == 0);
      }
      begin = place;
      kind = next;
    }
    place += static_cast<size_t>(character.length);
  }
  if (kind != 0) take(text.substr(begin), is_first && begin == 0);
}

bool is_blank(char32_t code) { return is_space(class_of(code)); }

bool is_bert_punctuation(char32_t code) {
  if (code < 0x80) {
    return code > ' ' && code < 0x7F && !(code >= '0' && code <= '9') &&
           class_of(code) != CharacterClass::kLetter;
  }
  return is_punctuation(class_of(code));
}

void run_all(std::span<const PreTokenizer> all, std::string_view text,
             bool is_first, TakePart take) {
  if (all.empty()) return take(text, is_first);
  all.front()(text, is_first, [&](std::string_view part, bool is_first_part) {
    run_all(all.subspan(1), part, is_first_part, take);
  });
}

}  // namespace

PreTokenizer splitting_by_pattern(SplitPattern pattern) {
  return [scanner = WordScanner(pattern)](std::string_view text, bool is_first,
                                          TakePart take) {
    const char* const end = text.data() + text.size();
    for (const char* begin = text.data(); begin < end;) {
      const char* const end_of_word = scanner.end_of_word(begin, end);
      take({begin, static_cast<size_t>(end_of_word - begin)},
           is_first && begin == text.data());
      begin = end_of_word;
    }
  };
}

PreTokenizer splitting_at_text(std::string pattern, SplitBehavior behavior,
                               bool inverts) {
  return [pattern = std::move(pattern), behavior, inverts](
             std::string_view text, bool is_first, TakePart take) {
    split_at_text(text, is_first, pattern, behavior, inverts, take);
  };
}

PreTokenizer splitting_at_digits(bool one_by_one) {
  const SplitBehavior behavior =
      one_by_one ? SplitBehavior::kIsolated : SplitBehavior::kContiguous;
  return [behavior](std::string_view text, bool is_first, TakePart take) {
    split_at_characters(
        text, is_first, behavior,
        [](char32_t code) { return is_number(class_of(code)); }, take);
  };
}

PreTokenizer splitting_at_punctuation(SplitBehavior behavior) {
  return [behavior](std::string_view text, bool is_first, TakePart take) {
    split_at_characters(text, is_first, behavior, is_bert_punctuation, take);
  };
}

PreTokenizer splitting_words() {
  return [](std::string_view text, bool is_first, TakePart take) {
    const auto kind_of = [](char32_t code) {
      return is_word_character(code) ? 1 : is_blank(code) ? 0 : 2;
    };
    split_at_kinds(text, is_first, kind_of, take);
  };
}

PreTokenizer splitting_at_spaces() {
  return [](std::string_view text, bool is_first, TakePart take) {
    split_at_kinds(
        text, is_first, [](char32_t code) { return is_blank(code) ? 0 : 1; },
        take);
  };
}

PreTokenizer bert_pre_tokenizer() {
  return [](std::string_view text, bool is_first, TakePart take) {
    const auto kind_of = [](char32_t code) { return is_blank(code) ? 0 : 1; };
    split_at_kinds(text, is_first, kind_of,
                   [&](std::string_view part, bool is_first_part) {
                     split_at_characters(part, is_first_part,
                                         SplitBehavior::kIsolated,
                                         is_bert_punctuation, take);
                   });
  };
}

PreTokenizer prepending_blank() {
  return [](std::string_view text, bool is_first, TakePart take) {
    if (text.starts_with(' ')) return take(text, is_first);
    take(' ' + std::string(text), is_first);
  };
}

PreTokenizer metaspace_pre_tokenizer(std::string replacement,
                                     PrependScheme scheme, bool splits) {
  return [replacement = std::move(replacement), scheme, splits](
             std::string_view text, bool is_first, TakePart take) {
    std::string whole = replaced(text, " ", replacement);
    const bool prepends = scheme == PrependScheme::kAlways ||
                          (scheme == PrependScheme::kFirst && is_first);
    if (prepends && !whole.starts_with(replacement)) {
      whole.insert(0, replacement);
    }
    if (!splits) return take(whole, is_first);
    split_at_text(whole, is_first, replacement, SplitBehavior::kMergedWithNext,
                  /*inverts=*/false, take);
  };
}

PreTokenizer all_pre_tokenizers(std::vector<PreTokenizer> pre_tokenizers) {
  return [all = std::move(pre_tokenizers)](std::string_view text, bool is_first,
                                           TakePart take) {
    run_all(all, text, is_first, take);
  };
}

}  // namespace catena::datasets

#include "catena/cuda/emulation/kernel_scan.h"

#include <algorithm>
#include <cctype>

namespace catena::cuda::emulation {
namespace {

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Words, literals and single characters, without the lines of the preprocessor.
class Tokens {
 public:
  explicit Tokens(std::string_view code) : code_(code) {}

  // After the last token.
  size_t position() const { return at_; }

  // "(...)", if that is next.
  void skip_parentheses() {
    int depth = 0;
    do {
      const std::string_view token = next();
      if (token.empty()) return;
      depth += token == "(" ? 1 : token == ")" ? -1 : 0;
    } while (depth > 0);
  }

  // Empty at the end.
  std::string_view next() {
    skip_space();
    const size_t begin = at_;
    if (at_ == code_.size()) return {};
    if (code_.substr(at_, 2) == "R\"") {
      skip_raw_literal();
    } else if (code_[at_] == '"' || code_[at_] == '\'') {
      skip_literal();
    } else if (is_name(code_[at_])) {
      // Digits too, with the separators between them.
      const bool number =
          std::isdigit(static_cast<unsigned char>(code_[at_])) != 0;
      while (at_ < code_.size() &&
             (is_name(code_[at_]) || (number && code_[at_] == '\''))) {
        ++at_;
      }
    } else {
      ++at_;
    }
    return code_.substr(begin, at_ - begin);
  }

 private:
  void skip_space() {
    for (; at_ < code_.size(); ++at_) {
      const char c = code_[at_];
      if (c == '#' && starts_line_) {
        at_ = std::min(code_.find('\n', at_), code_.size() - 1);
      } else if (c == '\n') {
        starts_line_ = true;
      } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
        starts_line_ = false;
        return;
      }
    }
  }
  void skip_literal() {
    const char quote = code_[at_++];
    while (at_ < code_.size() && code_[at_] != quote) {
      at_ += code_[at_] == '\\' ? 2 : 1;
    }
    at_ = std::min(at_ + 1, code_.size());
  }
  void skip_raw_literal() {
    const size_t open = std::min(code_.find('(', at_), code_.size());
    const std::string close =
        ")" + std::string(code_.substr(at_ + 2, open - at_ - 2)) + "\"";
    const size_t end = code_.find(close, open);
    at_ = end == std::string_view::npos ? code_.size() : end + close.size();
  }

  std::string_view code_;
  size_t at_ = 0;
  bool starts_line_ = true;
};

// What is known of the declaration that is being read.
struct Declaration {
  bool has_linkage = false;  // extern "C"
  bool is_kernel = false;
  std::string_view name;  // before its parameters
};

}  // namespace

std::vector<std::string> find_c_kernels(std::string_view code) {
  std::vector<std::string> kernels;
  std::vector<bool> scopes = {false};  // C linkage?
  int parentheses = 0;
  Declaration declaration;
  Tokens tokens(code);
  std::string_view before;
  for (std::string_view token = tokens.next(); !token.empty();
       before = token, token = tokens.next()) {
    if (token == "(") {
      const bool is_attribute = before.substr(0, 2) == "__" ||
                                before == "alignas" || before == "decltype";
      if (parentheses++ == 0 && declaration.name.empty() && !is_attribute) {
        declaration.name = before;
      }
    } else if (token == ")") {
      --parentheses;
    } else if (parentheses > 0) {
      continue;
    } else if (token == "\"C\"" && before == "extern") {
      declaration.has_linkage = true;
    } else if (token == "__global__") {
      declaration.is_kernel = true;
    } else if (token == "{") {
      const bool c_linkage = declaration.has_linkage || scopes.back();
      if (declaration.is_kernel && c_linkage) {
        kernels.emplace_back(declaration.name);
      }
      scopes.push_back(declaration.has_linkage && declaration.name.empty());
      declaration = {};
    } else if (token == "}") {
      if (scopes.size() > 1) scopes.pop_back();
      declaration = {};
    } else if (token == ";") {
      declaration = {};
    }
  }
  return kernels;
}

std::string point_to_shared_memory(std::string_view code) {
  std::string result;
  size_t copied = 0;
  Tokens tokens(code);
  std::string_view before;
  for (std::string_view token = tokens.next(); !token.empty();
       before = token, token = tokens.next()) {
    const bool is_dynamic = (before == "extern" && token == "__shared__") ||
                            (before == "__shared__" && token == "extern");
    if (!is_dynamic) continue;
    const auto begin = static_cast<size_t>(before.data() - code.data());
    // Words of the type, without alignment, and the name, up to "[];".
    std::vector<std::string_view> words;
    std::string_view last = tokens.next();
    while (!last.empty() && last != "[" && last != ";") {
      if (last == "__align__" || last == "alignas" || last == "__attribute__") {
        tokens.skip_parentheses();
      } else {
        words.push_back(last);
      }
      last = tokens.next();
    }
    if (last != "[" || tokens.next() != "]" || tokens.next() != ";" ||
        words.size() < 2) {
      continue;  // the compiler will complain
    }
    const std::string_view name = words.back();
    const std::string type(words.front().data(), name.data());
    result += code.substr(copied, begin - copied);
    result += type + "* const " + std::string(name) + " = reinterpret_cast<" +
              type + "*>(catena_emulation::dynamic_shared);";
    copied = tokens.position();
    token = ";";
  }
  return result + std::string(code.substr(copied));
}

}  // namespace catena::cuda::emulation

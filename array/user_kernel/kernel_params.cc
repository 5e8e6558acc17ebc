#include "catena/array/user_kernel/kernel_params.h"

#include <algorithm>

#include "catena/array/core/error.h"

namespace catena::array {
namespace {

// ASCII only, regardless of the locale.
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_reserved(std::string_view name) {
  return name == "i" || name == "n" || name.front() == '_';
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  size_t at = 0;
  while (true) {
    while (at < text.size() && is_space(text[at])) ++at;
    if (at == text.size()) return words;
    const size_t begin = at;
    while (at < text.size() && !is_space(text[at])) ++at;
    words.push_back(text.substr(begin, at - begin));
  }
}

KernelParam parse_param(std::string_view text, std::string_view kernel,
                        std::string_view list) {
  const auto fail = [&](const auto&... expected) {
    raise<ValueError>(kernel, ": ", list, ": expected ", expected..., ", got '",
                      text, "'");
  };
  const std::vector<std::string_view> words = words_of(text);
  if (words.size() < 2) fail("a type and a name");
  KernelParam param;
  for (size_t k = 0; k + 2 < words.size(); ++k) {
    if (words[k] != "raw") fail("only 'raw' before a type and a name");
    param.raw = true;
  }
  const std::string_view type = words[words.size() - 2];
  const std::string_view name = words.back();
  if (!is_identifier(name)) fail("a name of letters, digits and underscores");
  if (is_reserved(name)) {
    fail("another name, since i, n and a leading underscore are reserved");
  }
  param.name = name;
  if (type.size() == 1) {
    if (!is_letter(type[0]) || is_reserved(type)) {
      fail("a placeholder that is a letter other than i and n");
    }
    param.letter = type[0];
    return param;
  }
  try {
    param.dtype = dtype_from_name(type);
  } catch (const DtypeError&) {
    fail("the name of a dtype or one letter as the type");
  }
  return param;
}

}  // namespace

std::vector<KernelParam> parse_kernel_params(std::string_view text,
                                             std::string_view kernel,
                                             std::string_view list) {
  std::vector<KernelParam> params;
  if (words_of(text).empty()) return params;
  while (true) {
    const size_t comma = text.find(',');
    KernelParam param = parse_param(text.substr(0, comma), kernel, list);
    for (const KernelParam& other : params) {
      if (other.name == param.name) {
        raise<ValueError>(kernel, ": ", list,
                          ": expected distinct parameter names, got '",
                          param.name, "' twice");
      }
    }
    params.push_back(std::move(param));
    if (comma == std::string_view::npos) return params;
    text.remove_prefix(comma + 1);
  }
}

void check_distinct(const std::vector<KernelParam>& inputs,
                    const std::vector<KernelParam>& outputs,
                    std::string_view kernel) {
  const auto named = [](const std::vector<KernelParam>& params,
                        std::string_view name) {
    return std::any_of(
        params.begin(), params.end(),
        [&](const KernelParam& param) { return param.name == name; });
  };
  for (const KernelParam& param : outputs) {
    if (named(inputs, param.name)) {
      raise<ValueError>(kernel, ": expected distinct parameter names, got '",
                        param.name, "' in both in_params and out_params");
    }
  }
  for (const auto* params : {&inputs, &outputs}) {
    for (const KernelParam& param : *params) {
      const std::string_view letter(&param.letter, 1);
      if (param.letter != '\0' &&
          (named(inputs, letter) || named(outputs, letter))) {
        raise<ValueError>(
            kernel,
            ": expected distinct names of placeholders and parameters, got '",
            letter, "' as both");
      }
    }
  }
}

bool is_identifier(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || c == '_' || (c >= '0' && c <= '9');
  });
}

std::string to_string(const std::vector<KernelParam>& params) {
  std::string text;
  for (const KernelParam& param : params) {
    if (!text.empty()) text += ", ";
    if (param.raw) text += "raw ";
    text += param.letter != '\0' ? std::string(1, param.letter)
                                 : to_string(param.dtype);
    text += " " + param.name;
  }
  return text;
}

}  // namespace catena::array

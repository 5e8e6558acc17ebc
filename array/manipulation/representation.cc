#include "catena/array/manipulation/representation.h"

#include <algorithm>
#include <new>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"

namespace catena::array {
namespace {

constexpr int64_t kMaxDigits = int64_t{1} << 30;

void check_digits(int64_t count, std::string_view operation,
                  std::string_view what) {
  if (count < 0 || count > kMaxDigits) {
    raise<ValueError>(operation, ": expected a ", what, " from 0 to ",
                      kMaxDigits, ", got ", count);
  }
}

uint64_t magnitude(int64_t number) {
  const uint64_t bits = static_cast<uint64_t>(number);
  return number < 0 ? uint64_t{0} - bits : bits;
}

std::string digits(uint64_t number, uint64_t base) {
  std::string text;
  for (; number != 0; number /= base) {
    text += "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number % base];
  }
  std::ranges::reverse(text);
  return text;
}

}  // namespace

std::string binary_repr(int64_t number, std::optional<int64_t> width) try {
  if (width) check_digits(*width, "binary_repr", "width");
  std::string text = number == 0 ? "0" : digits(magnitude(number), 2);
  if (!width) return number < 0 ? "-" + text : text;
  if (number >= 0) {
    const int64_t missing = *width - static_cast<int64_t>(text.size());
    return std::string(std::max<int64_t>(missing, 0), '0') + text;
  }
  // -2^(n - 1) fits n digits; smaller numbers need more.
  const bool is_power = std::ranges::count(text, '1') == 1;
  const int64_t needed = static_cast<int64_t>(text.size()) + !is_power;
  const int64_t count = std::max(*width, needed);
  text = digits(static_cast<uint64_t>(number), 2);  // 64 digits
  if (count <= 64) return text.substr(64 - count);
  return std::string(count - 64, '1') + text;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("binary_repr");
}

std::string base_repr(int64_t number, int64_t base, int64_t padding) try {
  if (base < 2 || base > 36) {
    raise<ValueError>("base_repr: expected a base from 2 to 36, got ", base);
  }
  check_digits(padding, "base_repr", "padding");
  std::string text = std::string(padding, '0') +
                     digits(magnitude(number), static_cast<uint64_t>(base));
  if (text.empty()) return "0";
  return number < 0 ? "-" + text : text;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("base_repr");
}

}  // namespace catena::array

#include "catena/array/printing/printing.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <ostream>
#include <string_view>
#include <type_traits>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/printing/float_format.h"

namespace catena {
namespace array {
namespace {

// Formats the element at an address.
using ElementFormat = std::function<std::string(const char*)>;

template <class T>
T load(const char* element) {
  return *reinterpret_cast<const T*>(element);
}

// Whether "..." replaces the middle of the long axes.
bool is_summarized(const Array& a, const PrintOptions& options) {
  return a.size() > options.threshold;
}

bool has_gap(int64_t extent, bool summarized, const PrintOptions& options) {
  return summarized && extent / 2 >= options.edgeitems &&
         extent > 2 * options.edgeitems;
}

// Collects the addresses of the elements shown.
void collect_shown(const Array& a, const PrintOptions& options, int axis,
                   const char* start, std::vector<const char*>& shown) {
  if (axis == a.ndim()) {
    shown.push_back(start);
    return;
  }
  const int64_t extent = a.shape()[axis];
  const bool gap = has_gap(extent, is_summarized(a, options), options);
  for (int64_t i = 0; i < extent; ++i) {
    if (gap && i == options.edgeitems) i = extent - options.edgeitems;
    if (i == extent) break;
    collect_shown(a, options, axis + 1, start + i * a.strides()[axis], shown);
  }
}

ElementFormat bool_format(const Array& a) {
  const std::string_view yes = a.ndim() == 0 ? "True" : " True";
  return [yes](const char* element) {
    return std::string(load<bool>(element) ? yes : "False");
  };
}

template <class T>
ElementFormat integer_format(const std::vector<const char*>& shown) {
  size_t width = 0;
  for (const char* element : shown) {
    width = std::max(width, std::to_string(load<T>(element)).size());
  }
  return [width](const char* element) {
    const std::string text = std::to_string(load<T>(element));
    return std::string(width - text.size(), ' ') + text;
  };
}

template <class T>
ElementFormat float_format(const std::vector<const char*>& shown,
                           const PrintOptions& options) {
  std::vector<double> values;
  for (const char* element : shown) {
    values.push_back(static_cast<double>(load<T>(element)));
  }
  return [format =
              FloatFormat(values, dtype_of<T>, options)](const char* element) {
    return format(static_cast<double>(load<T>(element)));
  };
}

ElementFormat element_format(const Array& a, const PrintOptions& options) {
  std::vector<const char*> shown;
  collect_shown(a, options, 0, a.raw_data(), shown);
  return visit_dtype(a.dtype(), [&](auto tag) -> ElementFormat {
    using T = decltype(tag);
    if constexpr (std::is_same_v<T, bool>) {
      return bool_format(a);
    } else if constexpr (std::is_integral_v<T>) {
      return integer_format<T>(shown);
    } else {
      return float_format<T>(shown, options);
    }
  });
}

// Writes the nested brackets, wrapped at the line width.
class Layout {
 public:
  Layout(const Array& a, const PrintOptions& options,
         std::string_view separator)
      : a_(a),
        options_(options),
        separator_(separator),
        bare_separator_(separator.substr(0, separator.find(' '))),
        summarized_(is_summarized(a, options)),
        format_(element_format(a, options)) {}

  // Writes the block that starts at `start`. All lines but the first are
  // indented by `indent`, and each leaves room for the brackets that follow.
  std::string block(int axis, const char* start, int64_t indent,
                    int64_t width) const {
    if (axis == a_.ndim()) return format_(start);
    return axis == a_.ndim() - 1 ? row(start, indent, width)
                                 : rows(axis, start, indent, width);
  }

 private:
  // Calls item(i) for the positions to show and gap() between them.
  template <class Item, class Gap>
  void for_each_shown(int axis, const Item& item, const Gap& gap) const {
    const int64_t extent = a_.shape()[axis];
    const bool with_gap = has_gap(extent, summarized_, options_);
    const int64_t edge = with_gap ? options_.edgeitems : extent;
    for (int64_t i = 0; i < edge; ++i) item(i);
    if (!with_gap) return;
    gap();
    for (int64_t i = extent - edge; i < extent; ++i) item(i);
  }

  std::string row(const char* start, int64_t indent, int64_t width) const {
    const int axis = a_.ndim() - 1;
    const int64_t stride = a_.strides()[axis];
    const int64_t room =
        width - std::max<int64_t>(std::ssize(bare_separator_), 1);
    std::string text = "[";
    int64_t column = indent;
    bool first = true;
    const auto add = [&](const std::string& word) {
      if (!first) {
        text += bare_separator_;
        const int64_t next = column + std::ssize(separator_);
        const bool wraps = next + std::ssize(word) > room;
        if (wraps) {
          text.resize(text.find_last_not_of(' ') + 1);
          text += '\n' + std::string(indent, ' ');
        } else {
          text += separator_.substr(bare_separator_.size());
        }
        column = wraps ? indent : next;
      }
      first = false;
      text += word;
      column += std::ssize(word);
    };
    for_each_shown(
        axis, [&](int64_t i) { add(format_(start + i * stride)); },
        [&] { add("..."); });
    return text + "]";
  }

  std::string rows(int axis, const char* start, int64_t indent,
                   int64_t width) const {
    const std::string between = std::string(bare_separator_) +
                                std::string(a_.ndim() - axis - 1, '\n') +
                                std::string(indent, ' ');
    std::string text = "[";
    const auto add = [&](const std::string& block) {
      if (text.size() > 1) text += between;
      text += block;
    };
    for_each_shown(
        axis,
        [&](int64_t i) {
          add(block(axis + 1, start + i * a_.strides()[axis], indent + 1,
                    width - 1));
        },
        [&] { add("..."); });
    return text + "]";
  }

  const Array& a_;
  const PrintOptions& options_;
  std::string_view separator_;       // ", " or " "
  std::string_view bare_separator_;  // the same without the space
  bool summarized_;
  ElementFormat format_;
};

// Writes the elements with brackets; the first line follows a prefix, and room
// is left for a suffix.
std::string elements_text(const Array& a, const PrintOptions& options,
                          std::string_view separator, int64_t prefix,
                          int64_t suffix) {
  if (a.size() == 0) return "[]";
  return Layout(a, options, separator)
      .block(0, a.raw_data(), prefix + 1, options.linewidth - suffix);
}

void check_options(const PrintOptions& options, std::string_view operation) {
  constexpr int kMaxDigits = 4096;
  if (options.precision < 0 || options.precision > kMaxDigits ||
      options.edgeitems < 1) {
    raise<ValueError>(operation, ": expected a precision from 0 to ",
                      kMaxDigits, " and edgeitems of at least 1, got ",
                      options.precision, " and ", options.edgeitems);
  }
}

std::string scalar_text(const Array& a) {
  return visit_dtype(a.dtype(), [&](auto tag) -> std::string {
    using T = decltype(tag);
    const T value = load<T>(a.raw_data());
    if constexpr (std::is_same_v<T, bool>) {
      return value ? "True" : "False";
    } else if constexpr (std::is_integral_v<T>) {
      return std::to_string(value);
    } else {
      return float_text(static_cast<double>(value), a.dtype());
    }
  });
}

}  // namespace

std::string array_str(const Array& a, const PrintOptions& options) {
  check_options(options, "array_str");
  const Array host = a.to_device(native_device());
  if (host.ndim() == 0) return scalar_text(host);
  return elements_text(host, options, " ", 0, 0);
}

std::string array_repr(const Array& a, const PrintOptions& options) {
  constexpr std::string_view kPrefix = "array(";
  check_options(options, "array_repr");
  const Array host = a.to_device(native_device());
  std::string text(kPrefix);
  text += elements_text(host, options, ", ", std::ssize(kPrefix), 1);
  if (host.size() == 0 && host.shape() != Shape{0}) {
    text += str(", shape=", host.shape());
  }
  const bool implied = host.dtype() == Dtype::kBool ||
                       host.dtype() == Dtype::kInt64 ||
                       host.dtype() == Dtype::kFloat64;
  if (implied && host.size() > 0) return text + ")";
  text += ",";
  const std::string dtype = str("dtype=", host.dtype(), ")");
  const auto line = static_cast<int64_t>(text.size() - (text.rfind('\n') + 1));
  const bool wraps = line + std::ssize(dtype) + 1 > options.linewidth;
  return text + (wraps ? "\n" + std::string(kPrefix.size(), ' ') : " ") + dtype;
}

}  // namespace array

std::ostream& operator<<(std::ostream& os, const Array& a) {
  return os << (a.defined() ? array::array_str(a) : "<undefined>");
}

}  // namespace catena

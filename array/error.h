#pragma once

#include <concepts>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace catena {

// Every exception that catena throws on purpose derives from Error. The text
// names the operation, what was expected and what came; it is thrown before
// anything is changed.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A shape, size, axis count or broadcast that does not fit.
class ShapeError : public Error {
 public:
  using Error::Error;
};

// A dtype that an operation does not take, or a value a dtype cannot hold.
class DtypeError : public Error {
 public:
  using Error::Error;
};

// An index or axis out of range.
class IndexError : public Error {
 public:
  using Error::Error;
};

// Operands on different devices, an unknown device, a failed device call.
class DeviceError : public Error {
 public:
  using Error::Error;
};

// An argument whose value is outside its domain (a negative rate, say).
class ValueError : public Error {
 public:
  using Error::Error;
};

// The wrong number, dtype, ndim or shape of a function's inputs, as in Chainer.
class InvalidType : public Error {
 public:
  using Error::Error;
};

// A gradient that is missing, misshapen or not finite, or a graph that cannot
// be differentiated as asked.
class GradientError : public Error {
 public:
  using Error::Error;
};

// No kernel for this backend is linked, or the combination is not offered.
class NotImplementedError : public Error {
 public:
  using Error::Error;
};

// A file that is missing, unreadable, damaged, hostile or does not match.
class IoError : public Error {
 public:
  using Error::Error;
};

// Memory that could not be had within the limits.
class OutOfMemoryError : public Error {
 public:
  using Error::Error;
};

// Text of a message's part: strings as they are, numbers in full precision,
// anything else through to_string found beside its type (Dtype, Shape, ...).
std::string message_text(double value);
inline std::string message_text(std::string_view text) {
  return std::string(text);
}
inline std::string message_text(const char* text) { return text; }
inline std::string message_text(bool value) { return value ? "true" : "false"; }
template <std::integral T>
std::string message_text(T value) {
  return std::to_string(value);
}
template <class T>
requires(!std::is_arithmetic_v<T>) && requires(const T& value) {
  to_string(value);
}
std::string message_text(const T& value) { return to_string(value); }

std::string join_message(std::initializer_list<std::string> parts);

// The parts as one text, for messages.
template <class... Parts>
[[gnu::cold, gnu::noinline]] std::string str(const Parts&... parts) {
  return join_message({message_text(parts)...});
}

// Throws E with the parts as its text. A check that passes builds no string.
template <class E, class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void raise(const Parts&... parts) {
  throw E(join_message({message_text(parts)...}));
}

}  // namespace catena

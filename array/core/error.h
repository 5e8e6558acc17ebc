#pragma once

#include <concepts>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace catena {

// The base class of all exceptions that catena throws. The message names the
// operation, what was expected and what was given; nothing has been modified
// when it is thrown.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

  // Puts text in front of the message, in place, so that `throw;` goes on with
  // the same exception:
  //
  //   catch (Error& error) {
  //     error.prepend(str("layer ", name, ": "));
  //     throw;
  //   }
  void prepend(std::string_view text);
  // For calls of links, as the exception leaves them one by one: puts the link
  // in front of the message's path, which is then "in link /name: " and later
  // "in link /outer/name: ". Leaving the same link twice in a row, as from a
  // recursion, counts once.
  void leave_link(std::string_view name, const void* link);

 private:
  void set_message(const std::string& text) {
    std::runtime_error::operator=(std::runtime_error(text));
  }

  const void* last_link_ = nullptr;
};

// A mismatched shape, size, number of axes or broadcast.
class ShapeError : public Error {
 public:
  using Error::Error;
};

// A dtype that an operation does not support, or a value that a dtype cannot
// hold.
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

// An argument outside its domain (a negative rate, for example).
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
// be differentiated as requested.
class GradientError : public Error {
 public:
  using Error::Error;
};

// No kernel is linked for the backend, or the combination is not supported.
class NotImplementedError : public Error {
 public:
  using Error::Error;
};

// A file that is missing, unreadable, corrupt, malicious or does not match.
class IoError : public Error {
 public:
  using Error::Error;
};

// A memory allocation that failed or exceeded a limit.
class OutOfMemoryError : public Error {
 public:
  using Error::Error;
};

// The text of one part of a message: strings unchanged, numbers in full
// precision, other types through to_string, found by ADL (Dtype, Shape, ...).
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

// The parts one after the other.
std::string join_message(std::initializer_list<std::string> parts);

// Concatenates the parts of a message.
template <class... Parts>
[[gnu::cold, gnu::noinline]] std::string str(const Parts&... parts) {
  return join_message({message_text(parts)...});
}

// Throws E with the concatenated parts as its message. Kept out of line, so
// that a passing check builds no string.
template <class E, class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void raise(const Parts&... parts) {
  throw E(join_message({message_text(parts)...}));
}

}  // namespace catena

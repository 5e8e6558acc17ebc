#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/error.h"

// Arguments like --kills=1000 or --format=npy of programs that test.
namespace catena::testing {

// A command line that a program does not accept.
class ArgumentError : public Error {
 public:
  using Error::Error;
};

// A number that a program accepts as --name=N. Where there are words, it
// accepts one of them, and the number is the place of that.
struct NumberArgument {
  std::string_view name;
  double least = 0;
  double most = 0;
  bool is_whole = true;
  std::vector<std::string_view> words = {};
};

// The numbers of a command line, by name.
using Numbers = std::map<std::string, double, std::less<>>;

// Throws ArgumentError, which quotes the word and lists what is accepted, for a
// word of another form, another name, what is no number in the range, and a
// name that was there before.
Numbers parse_numbers(const std::vector<std::string>& words,
                      const std::vector<NumberArgument>& accepted);

// The main function of a program: calls `run` with its numbers and returns what
// that returns. An exception becomes a line on standard error, and exit code 2
// if it is an ArgumentError, else 1.
int run_with_numbers(int argc, char** argv,
                     const std::vector<NumberArgument>& accepted,
                     const std::function<int(const Numbers&)>& run);

}  // namespace catena::testing

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Command-line flags of the examples: --name=value, or --name value.
namespace catena::examples {

class Flags {
 public:
  // `usage` is the first line of --help.
  explicit Flags(std::string usage) : usage_(std::move(usage)) {}

  // Binds a flag to a variable, whose value is the default.
  void add(std::string name, std::string* value, std::string help);
  // A number that may not be less than `min`.
  void add(std::string name, int64_t* value, int64_t min, std::string help);
  // A flag that may stand without a value, which then is `bare`.
  void add(std::string name, std::string* value, std::string bare,
           std::string help);

  // Sets the variables. After --help, prints it and exits with 0. ValueError
  // for a flag that does not exist, lacks its value or has one of another kind.
  void parse(int argc, char** argv);

 private:
  struct Flag {
    std::string name;
    std::string help;
    std::string default_value;
    std::string bare;
    bool may_be_bare;
    std::function<void(const std::string& value)> set;
  };

  const Flag& find(std::string_view name) const;
  void print_help() const;

  std::string usage_;
  std::vector<Flag> flags_;
};

// Runs an example: what it throws becomes one line on stderr and exit code 1.
// Paths are relative to the folder in which the user called Bazel, if that runs
// the program.
int run_example(const std::function<void()>& example);

}  // namespace catena::examples

#include "catena/examples/support/flags.h"

#include <charconv>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>

#include "catena/array/error.h"

namespace catena::examples {
namespace {

// Some messages list what was tried on lines of their own.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n';
    if (!is_space || !line.ends_with(' ')) line += is_space ? ' ' : c;
  }
  return line;
}

}  // namespace

void Flags::add(std::string name, std::string* value, std::string help) {
  flags_.push_back({std::move(name), std::move(help), *value, "", false,
                    [value](const std::string& text) { *value = text; }});
}

void Flags::add(std::string name, int64_t* value, int64_t min,
                std::string help) {
  const auto set = [value, min, name](const std::string& text) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, *value);
    if (error != std::errc() || stop != end || *value < min) {
      raise<ValueError>("--", name, ": expected an integer of at least ", min,
                        ", got '", text, "'");
    }
  };
  flags_.push_back({std::move(name), std::move(help), std::to_string(*value),
                    "", false, set});
}

void Flags::add(std::string name, std::string* value, std::string bare,
                std::string help) {
  add(std::move(name), value, std::move(help));
  flags_.back().bare = std::move(bare);
  flags_.back().may_be_bare = true;
}

const Flags::Flag& Flags::find(std::string_view name) const {
  for (const Flag& flag : flags_) {
    if (flag.name == name) return flag;
  }
  raise<ValueError>("there is no flag --", name, "; --help lists them");
}

void Flags::print_help() const {
  std::cout << usage_ << "\n\n";
  for (const Flag& flag : flags_) {
    std::cout << "  --" << flag.name << "  " << flag.help;
    if (!flag.default_value.empty()) {
      std::cout << " (default: " << flag.default_value << ")";
    }
    std::cout << "\n";
  }
}

void Flags::parse(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      print_help();
      std::exit(0);
    }
    if (!argument.starts_with("--")) {
      raise<ValueError>("expected flags like --name=value, got '", argument,
                        "'");
    }
    argument.remove_prefix(2);
    const size_t equals = argument.find('=');
    const Flag& flag = find(argument.substr(0, equals));
    if (equals != std::string_view::npos) {
      flag.set(std::string(argument.substr(equals + 1)));
    } else if (i + 1 < argc &&
               std::string_view(argv[i + 1]).substr(0, 2) != "--") {
      flag.set(argv[++i]);
    } else if (flag.may_be_bare) {
      flag.set(flag.bare);
    } else {
      raise<ValueError>("--", flag.name, " lacks its value");
    }
  }
}

int run_example(const std::function<void()>& example) {
  try {
    if (const char* folder = std::getenv("BUILD_WORKING_DIRECTORY")) {
      std::filesystem::current_path(folder);
    }
    example();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "error: " << one_line(error.what()) << std::endl;
    return 1;
  }
}

}  // namespace catena::examples

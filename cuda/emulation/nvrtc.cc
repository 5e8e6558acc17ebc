#include "nvrtc.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/cuda/emulation/faults.h"
#include "catena/cuda/emulation/kernel_scan.h"
#include "catena/cuda/emulation/loaded_code.h"
#include "catena/cuda/emulation/nvrtc_prelude.h"

struct _nvrtcProgram {
  std::string source;
  std::string name;
  std::map<std::string, std::string> headers;
  std::vector<std::string> expressions;
  // After compilation.
  bool is_compiled = false;
  std::string log;
  std::string code;
  std::map<std::string, std::string> lowered_names;  // of expressions
};

namespace catena::cuda::emulation {
namespace {

// The file of a name expression in messages of the compiler.
constexpr std::string_view kExpressionFile = "catena_name_expression_";

// A temporary folder, removed with its contents at the end of the scope.
class ScratchFolder {
 public:
  ScratchFolder()
      : path_(std::filesystem::temp_directory_path().string() +
              "/catena_nvrtc_XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) {
      raise<IoError>(path_, ": ", std::strerror(errno));
    }
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void write_text(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(
      std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Whether the command succeeds; adds what it says, in English, to `output`.
bool run(std::vector<std::string> command, const ScratchFolder& scratch,
         std::string& output) {
  const std::string output_file = scratch.file("output");
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, output_file.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  std::vector<std::string> variables = {"LC_ALL=C"};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, "LC_ALL=", 7) != 0) {
      variables.emplace_back(*variable);
    }
  }
  pid_t child = 0;
  const int failure = ::posix_spawnp(&child, command[0].c_str(), &files,
                                     nullptr, pointers_to(command).data(),
                                     pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) {
    output += str("CUDA emulation: cannot start the C++ compiler ", command[0],
                  ": ", std::strerror(failure), "\n");
    return false;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  output += read_text(output_file);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::vector<std::string> compiler() {
  const char* wish = std::getenv("CXX");
  std::istringstream words(wish != nullptr ? wish : "");
  std::vector<std::string> command{std::istream_iterator<std::string>(words),
                                   {}};
  if (command.empty()) command = {"c++"};
  return command;
}

// Options of NVRTC, as far as they matter to the host's compiler.
struct Options {
  std::string architecture = "750";  // of __CUDA_ARCH__
  std::string standard = "-std=c++17";
  bool warns = true;
  std::vector<std::string> preprocessor;
};

// Those that are accepted and change nothing here: without and with a value.
constexpr std::string_view kFlags[] = {"device-c",
                                       "dc",
                                       "device-w",
                                       "dw",
                                       "device-debug",
                                       "G",
                                       "generate-line-info",
                                       "lineinfo",
                                       "dopt",
                                       "use_fast_math",
                                       "extra-device-vectorization",
                                       "dlink-time-opt",
                                       "dlto",
                                       "gen-opt-lto",
                                       "restrict",
                                       "device-as-default-execution-space",
                                       "default-device",
                                       "device-int128",
                                       "no-source-include",
                                       "display-error-number",
                                       "err-no",
                                       "no-display-error-number",
                                       "no-err-no",
                                       "minimal"};
constexpr std::string_view kSettings[] = {"relocatable-device-code",
                                          "rdc",
                                          "ptxas-options",
                                          "Xptxas",
                                          "maxrregcount",
                                          "ftz",
                                          "prec-sqrt",
                                          "prec-div",
                                          "fmad",
                                          "dopt",
                                          "optimization-info",
                                          "opt-info",
                                          "version-ident",
                                          "modify-stack-limit",
                                          "builtin-move-forward",
                                          "builtin-initializer-list",
                                          "diag-error",
                                          "diag-suppress",
                                          "diag-warn",
                                          "brief-diagnostics",
                                          "brief-diag",
                                          "time",
                                          "split-compile",
                                          "fdevice-time-trace"};

template <size_t n>
bool contains(const std::string_view (&list)[n], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

// "sm_90", "compute_90" or "sm_90a".
bool set_architecture(std::string_view value, Options& options) {
  const size_t begin = value.find('_');
  if (begin == std::string_view::npos) return false;
  const std::string_view kind = value.substr(0, begin);
  std::string_view number = value.substr(begin + 1);
  if (!number.empty() && (number.back() == 'a' || number.back() == 'f')) {
    number.remove_suffix(1);
  }
  if ((kind != "sm" && kind != "compute" && kind != "lto") || number.empty() ||
      number.find_first_not_of("0123456789") != std::string_view::npos) {
    return false;
  }
  options.architecture = std::string(number) + "0";
  return true;
}

bool set_standard(std::string_view value, Options& options) {
  constexpr std::string_view kStandards[] = {"c++03", "c++11", "c++14", "c++17",
                                             "c++20"};
  if (!contains(kStandards, value)) return false;
  if (value == "c++20") options.standard = "-std=c++20";
  return true;
}

// The option with its value, in the compiler's words; "" if it is no such.
std::string preprocessor_option(std::string_view name) {
  if (name == "define-macro" || name == "D") return "-D";
  if (name == "undefine-macro" || name == "U") return "-U";
  if (name == "include-path" || name == "I") return "-I";
  if (name == "pre-include" || name == "include") return "-include";
  return "";
}

// False at an option that NVRTC doesn't know.
bool parse_option(const std::vector<std::string>& words, size_t& at,
                  Options& options) {
  const std::string& word = words[at];
  if (word.size() < 2 || word[0] != '-') return false;
  if (word[1] != '-' && std::strchr("DUI", word[1]) != nullptr &&
      word.size() > 2) {
    options.preprocessor.push_back(word);
    return true;
  }
  const size_t begin = word[1] == '-' ? 2 : 1;
  const size_t equals = std::min(word.find('='), word.size());
  const std::string name = word.substr(begin, equals - begin);
  if (name == "disable-warnings" || name == "w") {
    options.warns = false;
    return equals == word.size();
  }
  if (equals == word.size() && contains(kFlags, name)) return true;
  const std::string as_preprocessor = preprocessor_option(name);
  const bool takes_value = name == "gpu-architecture" || name == "arch" ||
                           name == "std" || !as_preprocessor.empty() ||
                           contains(kSettings, name);
  if (!takes_value) return false;
  // The value is in the same word or in the next one.
  std::string value;
  if (equals < word.size()) {
    value = word.substr(equals + 1);
  } else if (at + 1 < words.size()) {
    value = words[++at];
  } else {
    return false;
  }
  if (name == "gpu-architecture" || name == "arch") {
    return set_architecture(value, options);
  }
  if (name == "std") return set_standard(value, options);
  if (!as_preprocessor.empty()) {
    options.preprocessor.push_back(as_preprocessor);
    options.preprocessor.push_back(value);
  }
  return true;
}

// A message of the compiler, "file:line:column: kind: text", as NVRTC writes
// it: "file(line): kind: text".
std::string in_style_of_nvrtc(const std::string& line) {
  const size_t file = line.find(':');
  if (file == std::string::npos) return line;
  size_t number = line.find_first_not_of("0123456789", file + 1);
  if (number == std::string::npos || number == file + 1) return line;
  const std::string place = line.substr(0, file) + "(" +
                            line.substr(file + 1, number - file - 1) + ")";
  const size_t column = line.find_first_not_of("0123456789", number + 1);
  if (column != std::string::npos && line[column] == ':') number = column;
  for (const std::string kind : {"fatal error", "error", "warning", "note"}) {
    const std::string text = ": " + kind + ": ";
    if (line.compare(number, text.size(), text) != 0) continue;
    return place + (kind == "fatal error" ? ": error: " : text) +
           line.substr(number + text.size());
  }
  return line;
}

std::string log_of(const std::string& messages) {
  std::istringstream lines(messages);
  std::string log;
  for (std::string line; std::getline(lines, line);) {
    log += in_style_of_nvrtc(line) + "\n";
  }
  return log;
}

// Whether all errors are in the name expressions, which are compiled last.
bool blames_only_expressions(const std::string& messages) {
  std::istringstream lines(messages);
  bool found = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error: ") == std::string::npos) continue;
    if (line.find(kExpressionFile) != 0) return false;
    found = true;
  }
  return found;
}

// The list of kernels for the loader (loaded_code.h): name expressions, then
// those with C linkage.
std::string list_of_expressions(const std::vector<std::string>& expressions) {
  std::string text;
  for (size_t i = 0; i < expressions.size(); ++i) {
    text += str("\n#line 1 \"", kExpressionFile, i, "\"\n",
                "static const catena_emulation::CompiledKernel "
                "catena_expression_",
                i, " = catena_emulation::describe(", expressions[i], ");");
  }
  return text + "\n";
}

std::string list_of_kernels(size_t expressions,
                            const std::vector<std::string>& c_kernels) {
  std::string text =
      str("\n#line 1 \"kernels\"\n"
          "extern \"C\" __attribute__((visibility(\"default\")))\n"
          "const catena_emulation::CompiledKernel* ",
          entry_point(),
          "(const catena_emulation::DeviceFunctions* functions) {\n"
          "  catena_emulation::device = functions;\n"
          "  static const catena_emulation::CompiledKernel kernels[] = {\n");
  for (size_t i = 0; i < expressions; ++i) {
    text += str("    catena_expression_", i, ",\n");
  }
  for (const std::string& kernel : c_kernels) {
    text += str("    catena_emulation::describe(", kernel, "),\n");
  }
  return text + "    {nullptr, nullptr, nullptr, 0}};\n  return kernels;\n}\n";
}

// Compiles in two steps, so that kernels can be looked for in text that the
// preprocessor has seen.
nvrtcResult compile(nvrtcProgram program, const Options& options) {
  const ScratchFolder scratch;
  for (const auto& [name, text] : program->headers) {
    write_text(scratch.file("include/" + name), text);
  }
  const std::string source = scratch.file("source.cu");
  const std::string preprocessed = scratch.file("preprocessed.cu");
  write_text(source, str("#line 1 \"", program->name, "\"\n", program->source,
                         list_of_expressions(program->expressions)));
  std::vector<std::string> command = compiler();
  const size_t compiler_words = command.size();
  command.insert(command.end(),
                 {options.standard, "-w", "-x", "c++", "-nostdinc", "-E",
                  "-fmessage-length=0", "-D__CUDACC__", "-D__CUDACC_RTC__",
                  "-D__CUDA_ARCH__=" + options.architecture,
                  "-D__CUDACC_VER_MAJOR__=12", "-D__CUDACC_VER_MINOR__=8",
                  "-DCATENA_EMULATED_CUDA", "-I" + scratch.file("include")});
  command.insert(command.end(), options.preprocessor.begin(),
                 options.preprocessor.end());
  command.insert(command.end(), {"-o", preprocessed, source});
  std::string messages;
  bool ok = run(command, scratch, messages);
  if (ok) {
    const std::string text = point_to_shared_memory(read_text(preprocessed));
    const std::string unit = scratch.file("unit.cu");
    const std::string object = scratch.file("kernels.so");
    write_text(unit, str("#line 1 \"prelude\"\n", kNvrtcPrelude, "\n#line 1 \"",
                         program->name, "\"\n", text,
                         list_of_kernels(program->expressions.size(),
                                         find_c_kernels(text))));
    command.resize(compiler_words);
    // Its own functions come before those of the same names elsewhere in the
    // process; as in CUDA, memory can be read as any type.
    command.insert(
        command.end(),
        {options.standard, "-x", "c++", "-nostdinc", "-O1", "-fPIC", "-shared",
         "-s", "-ffp-contract=off", "-fno-strict-aliasing", "-fno-math-errno",
         "-fno-exceptions", "-fno-rtti", "-fmessage-length=0", "-Wl,-Bsymbolic",
         "-Wl,-z,defs"});
    if (!options.warns) command.emplace_back("-w");
    command.insert(command.end(), {"-o", object, unit, "-lm"});
    ok = run(command, scratch, messages);
    if (ok) program->code = read_text(object);
  }
  program->log = log_of(messages);
  if (ok) return NVRTC_SUCCESS;
  return blames_only_expressions(messages)
             ? NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID
             : NVRTC_ERROR_COMPILATION;
}

// Runs f, which may fail as files do.
template <class F>
nvrtcResult guarded(nvrtcProgram program, F f) {
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  try {
    return f();
  } catch (const std::exception& error) {
    program->log += str("CUDA emulation: ", error.what(), "\n");
    return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
  }
}

}  // namespace
}  // namespace catena::cuda::emulation

using namespace catena::cuda::emulation;  // NOLINT
using catena::str;

const char* nvrtcGetErrorString(nvrtcResult result) {
  switch (result) {
#define CATENA_NAME(name) \
  case name:              \
    return #name
    CATENA_NAME(NVRTC_SUCCESS);
    CATENA_NAME(NVRTC_ERROR_OUT_OF_MEMORY);
    CATENA_NAME(NVRTC_ERROR_PROGRAM_CREATION_FAILURE);
    CATENA_NAME(NVRTC_ERROR_INVALID_INPUT);
    CATENA_NAME(NVRTC_ERROR_INVALID_PROGRAM);
    CATENA_NAME(NVRTC_ERROR_INVALID_OPTION);
    CATENA_NAME(NVRTC_ERROR_COMPILATION);
    CATENA_NAME(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE);
    CATENA_NAME(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    CATENA_NAME(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    CATENA_NAME(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    CATENA_NAME(NVRTC_ERROR_INTERNAL_ERROR);
#undef CATENA_NAME
  }
  return "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = CUDART_VERSION / 1000;
  *minor = CUDART_VERSION % 1000 / 10;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source,
                               const char* name, int header_count,
                               const char* const* headers,
                               const char* const* header_names) {
  if (is_to_fail()) return NVRTC_ERROR_OUT_OF_MEMORY;
  if (program == nullptr || source == nullptr || header_count < 0) {
    return NVRTC_ERROR_INVALID_INPUT;
  }
  *program = new _nvrtcProgram;
  (*program)->source = source;
  (*program)->name = name != nullptr ? name : "default_program";
  for (int i = 0; i < header_count; ++i) {
    (*program)->headers[header_names[i]] = headers[i];
  }
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  if (program == nullptr || *program == nullptr) {
    return NVRTC_ERROR_INVALID_PROGRAM;
  }
  delete *program;
  *program = nullptr;
  return reported(NVRTC_SUCCESS, NVRTC_ERROR_INTERNAL_ERROR);
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program,
                                   const char* expression) {
  if (is_to_fail()) return NVRTC_ERROR_OUT_OF_MEMORY;
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (program->is_compiled) {
    return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  }
  program->expressions.emplace_back(expression);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count,
                                const char* const* options) {
  if (is_to_fail()) return NVRTC_ERROR_OUT_OF_MEMORY;
  return guarded(program, [&] {
    program->log.clear();
    Options parsed;
    const std::vector<std::string> words(options, options + option_count);
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string word = words[i];
      if (!parse_option(words, i, parsed)) {
        program->log = str("nvrtc: error: unrecognized option ", word, "\n");
        return NVRTC_ERROR_INVALID_OPTION;
      }
    }
    program->is_compiled = true;
    const nvrtcResult result = compile(program, parsed);
    if (result != NVRTC_SUCCESS) return result;
    const std::vector<LoadedKernel> kernels = load_code(program->code).kernels;
    for (size_t i = 0; i < program->expressions.size(); ++i) {
      program->lowered_names[program->expressions[i]] = kernels[i].name;
    }
    return NVRTC_SUCCESS;
  });
}

// Sizes of logs count a zero at the end.
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* size) {
  if (is_to_fail()) return NVRTC_ERROR_INTERNAL_ERROR;
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  *size = program->log.size() + 1;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  if (is_to_fail()) return NVRTC_ERROR_INTERNAL_ERROR;
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression,
                                const char** lowered_name) {
  if (is_to_fail()) return NVRTC_ERROR_INTERNAL_ERROR;
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (!program->is_compiled) {
    return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  }
  const auto found = program->lowered_names.find(expression);
  if (found == program->lowered_names.end()) {
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  }
  *lowered_name = found->second.c_str();
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* size) {
  if (is_to_fail()) return NVRTC_ERROR_INTERNAL_ERROR;
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  *size = program->code.size();
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* code) {
  if (is_to_fail()) return NVRTC_ERROR_INTERNAL_ERROR;
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  std::memcpy(code, program->code.data(), program->code.size());
  return NVRTC_SUCCESS;
}

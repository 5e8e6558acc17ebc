#include "catena/array/core/environment.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "catena/array/core/warn_once.h"

namespace catena {
namespace {

struct Variable {
  std::string_view name;
  const char* original;
};

constexpr Variable kVariables[] = {
    {"CATENA_CACHE_DIR", "CUPY_CACHE_DIR"},
    {"CATENA_CUDNN", "CHAINER_CUDNN"},
    {"CATENA_DATASET_ROOT", "CHAINER_DATASET_ROOT"},
    {"CATENA_DEBUG", "CHAINER_DEBUG"},
    {"CATENA_DTYPE", "CHAINER_DTYPE"},
    {"CATENA_KEEP_GRAPH_ON_REPORT", "CHAINER_KEEP_GRAPH_ON_REPORT"},
    {"CATENA_LAZY_GRAD_SUM", "CHAINER_LAZY_GRAD_SUM"},
    {"CATENA_TYPE_CHECK", "CHAINER_TYPE_CHECK"},
    {"CATENA_USE_CUDNN", "CHAINER_USE_CUDNN"},
    {"CATENA_USE_ONEDNN", "CHAINER_USE_IDEEP"},
};

// Those that keep their names.
constexpr std::string_view kOriginals[] = {
    "CHAINER_SEED",
    "CHAINER_TEST_GPU_LIMIT",
    "CHAINER_TEST_RANDOM_NONDETERMINISTIC",
    "CUPY_TEST_FULL_COMBINATION",
};

const char* value_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? nullptr : value;
}

bool is_known(std::string_view name) {
  return std::ranges::find(kOriginals, name) != std::end(kOriginals) ||
         std::ranges::any_of(kVariables, [&](const Variable& variable) {
           return variable.original == name;
         });
}

}  // namespace

const char* environment(const char* name) {
  if (const char* value = value_of(name)) return value;
  const auto* found = std::ranges::find(kVariables, name, &Variable::name);
  return found == std::end(kVariables) ? nullptr : value_of(found->original);
}

void warn_of_unknown_variables() {
  for (char** entry = ::environ; entry != nullptr && *entry; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("CHAINER_") && !text.starts_with("CUPY_")) continue;
    const std::string name(text.substr(0, text.find('=')));
    if (is_known(name)) continue;
    warn_once(name, [&] {
      return name +
             " is set, but means nothing to catena; see "
             "docs/guide/configuration.md";
    });
  }
}

}  // namespace catena

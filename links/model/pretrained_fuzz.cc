// Fuzz target: three parts with zeros between them, as settings of a model or
// of its texts, an index and weights, give a model or an IoError.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

#include "catena/array/core/error.h"
#include "catena/links/model/pretrained.h"
#include "catena/tests/fuzzing/mend.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using namespace catena::links;  // NOLINT: it is about nothing else

constexpr size_t kTexts = 2;  // in front of the weights

// Where the texts and the weights begin and end.
std::array<size_t, kTexts + 2> parts_of(std::span<const uint8_t> data) {
  std::array<size_t, kTexts + 2> begins = {};
  for (size_t i = 1; i <= kTexts; ++i) {
    const auto rest = data.subspan(begins[i - 1]);
    const auto end = std::find(rest.begin(), rest.end(), 0);
    const auto length = static_cast<size_t>(end - rest.begin());
    begins[i] = std::min(begins[i - 1] + length + 1, data.size());
  }
  begins[kTexts + 1] = data.size();
  return begins;
}

template <class Load>
void attempt(Load load) {
  try {
    load();
  } catch (const catena::IoError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto& folder = *new catena::testing::TempFolder;
  const auto begins = parts_of(std::span(data, size));
  const auto part = [&](size_t i) {
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    return all.substr(begins[i], begins[i + 1] - begins[i]);
  };
  const auto text = [&](size_t i) {
    const std::string_view bytes = part(i);
    return bytes.ends_with('\0') ? bytes.substr(0, bytes.size() - 1) : bytes;
  };
  const std::string& path = folder.path();
  const std::string whole = folder.file("model.safetensors");
  const std::string index = folder.file("model.safetensors.index.json");
  catena::testing::write_file(folder.file("config.json"), text(0));
  catena::testing::write_file(folder.file("generation_config.json"), text(0));
  std::remove(whole.c_str());
  std::remove(index.c_str());
  if (text(1).empty()) {
    catena::testing::write_file(whole, part(2));
  } else {
    catena::testing::write_file(index, text(1));
    catena::testing::write_file(folder.file("a.safetensors"), part(2));
  }
  const PretrainedOptions options = {.limits = {.members = 1000,
                                                .total_bytes = 1 << 22,
                                                .array_bytes = 1 << 20}};
  attempt([&] { load_pretrained(path, options); });
  attempt([&] { load_pretrained<Bert>(path, options); });
  attempt([&] { load_pretrained<Vit>(path, options); });
  attempt([&] { read_generate_options(path, options); });
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned seed) {
  return catena::testing::mutate_and_mend(
      data, size, max_size, seed, [](std::span<uint8_t> file) {
        const auto begins = parts_of(file);
        catena::testing::mend_safetensors(file.subspan(begins[kTexts]));
      });
}

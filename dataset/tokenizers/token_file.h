#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "catena/array/array.h"
#include "catena/array/io/load_limits.h"

namespace catena::datasets {

// How a .bin file holds tokens: 16-bit ids, the lower byte first.
enum class TokenFileFormat : uint8_t {
  kNanoGpt,  // nothing else
  kLlmC,     // behind a header of 256 numbers: 20240520, version 1, their count
};

struct MapTokensOptions {
  NamedFieldsOnly keywords = {};
  TokenFileFormat format = TokenFileFormat::kNanoGpt;
  // If given, ids have to be below it, which reads the whole file once.
  std::optional<int64_t> vocabulary = {};
  LoadLimits limits = {};
};

// Maps a file of tokens into memory: (N,), uint16, on the CPU. Pages are read
// on first use, so the file may exceed main memory; what is written to the
// array stays private to the process. The file must not be truncated while
// there is such an array: the system would kill the process (SIGBUS).
//
//   const datasets::TokenDataset windows(
//       datasets::map_tokens("train.bin", {.vocabulary = 50257}), 1024);
//
// Throws IoError for a file that cannot be mapped, whose size does not fit the
// format or its header, or that has an id beyond the vocabulary; ValueError for
// a vocabulary that is not positive.
Array map_tokens(const std::string& path, const MapTokensOptions& options = {});

}  // namespace catena::datasets

#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "catena/training/extension.h"

namespace catena::training::extensions {

struct TextSamplesOptions {
  NamedFieldsOnly keywords = {};
  // File in the trainer's folder.
  std::string file_name = "texts.txt";
  // The file and snapshots keep at most this many, the last ones.
  int64_t max_samples = 100;
  // Where each is printed, too; null: standard output.
  std::ostream* out = nullptr;
  bool print = true;
};

// What a model wrote, and when.
struct TextSample {
  int64_t iteration;
  std::string text;
};

// Keeps texts that show how a model learns, such as what a language model
// writes: prints each, writes all to a file, and gives them to HtmlReport.
// They are part of snapshots: a resumed run ends with the same file.
class TextSamples final : public Extension {
 public:
  // `write` returns a text; invalid UTF-8 in it becomes U+FFFD. Throws
  // ValueError when write or file_name is empty or max_samples < 1.
  explicit TextSamples(std::function<std::string()> write,
                       const TextSamplesOptions& options = {});

  // Throws IoError when writing fails.
  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "TextSamples"; }
  std::string file() const override { return options_.file_name; }
  // After each epoch.
  AnyTrigger trigger() const override { return {1, "epoch"}; }
  void serialize(const Serializer& serializer) override;

  const std::vector<TextSample>& samples() const { return samples_; }

 private:
  std::function<std::string()> write_;
  TextSamplesOptions options_;
  std::vector<TextSample> samples_;
};

}  // namespace catena::training::extensions

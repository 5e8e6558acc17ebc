#include "catena/training/extensions/text_samples.h"

#include <ostream>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/io/atomic_file.h"
#include "catena/training/extensions/terminal.h"
#include "catena/training/log_json.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {

TextSamples::TextSamples(std::function<std::string()> write,
                         const TextSamplesOptions& options)
    : write_(std::move(write)), options_(options) {
  if (!write_ || options_.file_name.empty()) {
    raise<ValueError>("TextSamples: expected a ",
                      write_ ? "file_name" : "function", ", got none");
  }
  if (options_.max_samples < 1) {
    raise<ValueError>("TextSamples: expected max_samples >= 1, got ",
                      options_.max_samples);
  }
}

void TextSamples::operator()(Trainer& trainer) {
  // As a snapshot gives it back.
  const std::string text = names_from_json(names_to_json({write_()})).front();
  samples_.push_back({trainer.updater().iteration(), text});
  if (std::ssize(samples_) > options_.max_samples) {
    samples_.erase(samples_.begin());
  }
  array::AtomicFile file(trainer.out_path(options_.file_name), "TextSamples");
  for (const TextSample& sample : samples_) {
    file.write(str("--- ", sample.iteration, "\n", sample.text, "\n"));
  }
  file.commit();
  if (!options_.print) return;
  const Terminal terminal(options_.out);
  if (terminal.has_cursor()) terminal.out() << kClearToEnd;
  terminal.out() << text << std::endl;
}

void TextSamples::serialize(const Serializer& serializer) {
  if (serializer.is_writer()) {
    const Array iterations =
        array::empty({std::ssize(samples_)}, Dtype::kInt64, native_device());
    std::vector<std::string> texts;
    for (const auto& [iteration, text] : samples_) {
      iterations.data<int64_t>()[texts.size()] = iteration;
      texts.push_back(text);
    }
    serializer.write("_iterations", iterations);
    serializer.write("_texts", names_to_json(texts));
    return;
  }
  const SerializedValue* iterations = serializer.read("_iterations");
  const SerializedValue* texts = serializer.read("_texts");
  if (iterations == nullptr || texts == nullptr) return;
  const auto* json = std::get_if<std::string>(texts);
  if (json == nullptr) serializer.fail("_texts", "text", describe(*texts));
  std::vector<TextSample> loaded;
  try {
    for (std::string& text : names_from_json(*json)) {
      loaded.push_back({0, std::move(text)});
    }
  } catch (const IoError& error) {
    serializer.fail("_texts", "a list of texts in JSON", error.what());
  }
  const auto* numbers = std::get_if<Array>(iterations);
  const Shape expected = {std::ssize(loaded)};
  if (numbers == nullptr || numbers->shape() != expected ||
      numbers->dtype() != Dtype::kInt64) {
    serializer.fail("_iterations", str("int64 of shape ", expected),
                    describe(*iterations));
  }
  const Array contiguous = numbers->contiguous();
  for (size_t i = 0; i < loaded.size(); ++i) {
    loaded[i].iteration = contiguous.data<int64_t>()[i];
  }
  serializer.on_commit([this, loaded = std::move(loaded)]() mutable {
    samples_ = std::move(loaded);
  });
}

}  // namespace catena::training::extensions

// Labels texts with a model of train_text_classifier.
//
//   Data:   a text per line of the standard input.
//   Run:    echo "O Romeo, Romeo! wherefore art thou Romeo?" |
//             ./bazelw run //examples/text_classification:run_text_classifier
//   Expect: the label, its probability and the text, separated by tabs:
//             JULIET  0.8899  O Romeo, Romeo! wherefore art thou Romeo?

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/support/flags.h"
#include "catena/examples/text_classification/nets.h"
#include "catena/examples/text_classification/texts.h"

using absl::GetFlag;
using namespace catena;
namespace xp = catena::array;

ABSL_FLAG(std::string, model_setup, "result/args.json",
          "args.json of train_text_classifier, with its other files beside it");
ABSL_FLAG(examples::AtLeast<1>, batchsize, {64}, "lines in a minibatch");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");

namespace {

nlohmann::json read_json(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in) {
    raise<IoError>("cannot read ", path.string(),
                   "; train_text_classifier writes it");
  }
  auto json = nlohmann::json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    raise<IoError>(path.string(), ": expected a JSON object");
  }
  return json;
}

void classify() {
  const Device device = Device::parse(GetFlag(FLAGS_device));
  const DeviceScope scope(device);

  // 1. The model, as it was trained.
  const std::filesystem::path file = GetFlag(FLAGS_model_setup);
  const std::filesystem::path folder = file.parent_path();
  const nlohmann::json setup = read_json(file);
  const std::vector<std::string> labels = setup.at("labels");
  const datasets::Vocabulary vocabulary =
      read_json(folder / setup.at("vocab_path").get<std::string>());
  const examples::NetOptions options{.model = setup.at("model"),
                                     .n_vocab = std::ssize(vocabulary),
                                     .n_class = std::ssize(labels),
                                     .unit = setup.at("unit"),
                                     .layer = setup.at("layer"),
                                     .dropout = setup.at("dropout")};
  examples::with_classifier(options, [&](auto& model) {
    const std::filesystem::path weights =
        folder / setup.at("model_path").get<std::string>();
    serializers::load_npz(weights.string(), model);

    // 2. Lines of the standard input, a minibatch at a time.
    std::vector<std::string> lines;
    std::vector<Variable> xs;
    const auto classify_lines = [&] {
      if (xs.empty()) return;
      const Array p = model.predict(xs);
      const auto best = p.argmax(1).template to_vector<int64_t>();
      const auto score = p.max(1).template to_vector<float>();
      for (size_t i = 0; i < lines.size(); ++i) {
        std::cout << labels[best[i]] << '\t' << score[i] << '\t' << lines[i]
                  << '\n';
      }
      std::cout.flush();
      lines.clear(), xs.clear();
    };
    std::cout << std::fixed << std::setprecision(4);
    for (std::string line; std::getline(std::cin, line);) {
      const auto words = examples::split_text(line, setup.at("char_based"));
      if (words.empty()) {
        classify_lines();
        std::cout << "# blank line\n";
        continue;
      }
      lines.push_back(line);
      xs.emplace_back(xp::array(examples::to_ids(words, vocabulary)));
      if (std::ssize(xs) == GetFlag(FLAGS_batchsize)) classify_lines();
    }
    classify_lines();
  });
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Labels the lines of the standard input.", classify);
}

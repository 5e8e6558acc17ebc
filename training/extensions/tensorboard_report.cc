#include "catena/training/extensions/tensorboard_report.h"

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/training/tensorboard/event_writer.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {

using tensorboard::EventWriter;
using tensorboard::TaggedScalar;

TensorBoardReport::TensorBoardReport(const TensorBoardReportOptions& options)
    : options_(options),
      summary_(options.trigger, options.keys),
      missing_keys_("TensorBoardReport",
                    options.keys.value_or(std::vector<std::string>())) {
  if (options_.folder.empty()) {
    raise<ValueError>("TensorBoardReport: expected a folder, got none");
  }
  if (std::ranges::find(options_.histograms, nullptr) !=
      options_.histograms.end()) {
    raise<ValueError>("TensorBoardReport: expected links, got a null pointer");
  }
}

TensorBoardReport::TensorBoardReport(TensorBoardReport&&) noexcept = default;
TensorBoardReport::~TensorBoardReport() = default;

void TensorBoardReport::initialize(Trainer& trainer) {
  missing_keys_.begin(trainer.updater().epoch());
  writer_ = std::make_unique<EventWriter>(trainer.out_path(options_.folder));
  const int64_t iteration = trainer.updater().iteration();
  if (iteration > 0) writer_->add_session_start(iteration + 1);
  writer_->flush();
}

void TensorBoardReport::on_error(Trainer& /*trainer*/,
                                 std::exception_ptr /*error*/) {
  missing_keys_.cancel();
}

void TensorBoardReport::operator()(Trainer& trainer) {
  missing_keys_.add(trainer.observation());
  const auto means = summary_.add(trainer.observation(), trainer);
  if (!means || writer_ == nullptr) return;
  missing_keys_.check(trainer.updater().epoch());
  const int64_t iteration = trainer.updater().iteration();
  std::vector<TaggedScalar> scalars;
  for (const auto& [name, value] : *means) {
    scalars.emplace_back(name, value.as_double());
  }
  scalars.emplace_back("epoch", trainer.updater().epoch_detail());
  writer_->add_scalars(scalars, iteration);
  for (Link* link : options_.histograms) {
    for (const auto& [path, param] :
         link->namedparams(/*include_uninit=*/false)) {
      writer_->add_histogram("data" + path, param.data(), iteration);
      if (const Array grad = param.grad(); grad.defined()) {
        writer_->add_histogram("grad" + path, grad, iteration);
      }
    }
  }
  writer_->flush();
}

void TensorBoardReport::finalize() {
  missing_keys_.end();
  writer_ = nullptr;
}

void TensorBoardReport::serialize(const Serializer& serializer) {
  summary_.serialize(serializer);
}

}  // namespace catena::training::extensions

#include "catena/training/extensions/parameter_average.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/links/chain.h"
#include "catena/links/reporter.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/testing/scripted_training.h"

namespace catena::training::extensions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::IsClose;
using testing::ScriptedTraining;
using testing::TempFolder;

class ParameterAverageTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(ParameterAverage, ParameterAverageTest,
                         testing::every_device(), testing::device_name);

// A parameter of each kind.
class Mixed : public Link {
 public:
  Mixed()
      : a(this, "a", 1.0, Shape{3}),
        half(this, "half",
             Initializer([](const Array& x) { x.fill(1); }, Dtype::kBFloat16),
             Shape{4}),
        late(this, "late", 2.0),
        still(this, "still", 7.0, Shape{2}) {
    still.freeze();
  }
  Variable forward(const Variable& x) {
    const Variable loss = functions::sum(a) * functions::sum(x);
    report({{"loss", loss}}, this);
    return loss;
  }
  Param a, half, late, still;
};

TEST_P(ParameterAverageTest, FollowsTheFormula) {
  Mixed model;
  ParameterAverage average(model, {.decay = 0.75});
  double expected = 0;
  for (int i = 0; i < 4; ++i) {
    const double value = i * i + 1;
    model.a.data().fill(value);
    model.half.data().fill(value);
    if (i == 2) model.late.initialize({1});
    average();
    expected = i == 0 ? value : expected + 0.25 * (value - expected);
  }
  EXPECT_THAT(average.average("/a"),
              IsClose(array::full({3}, expected, Dtype::kFloat32)));
  // In float32: bfloat16 would round it.
  EXPECT_THAT(average.average("/half"),
              IsClose(array::full({4}, expected, Dtype::kFloat32)));
  EXPECT_THAT(average.average("/late"),
              IsArray(array::full({1}, 2.0, Dtype::kFloat32)));
  EXPECT_THAT(error_of<ValueError>([&] { average.average("/still"); }),
              HasSubstr("('/a', '/half', '/late'), got '/still'"));
}

TEST_P(ParameterAverageTest, WarmingUpForgetsTheFirstParametersSoon) {
  Mixed model;
  ParameterAverage average(model, {.decay = 0.5, .warm_up = true});
  average();
  model.a.data().fill(2);
  average();  // decay is 3 / 12
  EXPECT_THAT(average.average("/a"),
              IsClose(array::full({3}, 1.75, Dtype::kFloat32)));
  for (int i = 0; i < 20; ++i) average();
  model.a.data().fill(4);
  average();  // decay is 0.5
  EXPECT_THAT(average.average("/a"),
              IsClose(array::full({3}, 3.0, Dtype::kFloat32),
                      {.rtol = 1e-5, .atol = 0}));
}

TEST_P(ParameterAverageTest, AScopePutsAveragesInPlaceOfParameters) {
  Mixed model;
  ParameterAverage average(model, {.decay = 0.5});
  average();
  model.a.data().fill(3);
  model.half.data().fill(3);
  average();
  const Array own = model.a.data();
  const int64_t version = model.a.version();
  {
    const auto scope = average.scope();
    EXPECT_THAT(model.a.data(), IsArray(array::full({3}, 2, Dtype::kFloat32)));
    EXPECT_EQ(model.half.dtype(), Dtype::kBFloat16);
    EXPECT_THAT(model.half.data().astype(Dtype::kFloat32),
                IsArray(array::full({4}, 2, Dtype::kFloat32)));
    EXPECT_NE(model.a.version(), version);
  }
  EXPECT_TRUE(model.a.data().is_same(own));
  EXPECT_THAT(own, IsArray(array::full({3}, 3, Dtype::kFloat32)));
}

TEST_P(ParameterAverageTest, EvaluatorsAndFilesHaveTheAverages) {
  Mixed model;
  iterators::SerialIterator iterator(array::ones({2}, Dtype::kFloat32), 2,
                                     {.repeat = false, .shuffle = false});
  ScriptedTraining training({3, "iteration"});
  training.updater.on_update = [&](int64_t iteration) {
    model.a.data().fill(static_cast<double>(iteration));
  };
  // Priorities decide, not the order here.
  std::vector<double> plain;
  std::vector<double> averaged;
  const auto collect = [&](Trainer& trainer) {
    const Observation& seen = trainer.observation();
    plain.push_back(seen["validation/main/loss"].as_double());
    averaged.push_back(seen["validation_average/main/loss"].as_double());
  };
  training.trainer.extend(collect);
  const ExtendOptions each = {.trigger = AnyTrigger{1, "iteration"}};
  training.trainer.extend(Evaluator(iterator, model), each);
  auto& average =
      training.trainer.extend(ParameterAverage(model, {.decay = 0.5}));
  training.trainer.extend(evaluate_average(Evaluator(iterator, model), average),
                          each);
  training.trainer.extend(snapshot_average(average, "average.npz"), each);
  training.trainer.run();
  EXPECT_THAT(plain, ::testing::ElementsAre(6, 12, 18));
  EXPECT_THAT(averaged, ::testing::ElementsAre(6, 9, 13.5));

  Mixed loaded;
  serializers::load_npz(training.folder.file("result/average.npz"), loaded);
  EXPECT_THAT(loaded.a.data(), IsArray(average.average("/a")));
  EXPECT_THAT(loaded.still.data(), IsArray(model.still.data()));
  EXPECT_THAT(model.a.data(), IsArray(array::full({3}, 3, Dtype::kFloat32)));
  const auto load = [&](const Serializer& s) { average.serialize_model(s); };
  EXPECT_THAT(error_of<ValueError>([&] {
                serializers::load_npz(
                    training.folder.file("result/average.npz"),
                    serializers::Serialize(load));
              }),
              HasSubstr("expected a model that loads the file"));
}

TEST_P(ParameterAverageTest, SnapshotsGoOn) {
  const TempFolder folder;
  const auto run = [&](int cut) {
    Array result;
    for (const int end : {cut, 4}) {
      Mixed model;
      ScriptedTraining training({end, "iteration"});
      training.updater.on_update = [&](int64_t iteration) {
        model.a.data().fill(std::sqrt(static_cast<double>(iteration)));
        model.half.data().fill(std::sqrt(static_cast<double>(iteration)));
      };
      auto& average = training.trainer.extend(
          ParameterAverage(model, {.decay = 0.9, .warm_up = true}));
      if (end == 4 && cut < 4) {
        serializers::load_npz(folder.file("snapshot"), training.trainer);
      }
      training.trainer.run();
      serializers::save_npz(folder.file("snapshot"), training.trainer);
      result = array::concatenate(
          {average.average("/a").copy(), average.average("/half").copy()});
      if (cut == 4) break;
    }
    return result;
  };
  const Array expected = run(4);
  for (const int cut : {1, 2, 3}) EXPECT_THAT(run(cut), IsArray(expected));
}

TEST(ParameterAverageErrorTest, NamesWhatIsWrong) {
  Mixed model;
  for (const double decay : {-0.1, 1.0, double{NAN}}) {
    EXPECT_THAT(error_of<ValueError>(
                    [&] { ParameterAverage(model, {.decay = decay}); }),
                HasSubstr("ParameterAverage: expected decay in [0, 1), got"));
  }
}

}  // namespace
}  // namespace catena::training::extensions

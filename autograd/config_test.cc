#include "catena/autograd/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config_entry.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/testing/simple_functions.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

// Runs f in a thread that has no settings of its own yet.
template <class F>
void in_new_thread(const F& f) {
  std::thread(f).join();
}

TEST(ConfigTest, HasTheOriginalsDefaults) {
  const Config defaults;
  EXPECT_TRUE(defaults.enable_backprop);
  EXPECT_TRUE(defaults.train);
  EXPECT_TRUE(defaults.type_check);
  EXPECT_FALSE(defaults.debug);
  EXPECT_FALSE(defaults.keep_graph_on_report);
  EXPECT_EQ(defaults.dtype, Dtype::kFloat32);
  EXPECT_FALSE(defaults.autocast.is_on());
  EXPECT_FALSE(defaults.lazy_grad_sum);
  EXPECT_EQ(defaults.use_cudnn, Usage::kAuto);
  EXPECT_EQ(defaults.use_cudnn_tensor_core, Usage::kAuto);
  EXPECT_FALSE(defaults.cudnn_deterministic);
  EXPECT_FALSE(defaults.autotune);
  EXPECT_FALSE(defaults.use_cudnn_graph);
  EXPECT_FALSE(defaults.use_cudnn_rnn_stack);
  // Chainer's counterpart has to be asked for, as it is another array.
  EXPECT_EQ(defaults.use_onednn, Usage::kAuto);
}

TEST(ConfigTest, ShowsItsEntriesByName) {
  std::ostringstream os;
  Config().show(os);
  EXPECT_EQ(
      os.str(),
      "autocast off\nautotune false\ncudnn_deterministic false\ndebug false\n"
      "dtype float32\nenable_backprop true\nin_recomputing false\n"
      "keep_graph_on_report false\nlazy_grad_sum false\ntrain true\n"
      "type_check true\nuse_cudnn auto\nuse_cudnn_graph false\n"
      "use_cudnn_rnn_stack false\nuse_cudnn_tensor_core auto\n"
      "use_onednn auto\n");
}

TEST(ConfigEntryTest, IsASettingOfThisThread) {
  ConfigEntry<double> temperature("temperature", 1.0);
  EXPECT_EQ(*temperature, 1.0);
  temperature.global() = 4.0;  // too late for this thread
  *temperature = 0.5;
  {
    const auto scope = using_config(temperature, 2);
    EXPECT_EQ(*temperature, 2.0);
    in_new_thread([&] { EXPECT_EQ(*temperature, 4.0); });
  }
  EXPECT_EQ(*temperature, 0.5);
}

TEST(ConfigEntryTest, IsShownWithTheOthers) {
  const auto shown = [] {
    std::ostringstream os;
    config().show(os);
    return os.str();
  };
  const std::string before = shown();
  {
    ConfigEntry<std::string> words("words", "few");
    ConfigEntry<int> beams("beams", 3);
    EXPECT_EQ(words->size(), 3u);
    EXPECT_EQ(shown(), before + "beams 3\nwords few\n");
  }
  EXPECT_EQ(shown(), before);
  // Not what another object of that name held.
  const ConfigEntry<int> beams("beams", 5);
  EXPECT_EQ(*beams, 5);
}

TEST(ConfigEntryTest, RefusesNamesThatAreTaken) {
  const ConfigEntry<int> beams("beams", 3);
  using testing::error_of;
  EXPECT_EQ(error_of<ValueError>([] { ConfigEntry<int>("beams", 1); }),
            "ConfigEntry: expected a new name, got 'beams', which another "
            "setting has");
  EXPECT_THAT(error_of<ValueError>([] { ConfigEntry<bool>("train", true); }),
              ::testing::HasSubstr("'train'"));
  EXPECT_THAT(error_of<ValueError>([] { ConfigEntry<int>("a b", 1); }),
              ::testing::HasSubstr("got 'a b'"));
}

TEST(ConfigTest, RestoresASettingAfterTheScope) {
  {
    const auto outer = using_config(&Config::train, false);
    EXPECT_FALSE(config().train);
    {
      const auto inner = using_config(&Config::train, true);
      EXPECT_TRUE(config().train);
    }
    EXPECT_FALSE(config().train);
    const auto dtype = using_config(&Config::dtype, Dtype::kFloat64);
    EXPECT_EQ(config().dtype, Dtype::kFloat64);
  }
  EXPECT_TRUE(config().train);
  EXPECT_EQ(config().dtype, Dtype::kFloat32);
}

TEST(ConfigTest, RestoresASettingWhenTheScopeIsLeftByAnException) {
  const auto leave = [] {
    const auto scope = using_config(&Config::train, false);
    throw std::runtime_error("out");
  };
  EXPECT_THROW(leave(), std::runtime_error);
  EXPECT_TRUE(config().train);
}

TEST(ConfigTest, BelongsToTheThread) {
  const auto scope = using_config(&Config::train, false);
  in_new_thread([] {
    EXPECT_TRUE(config().train);
    const auto inner = using_config(&Config::debug, true);
    EXPECT_TRUE(config().debug);
  });
  EXPECT_FALSE(config().debug);
  EXPECT_FALSE(config().train);
}

TEST(ConfigTest, StartsInEachThreadFromTheGlobalSettings) {
  const auto own = config().dtype;
  global_config().dtype = Dtype::kFloat16;
  in_new_thread([] { EXPECT_EQ(config().dtype, Dtype::kFloat16); });
  global_config().dtype = own;
  EXPECT_EQ(config().dtype, own);
}

TEST(ConfigTest, ReadsItsDefaultsFromTheEnvironment) {
  // The environment is read once, so another process has to look.
  const auto child = [](const char* name, const char* value) {
    setenv(name, value, 1);
    const Config& config = global_config();
    std::cerr << config.type_check << config.debug
              << config.keep_graph_on_report;
    std::exit(0);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto exits = ::testing::ExitedWithCode(0);
  EXPECT_EXIT(child("CATENA_TYPE_CHECK", "0"), exits, "000");
  EXPECT_EXIT(child("CATENA_DEBUG", "1"), exits, "110");
  EXPECT_EXIT(child("CATENA_DEBUG", "0"), exits, "100");
  EXPECT_EXIT(child("CATENA_DEBUG", ""), exits, "100");
  EXPECT_EXIT(child("CATENA_KEEP_GRAPH_ON_REPORT", "1"), exits, "101");
  EXPECT_EXIT(child("CHAINER_TYPE_CHECK", "0"), exits, "000");
  EXPECT_EXIT(child("CHAINER_DEBUG", "1"), exits, "110");
  EXPECT_EXIT(child("CHAINER_CUDA_PATH", "1"), exits,
              "warning: CHAINER_CUDA_PATH is set, but means nothing.*\n100");
}

TEST(ConfigTest, ReadsChoicesFromTheEnvironment) {
  const auto child = [](const char* name, const char* value) {
    setenv(name, value, 1);
    try {
      const Config& config = global_config();
      if (config.autocast.is_on()) std::cerr << config.autocast << ' ';
      std::cerr << config.dtype << ' ' << config.lazy_grad_sum << ' '
                << config.use_cudnn << ' ' << config.use_onednn;
    } catch (const ValueError& error) {
      std::cerr << error.what();
    }
    std::exit(0);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto exits = ::testing::ExitedWithCode(0);
  EXPECT_EXIT(child("CATENA_DTYPE", "mixed16"), exits, "mixed16 0 auto auto");
  EXPECT_EXIT(child("CATENA_DTYPE", "float64"), exits, "float64 0 auto auto");
  EXPECT_EXIT(child("CATENA_AUTOCAST", "bfloat16"), exits,
              "bfloat16 float32 0 auto auto");
  EXPECT_EXIT(child("CATENA_AUTOCAST", "float32"), exits,
              "CATENA_AUTOCAST: expected one of off, float16, bfloat16, got "
              "'float32'");
  EXPECT_EXIT(child("CATENA_LAZY_GRAD_SUM", "1"), exits, "float32 1 auto auto");
  EXPECT_EXIT(child("CATENA_USE_CUDNN", "always"), exits,
              "float32 0 always auto");
  EXPECT_EXIT(child("CATENA_CUDNN", "0"), exits, "float32 0 never auto");
  EXPECT_EXIT(child("CATENA_USE_ONEDNN", "never"), exits,
              "float32 0 auto never");
  EXPECT_EXIT(child("CATENA_USE_CUDNN", "sometimes"), exits,
              "CATENA_USE_CUDNN: expected one of never, auto, always, got "
              "'sometimes'");
  EXPECT_EXIT(child("CATENA_DTYPE", "int32"), exits,
              "expected one of float16, bfloat16, float32, float64, mixed16");
}

TEST(ConfigTest, TellsWhetherALibraryMayBeUsed) {
  EXPECT_TRUE(should_use_cudnn());
  EXPECT_FALSE(should_use_cudnn(Usage::kAlways));
  const auto cudnn = using_config(&Config::use_cudnn, Usage::kNever);
  EXPECT_FALSE(should_use_cudnn());
  const auto onednn = using_config(&Config::use_onednn, Usage::kAlways);
  EXPECT_TRUE(should_use_onednn(Usage::kAlways));
}

TEST(ConfigTest, TurnsDebugModeOnForABlockOrForGood) {
  EXPECT_FALSE(is_debug());
  {
    const DebugMode scope(true);
    EXPECT_TRUE(is_debug());
    EXPECT_TRUE(config().debug);
  }
  EXPECT_FALSE(is_debug());
  set_debug(true);
  EXPECT_TRUE(is_debug());
  set_debug(false);
  EXPECT_FALSE(is_debug());
}

TEST(ConfigTest, GivesTheDtypeOfNewArrays) {
  EXPECT_EQ(get_dtype(), Dtype::kFloat32);
  const auto scope = using_config(&Config::dtype, Dtype::kFloat16);
  EXPECT_EQ(get_dtype(), Dtype::kFloat16);
  EXPECT_EQ(get_dtype(Dtype::kFloat64), Dtype::kFloat64);
}

TEST(ConfigTest, MixedPrecisionIsFloat16UnlessAskedForMore) {
  const auto scope = using_config(&Config::dtype, mixed16);
  EXPECT_TRUE(config().dtype.is_mixed16());
  EXPECT_EQ(get_dtype(), Dtype::kFloat16);
  EXPECT_EQ(get_dtype(std::nullopt, Dtype::kFloat32), Dtype::kFloat32);
  EXPECT_EQ(get_dtype(Dtype::kFloat64, Dtype::kFloat32), Dtype::kFloat64);
  EXPECT_EQ(get_dtype(mixed16, Dtype::kFloat32), Dtype::kFloat32);
  EXPECT_FALSE(mixed16 == Dtype::kFloat16);
  const auto plain = using_config(&Config::dtype, Dtype::kFloat16);
  EXPECT_EQ(get_dtype(std::nullopt, Dtype::kFloat32), Dtype::kFloat16);
}

TEST(BackpropModeTest, RecordsNoGraphWhenItIsOff) {
  const Variable x(array::array({1.0, 2.0}));
  {
    const auto scope = no_backprop_mode();
    const Variable y = testing::exp(x);
    EXPECT_EQ(y.creator_node(), nullptr);
    // As in Chainer, what comes of it may still be differentiated.
    EXPECT_TRUE(y.requires_grad());
  }
  EXPECT_NE(testing::exp(x).creator_node(), nullptr);
}

TEST(BackpropModeTest, LetsAGraphBeginAtWhatWasMadeWithoutOne) {
  const Variable x(array::array({1.0, 2.0}));
  Variable h;
  {
    const auto scope = no_backprop_mode();
    h = testing::neg(x);
  }
  testing::sum(testing::mul(h, h)).backward();
  EXPECT_THAT(h.grad(), testing::IsArray(2.0 * h.data()));
  EXPECT_FALSE(x.grad().defined());
}

TEST(BackpropModeTest, CanBeForcedOnInside) {
  const Variable x(array::array({1.0, 2.0}));
  const auto outer = no_backprop_mode();
  {
    const auto inner = force_backprop_mode();
    EXPECT_NE(testing::exp(x).creator_node(), nullptr);
  }
  EXPECT_EQ(testing::exp(x).creator_node(), nullptr);
}

TEST(BackpropModeTest, ChangesNothingWhenForcedOutside) {
  const auto scope = force_backprop_mode();
  EXPECT_TRUE(config().enable_backprop);
  const Variable constant = as_variable(array::array({1.0}));
  EXPECT_EQ(testing::exp(constant).creator_node(), nullptr);
}

}  // namespace
}  // namespace catena

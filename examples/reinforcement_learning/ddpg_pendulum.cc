// Deep deterministic policy gradient (Lillicrap et al., 2016): learns actions
// that are real numbers, here the torque that swings a pendulum up and keeps it
// there. The critic Q(s, a) estimates the rewards that follow action a in state
// s, as in dqn_cartpole.cc; the actor learns to choose the action that the
// critic values most, by the gradient of Q with respect to a. Both have target
// networks, which follow them slowly.
//
//   Data:   none; pendulum.cc simulates the physics.
//   Run:    ./bazelw run //examples/reinforcement_learning:ddpg_pendulum
//   Expect: a table of mean returns, which rise from about -1200 until that of
//           the policy without noise is above -200 in 100 episodes of 200
//           steps: usually after 20 to 50 episodes, in about 5 seconds.
//           The best model and a picture of one of its episodes, episode.png,
//           are in the folder ddpg_result, or in --out.
//   Replay: --load=ddpg_result/model.npz plays 100 more episodes.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_format.h"
#include "catena/catena.h"
#include "catena/examples/reinforcement_learning/pendulum.h"
#include "catena/examples/reinforcement_learning/replay_buffer.h"
#include "catena/examples/support/flags.h"

using absl::GetFlag;
using namespace catena;
using examples::Pendulum;
namespace F = catena::functions;
namespace L = catena::links;
namespace xp = catena::array;

ABSL_FLAG(std::string, env, "Pendulum-v0", "Pendulum-v0, the only one");
ABSL_FLAG(examples::AtLeast<1>, batch_size, {64}, "transitions in a minibatch");
ABSL_FLAG(examples::AtLeast<1>, episodes, {1000}, "episodes, unless solved");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(std::string, out, "ddpg_result", "folder for the results");
ABSL_FLAG(std::string, load, "", "plays with this model instead of training");
ABSL_FLAG(examples::AtLeast<1>, unit, {100}, "units in a hidden layer");
ABSL_FLAG(double, reward_scale, 1e-3, "factor of the rewards to learn from");
ABSL_FLAG(examples::AtLeast<1>, replay_start_size, {500},
          "steps before the first update");
ABSL_FLAG(double, tau, 1e-2,
          "how far target networks move towards the others at each step");
ABSL_FLAG(
    std::string, noise, "gaussian",
    "noise of the actions: gaussian, or ornstein_uhlenbeck, which changes "
    "slowly");
ABSL_FLAG(double, noise_scale, 0.4, "standard deviation of the noise");
ABSL_FLAG(examples::AtLeast<1>, test_episodes, {100},
          "episodes without noise, to tell how good the policy is");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

constexpr double kGamma = 0.99;
constexpr int64_t kTimeLimit = 200;   // steps of an episode
constexpr double kSolved = -200;      // by a mean return above this
constexpr int64_t kReportEvery = 10;  // episodes

// The critic and the actor start with values close to 0.
const auto kSmall = initializers::HeNormal(1e-3);

// The critic: estimates the value of an action in a state.
class QFunction : public Chain<QFunction> {
 public:
  explicit QFunction(int64_t n_units)
      : l0(this, "l0", Pendulum::kObservationSize + 1, n_units),
        l1(this, "l1", n_units, n_units),
        l2(this, "l2", n_units, 1, {.initialW = kSmall}) {}

  Variable forward(const Variable& observation, const Variable& action) {
    const Variable x = F::concat({observation, action});
    return F::flatten(l2(F::relu(l1(F::relu(l0(x))))));
  }

 private:
  Child<L::Linear> l0, l1, l2;
};

// The actor: the torque to apply in a state.
class Policy : public Chain<Policy> {
 public:
  explicit Policy(int64_t n_units)
      : l0(this, "l0", Pendulum::kObservationSize, n_units),
        l1(this, "l1", n_units, n_units),
        l2(this, "l2", n_units, 1, {.initialW = kSmall}) {}

  Variable forward(const Variable& x) {
    return Pendulum::kMaxTorque * F::tanh(l2(F::relu(l1(F::relu(l0(x))))));
  }

  double torque(const Pendulum::Observation& observation) {
    const auto no_graph = no_backprop_mode();
    return (*this)(xp::array(observation).reshape(1, -1)).item<double>();
  }

 private:
  Child<L::Linear> l0, l1, l2;
};

// The mean squared error of Bellman's equation, Q(s, a) = r + gamma Q(s', a'),
// where a' is what the policy does in s'.
Variable q_loss(QFunction& q, QFunction& target_q, Policy& target_policy,
                const examples::Transitions& batch) {
  const Array next_values = [&] {
    const auto no_graph = no_backprop_mode();
    const Array& next = batch.next_observation;
    return target_q(next, target_policy(next)).array();
  }();
  return F::mean_squared_error(
      q(batch.observation, batch.action),
      batch.reward + kGamma * (1 - batch.is_terminal) * next_values);
}

// What the critic thinks of the policy, to be maximized.
Variable policy_loss(QFunction& q, Policy& policy,
                     const examples::Transitions& batch) {
  return -F::mean(q(batch.observation, policy(batch.observation)));
}

// Moves the parameters of `target` towards those of `source`.
void soft_update(const Link& source, const Link& target, double tau) {
  const auto from = source.params();
  const auto to = target.params();
  for (size_t i = 0; i < to.size(); ++i) {
    to[i].array() += tau * (from[i].array() - to[i].array());
  }
}

// Noise for exploration.
class Noise {
 public:
  Noise(const std::string& kind, double scale) : scale_(scale) {
    if (kind != "gaussian" && kind != "ornstein_uhlenbeck") {
      raise<ValueError>(
          "--noise: expected gaussian or ornstein_uhlenbeck, got '", kind, "'");
    }
    if (!(scale >= 0)) {
      raise<ValueError>("--noise_scale: expected at least 0, got ", scale);
    }
    // x <- rest x + sqrt(1 - rest^2) n has the variance of n.
    if (kind == "ornstein_uhlenbeck") rest_ = 0.85;
  }
  void reset() { x_ = 0; }
  double operator()(std::mt19937_64& random) {
    x_ = rest_ * x_ + std::sqrt(1 - rest_ * rest_) * normal_(random);
    return scale_ * x_;
  }

 private:
  double scale_;
  double rest_ = 0;  // what is left of x after a step
  double x_ = 0;
  std::normal_distribution<double> normal_;
};

// The return of an episode without noise. `film` gets a picture of every fifth
// state.
double play(Policy& policy, std::mt19937_64& random,
            std::vector<Array>* film = nullptr) {
  Pendulum env;
  auto observation = env.reset(random);
  double sum = 0;
  for (int64_t t = 0; t < kTimeLimit; ++t) {
    if (film != nullptr && t % 5 == 0) film->push_back(env.render());
    const auto step = env.step(policy.torque(observation));
    sum += step.reward;
    observation = step.observation;
  }
  return sum;
}

double mean_return(Policy& policy, std::mt19937_64& random) {
  const int64_t episodes = GetFlag(FLAGS_test_episodes);
  double sum = 0;
  for (int64_t i = 0; i < episodes; ++i) sum += play(policy, random);
  return sum / static_cast<double>(episodes);
}

void train(Policy& policy, std::mt19937_64& random,
           const std::string& model_file) {
  const double tau = GetFlag(FLAGS_tau);
  if (!(tau > 0 && tau <= 1)) {
    raise<ValueError>("--tau: expected a number above 0, up to 1, got ", tau);
  }
  Noise noise(GetFlag(FLAGS_noise), GetFlag(FLAGS_noise_scale));

  // 1. The networks and their targets, which begin as copies.
  QFunction q(GetFlag(FLAGS_unit));
  QFunction target_q = q;
  Policy target_policy = policy;
  optimizers::Adam for_q, for_policy;
  for_q.setup(q);
  for_policy.setup(policy);

  Pendulum env;
  examples::ReplayBuffer buffer;
  int64_t iteration = 0;
  double sum_of_returns = 0;
  double best_return = -std::numeric_limits<double>::infinity();
  const auto start = std::chrono::steady_clock::now();
  std::cout << "episode  iteration  mean_return  test_return  elapsed_time\n";
  const int64_t episodes = GetFlag(FLAGS_episodes);
  for (int64_t episode = 1; episode <= episodes; ++episode) {
    auto observation = env.reset(random);
    noise.reset();
    for (int64_t t = 0; t < kTimeLimit; ++t, ++iteration) {
      // 2. A step of the episode, which goes to the replay buffer. Only time
      // ends an episode, and that is no property of the state.
      const double torque =
          std::clamp(policy.torque(observation) + noise(random),
                     -Pendulum::kMaxTorque, Pendulum::kMaxTorque);
      const auto step = env.step(torque);
      buffer.append({.observation = observation,
                     .action = {float(torque)},
                     .reward = step.reward * GetFlag(FLAGS_reward_scale),
                     .next_observation = step.observation,
                     .is_terminal = false});
      sum_of_returns += step.reward;
      observation = step.observation;

      // 3. An update of all networks with a minibatch of earlier steps.
      if (buffer.size() >= GetFlag(FLAGS_replay_start_size)) {
        const auto batch = buffer.sample(GetFlag(FLAGS_batch_size), random);
        for_q.update([&] { return q_loss(q, target_q, target_policy, batch); });
        for_policy.update([&] { return policy_loss(q, policy, batch); });
        soft_update(q, target_q, tau);
        soft_update(policy, target_policy, tau);
      }
    }

    // 4. How good is the policy by now?
    if (episode % kReportEvery != 0 && episode != episodes) continue;
    const double mean =
        sum_of_returns / double((episode - 1) % kReportEvery + 1);
    const double test_return = mean_return(policy, random);
    const std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    std::cout << absl::StrFormat("%-9d%-11d%-13.1f%-13.1f%.1f\n", episode,
                                 iteration, mean, test_return, elapsed.count())
              << std::flush;
    sum_of_returns = 0;
    if (test_return > best_return) {
      best_return = test_return;
      serializers::save_npz(model_file, policy);
    }
    if (test_return > kSolved) {
      std::cout << "solved\n";
      return;
    }
  }
  std::cout << "not solved; the best model has a mean return of " << best_return
            << "\n";
}

void run() {
  const DeviceScope scope(Device::parse(GetFlag(FLAGS_device)));
  xp::random::seed(GetFlag(FLAGS_seed));
  std::mt19937_64 random(GetFlag(FLAGS_seed));
  if (GetFlag(FLAGS_env) != "Pendulum-v0") {
    raise<ValueError>("--env: expected Pendulum-v0, got '", GetFlag(FLAGS_env),
                      "'");
  }
  const std::string out = GetFlag(FLAGS_out);
  std::filesystem::create_directories(out);

  Policy policy(GetFlag(FLAGS_unit));
  std::string model_file = GetFlag(FLAGS_load);
  if (model_file.empty()) {
    model_file = out + "/model.npz";
    train(policy, random, model_file);
  }
  serializers::load_npz(model_file, policy);
  std::cout << "mean return over " << GetFlag(FLAGS_test_episodes)
            << " episodes: " << mean_return(policy, random) << "\n";
  std::vector<Array> film;
  play(policy, random, &film);
  dataset::write_image_grid(out + "/episode.png", xp::stack(film),
                            {.columns = 10});
  std::cout << "wrote " << out << "/episode.png\n";
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(argc, argv,
                               "Learns to swing up a pendulum by DDPG.", run);
}

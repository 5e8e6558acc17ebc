// Deep Q-learning (Mnih et al., 2015): learns from rewards alone to balance a
// pole on a cart. A network Q(s, a) estimates the rewards that follow action a
// in state s, discounted by gamma at each step; the policy takes the action
// with the largest estimate. Two things make learning stable: minibatches come
// from a replay buffer, and the estimates to learn from come from a target
// network, a copy of Q that is updated only every 100 steps.
//
//   Data:   none; cartpole.cc simulates the physics.
//   Run:    ./bazelw run //examples/reinforcement_learning:dqn_cartpole
//   Expect: a table of mean returns, until that of the policy without random
//           actions is above 195 in 100 episodes of at most 200 steps: usually
//           after 50 to 200 episodes, in less than 10 seconds. The best model
//           and a picture of one of its episodes, episode.png, are in the
//           folder dqn_result, or in --out.
//   Replay: --load=dqn_result/model.npz plays 100 more episodes.
//   More:   --target_type=double_dqn (van Hasselt et al., 2016);
//           --env=CartPole-v1, with episodes of up to 500 steps.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_format.h"
#include "catena/catena.h"
#include "catena/examples/reinforcement_learning/cartpole.h"
#include "catena/examples/reinforcement_learning/replay_buffer.h"
#include "catena/examples/support/flags.h"

using absl::GetFlag;
using namespace catena;
using examples::CartPole;
namespace F = catena::functions;
namespace L = catena::links;
namespace xp = catena::array;

ABSL_FLAG(std::string, env, "CartPole-v0",
          "CartPole-v0 (200 steps, solved at 195) or CartPole-v1 (500, 475)");
ABSL_FLAG(examples::AtLeast<1>, batch_size, {64}, "transitions in a minibatch");
ABSL_FLAG(examples::AtLeast<1>, episodes, {1000}, "episodes, unless solved");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(std::string, out, "dqn_result", "folder for the results");
ABSL_FLAG(std::string, load, "", "plays with this model instead of training");
ABSL_FLAG(examples::AtLeast<1>, unit, {100}, "units in a hidden layer");
ABSL_FLAG(std::string, target_type, "dqn", "dqn or double_dqn");
ABSL_FLAG(double, reward_scale, 1e-2, "factor of the rewards to learn from");
ABSL_FLAG(examples::AtLeast<1>, replay_start_size, {500},
          "steps before the first update");
ABSL_FLAG(examples::AtLeast<1>, iterations_to_decay_epsilon, {5000},
          "steps in which epsilon, the share of random actions, falls from 1 "
          "to its minimum");
ABSL_FLAG(double, min_epsilon, 0.01, "the minimum of epsilon");
ABSL_FLAG(examples::AtLeast<1>, target_update_freq, {100},
          "steps between updates of the target network");
ABSL_FLAG(examples::AtLeast<1>, test_episodes, {100},
          "episodes without random actions, to tell how good the policy is");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

constexpr double kGamma = 0.99;
constexpr int64_t kReportEvery = 10;  // episodes

// Estimates the values of all actions in a state.
class QFunction : public Chain<QFunction> {
 public:
  explicit QFunction(int64_t n_units)
      : l0(this, "l0", CartPole::kObservationSize, n_units),
        l1(this, "l1", n_units, n_units),
        l2(this, "l2", n_units, CartPole::kActions) {}

  Variable forward(const Variable& x) {
    return l2(F::relu(l1(F::relu(l0(x)))));
  }

  int64_t best_action(const CartPole::Observation& observation) {
    const auto no_graph = no_backprop_mode();
    const Variable q = (*this)(xp::array(observation).reshape(1, -1));
    return q.array().argmax().item<int64_t>();
  }

 private:
  Child<L::Linear> l0, l1, l2;
};

// The mean squared error of Bellman's equation,
//   Q(s, a) = r + gamma max Q(s', a'),  without the maximum where s' is an end.
Variable q_loss(QFunction& q, QFunction& target, bool is_double,
                const examples::Transitions& batch) {
  const Variable values = F::select_item(
      q(batch.observation), batch.action.reshape(-1).astype(Dtype::kInt32));
  const Array next_values = [&] {
    const auto no_graph = no_backprop_mode();
    const Variable next = target(batch.next_observation);
    if (!is_double) return F::max(next, 1).array();
    // The maximum of inexact estimates is too large. It helps if one network
    // chooses the action and the other estimates its value.
    const Array best = q(batch.next_observation).array().argmax(1);
    return F::select_item(next, best).array();
  }();
  return F::mean_squared_error(
      values, batch.reward + kGamma * (1 - batch.is_terminal) * next_values);
}

struct Task {
  int64_t time_limit;  // steps of an episode
  double solved;       // by a mean return above this
};

Task find_task(const std::string& env) {
  if (env == "CartPole-v0") return {.time_limit = 200, .solved = 195};
  if (env == "CartPole-v1") return {.time_limit = 500, .solved = 475};
  raise<ValueError>("--env: expected CartPole-v0 or CartPole-v1, got '", env,
                    "'");
}

// The return of an episode without random actions. `film` gets a picture of
// every tenth state.
double play(QFunction& q, const Task& task, std::mt19937_64& random,
            std::vector<Array>* film = nullptr) {
  CartPole env;
  auto observation = env.reset(random);
  double sum = 0;
  for (int64_t t = 0; t < task.time_limit; ++t) {
    if (film != nullptr && t % 10 == 0) film->push_back(env.render());
    const auto step = env.step(q.best_action(observation));
    sum += step.reward;
    if (step.is_done) break;
    observation = step.observation;
  }
  return sum;
}

double mean_return(QFunction& q, const Task& task, std::mt19937_64& random) {
  const int64_t episodes = GetFlag(FLAGS_test_episodes);
  double sum = 0;
  for (int64_t i = 0; i < episodes; ++i) sum += play(q, task, random);
  return sum / static_cast<double>(episodes);
}

void train(QFunction& q, const Task& task, std::mt19937_64& random,
           const std::string& model_file) {
  const std::string target_type = GetFlag(FLAGS_target_type);
  if (target_type != "dqn" && target_type != "double_dqn") {
    raise<ValueError>("--target_type: expected dqn or double_dqn, got '",
                      target_type, "'");
  }
  const double min_epsilon = GetFlag(FLAGS_min_epsilon);
  if (!(min_epsilon >= 0 && min_epsilon <= 1)) {
    raise<ValueError>("--min_epsilon: expected a number from 0 to 1, got ",
                      min_epsilon);
  }
  const double decay =
      (1 - min_epsilon) / double(GetFlag(FLAGS_iterations_to_decay_epsilon));

  // 1. The networks: only Q is trained. A copy has parameters of its own.
  QFunction target = q;
  optimizers::Adam optimizer;
  optimizer.setup(q);

  CartPole env;
  examples::ReplayBuffer buffer;
  std::uniform_real_distribution<double> uniform;
  int64_t iteration = 0;
  double epsilon = 1;
  double sum_of_returns = 0;
  double best_return = 0;
  const auto start = std::chrono::steady_clock::now();
  std::cout << "episode  iteration  epsilon  mean_return  test_return  "
               "elapsed_time\n";
  const int64_t episodes = GetFlag(FLAGS_episodes);
  for (int64_t episode = 1; episode <= episodes; ++episode) {
    auto observation = env.reset(random);
    for (int64_t t = 0; t < task.time_limit; ++t) {
      // 2. A step of the episode, which goes to the replay buffer. That time is
      // up is no property of the state: such an end is not terminal.
      epsilon = std::max(min_epsilon, 1 - decay * double(iteration));
      const int64_t action = uniform(random) < epsilon
                                 ? int64_t(random() % CartPole::kActions)
                                 : q.best_action(observation);
      const auto step = env.step(action);
      buffer.append({.observation = observation,
                     .action = {float(action)},
                     .reward = step.reward * GetFlag(FLAGS_reward_scale),
                     .next_observation = step.observation,
                     .is_terminal = step.is_done});
      sum_of_returns += step.reward;
      observation = step.observation;

      // 3. An update with a minibatch of earlier steps.
      if (buffer.size() >= GetFlag(FLAGS_replay_start_size)) {
        const auto batch = buffer.sample(GetFlag(FLAGS_batch_size), random);
        optimizer.update([&] {
          return q_loss(q, target, target_type == "double_dqn", batch);
        });
      }
      if (++iteration % GetFlag(FLAGS_target_update_freq) == 0) {
        target.copyparams(q);
      }
      if (step.is_done) break;
    }

    // 4. How good is the policy by now?
    if (episode % kReportEvery != 0 && episode != episodes) continue;
    const double mean =
        sum_of_returns / double((episode - 1) % kReportEvery + 1);
    const double test_return = mean_return(q, task, random);
    const std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    std::cout << absl::StrFormat("%-9d%-11d%-9.2f%-13.1f%-13.1f%.1f\n", episode,
                                 iteration, epsilon, mean, test_return,
                                 elapsed.count())
              << std::flush;
    sum_of_returns = 0;
    if (test_return > best_return) {
      best_return = test_return;
      serializers::save_npz(model_file, q);
    }
    if (test_return > task.solved) {
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
  const Task task = find_task(GetFlag(FLAGS_env));
  const std::string out = GetFlag(FLAGS_out);
  std::filesystem::create_directories(out);

  QFunction q(GetFlag(FLAGS_unit));
  std::string model_file = GetFlag(FLAGS_load);
  if (model_file.empty()) {
    model_file = out + "/model.npz";
    train(q, task, random, model_file);
  }
  serializers::load_npz(model_file, q);
  std::cout << "mean return over " << GetFlag(FLAGS_test_episodes)
            << " episodes: " << mean_return(q, task, random) << "\n";
  std::vector<Array> film;
  play(q, task, random, &film);
  dataset::write_image_grid(out + "/episode.png", xp::stack(film),
                            {.columns = 5});
  std::cout << "wrote " << out << "/episode.png\n";
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Learns to balance a pole by deep Q-learning.", run);
}

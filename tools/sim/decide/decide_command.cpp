// `decide`: one decision over a view from a file; `generate view`: such a file.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "monitor/codec_words.hpp"
#include "monitor/provenance.hpp"
#include "monitor/sha256.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/decide/decision_report.hpp"
#include "tools/sim/decide/view_file.hpp"
#include "tools/sim/decide/view_maker.hpp"
#include "tools/sim/exec/exec_policy.hpp"
#include "tools/sim/option_values.hpp"
#include "tools/sim/stopwatch.hpp"
#include "tools/sim/view_json.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

constexpr std::uint64_t kMostRepeats = 10'000'000;
constexpr std::uint64_t kMostViewJobs = 1'000'000;

struct Typed {
  std::string view, policy, repeat = "1";
  bool json = false;
};

int print(const std::string& text) {
  std::cout << text << std::flush;
  if (std::cout) return 0;
  return complain({ErrorKind::unavailable, "standard output cannot be written"});
}

Error refusal(const Policy& policy, const OneDecision& made) {
  const Violation& first = made.violations.front();
  return {ErrorKind::internal,
          "the checker refuses this plan of " + policy.name() + ": " + std::string(word(first.law)) + ": " +
              first.text +
              (made.violations.size() > 1 ? " (and " + std::to_string(made.violations.size() - 1) + " more)"
                                          : "")};
}

int decide(const Typed& typed) {
  const auto repeat = count_option("--repeat", typed.repeat, kMostRepeats);
  if (!repeat) return complain(repeat.error());
  const auto policy = make_simulated_policy(typed.policy);
  if (!policy) return complain({ErrorKind::invalid_argument, policy.error().message});
  const auto text = read_view_text(typed.view);
  if (!text) return complain(text.error());
  if (text->find_first_not_of(" \t\r\n") == std::string::npos) {
    return complain({ErrorKind::invalid_argument,
                     typed.view + ": is empty; docs/view.md tells what a view is, `aliquot-sim generate "
                                  "view` makes one"});
  }
  const auto view = parse_view(*text);
  if (!view) return complain({ErrorKind::invalid_argument, typed.view + ": " + view.error().message});
  OneDecision made;
  const auto done = run_guarded([&]() -> Result<void> {
    made = decide_once(*view, **policy, *repeat, monotonic_nanoseconds);
    return {};
  });
  if (!done) return complain(done.error());
  if (!made.violations.empty()) return complain(refusal(**policy, made));
  if (!typed.json) return print(decision_text(*view, made));
  nlohmann::ordered_json json = decision_json(made);
  json["version"] = kVersion;
  json["commit"] = kCommit;
  json["input_sha256"] = sha256_hex(*text);
  json["options"] = {{"view", typed.view}, {"policy", (*policy)->name()}};
  return print(json.dump(2) + "\n");
}

struct TypedView {
  std::string nodes = "128", jobs = "100", shape = "paper", seed = "1";
};

int generate(const TypedView& typed) {
  const auto nodes = count_option("--nodes", typed.nodes, kMostNodes);
  if (!nodes) return complain(nodes.error());
  const auto jobs = count_option("--jobs", typed.jobs, kMostViewJobs);
  if (!jobs) return complain(jobs.error());
  const auto seed = seed_option("--seed", typed.seed, UINT32_MAX);
  if (!seed) return complain(seed.error());
  const Sizes sizes = typed.shape == "paper" ? Sizes::paper : Sizes::continuous;
  return print(view_json(make_view(static_cast<std::uint32_t>(*nodes), static_cast<std::uint32_t>(*jobs),
                                   sizes, *seed)) +
               "\n");
}

}  // namespace

void add_decide_command(CLI::App& app, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  CLI::App* command = app.add_subcommand("decide", "one decision of a policy over a view (docs/view.md)");
  command->add_option("--view", typed->view, "the view, a JSON file; - is standard input")->required();
  command->add_option("--policy", typed->policy, "for example DYNMCB8; see `policies`")->required();
  command->add_option("--repeat", typed->repeat, "decide so often, to see how long it takes")
      ->capture_default_str();
  command->add_flag("--json", typed->json, "print the plan, all reasons and their provenance as JSON");
  command->callback([typed, &exit_code] { exit_code = decide(*typed); });
}

void add_generate_view(CLI::App& generates, int& exit_code) {
  const auto typed = std::make_shared<TypedView>();
  CLI::App* command = generates.add_subcommand("view", "JSON of a busy moment, for `decide`");
  command->add_option("--nodes", typed->nodes, "of 4 cores and 8 GB")->capture_default_str();
  command->add_option("--jobs", typed->jobs, "the last of them has just arrived")->capture_default_str();
  command->add_option("--shape", typed->shape, "needs and memory as in the DFRS paper, or continuous")
      ->check(CLI::IsMember({"paper", "continuous"}))
      ->capture_default_str();
  command->add_option("--seed", typed->seed, "of the random numbers: the same seed, the same view")
      ->capture_default_str();
  command->callback([typed, &exit_code] { exit_code = generate(*typed); });
}

}  // namespace aliquot

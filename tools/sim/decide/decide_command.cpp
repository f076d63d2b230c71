// `decide`: one decision over a view from a file; `generate view`: such a file.
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "monitor/codec_words.hpp"
#include "monitor/provenance.hpp"
#include "monitor/sha256.hpp"
#include "tools/sim/commands.hpp"
#include "tools/sim/decide/decision_report.hpp"
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

int print(const std::string& text) {
  std::cout << text << std::flush;
  if (std::cout) return 0;
  return report_error({ErrorKind::unavailable, "standard output cannot be written"});
}

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

struct Close {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

// The text of a view from a file, a pipe, or standard input ("-"). Errors name the path.
Result<std::string> read_view_text(const std::string& path) {
  const std::unique_ptr<std::FILE, Close> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (!file) return fail(ErrorKind::not_found, path + ": " + std::strerror(errno));
  std::string text;
  std::array<char, 1 << 16> piece{};
  while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), file.get())) {
    text.append(piece.data(), count);
    if (text.size() > kMostBytes) {
      return fail(ErrorKind::too_large, path + ": is larger than 1 GiB; is this a view?");
    }
  }
  if (std::ferror(file.get()) != 0) {
    return fail(ErrorKind::invalid_argument, path + ": " + std::strerror(errno));
  }
  return text;
}

Error refusal(const Policy& policy, const OneDecision& made) {
  const Violation& first = made.violations.front();
  return {ErrorKind::internal,
          "the checker refuses this plan of " + policy.name() + ": " + std::string(word(first.law)) + ": " +
              first.text +
              (made.violations.size() > 1 ? " (and " + std::to_string(made.violations.size() - 1) + " more)"
                                          : "")};
}

}  // namespace

int decide_command(const DecideOptions& typed) {
  const auto repeat = count_option("--repeat", typed.repeat, kMostRepeats);
  if (!repeat) return report_error(repeat.error());
  const auto policy = make_simulated_policy(typed.policy);
  if (!policy) return report_error({ErrorKind::invalid_argument, policy.error().message});
  const auto text = read_view_text(typed.view);
  if (!text) return report_error(text.error());
  if (text->find_first_not_of(" \t\r\n") == std::string::npos) {
    return report_error({ErrorKind::invalid_argument,
                         typed.view +
                             ": is empty; docs/view.md tells what a view is, `aliquot-sim generate "
                             "view` makes one"});
  }
  const auto view = parse_view(*text);
  if (!view) return report_error({ErrorKind::invalid_argument, typed.view + ": " + view.error().message});
  OneDecision made;
  const auto done = run_guarded([&]() -> Result<void> {
    made = decide_once(*view, **policy, *repeat, monotonic_nanoseconds);
    return {};
  });
  if (!done) return report_error(done.error());
  if (!made.violations.empty()) return report_error(refusal(**policy, made));
  if (typed.output != "json") return print(decision_text(*view, made));
  nlohmann::ordered_json json = decision_json(made);
  json["version"] = kVersion;
  json["commit"] = kCommit;
  json["input_sha256"] = sha256_hex(*text);
  json["options"] = {{"view", typed.view}, {"policy", (*policy)->name()}};
  return print(json.dump(2) + "\n");
}

int generate_view_command(const ViewOptions& typed) {
  const auto nodes = count_option("--nodes", typed.nodes, kMostNodes);
  if (!nodes) return report_error(nodes.error());
  const auto jobs = count_option("--jobs", typed.jobs, kMostViewJobs);
  if (!jobs) return report_error(jobs.error());
  const auto seed = seed_option("--seed", typed.seed, UINT32_MAX);
  if (!seed) return report_error(seed.error());
  const Sizes sizes = typed.shape == "paper" ? Sizes::paper : Sizes::continuous;
  return print(view_json(make_view(static_cast<std::uint32_t>(*nodes), static_cast<std::uint32_t>(*jobs),
                                   sizes, *seed)) +
               "\n");
}

}  // namespace aliquot

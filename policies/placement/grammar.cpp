#include "policies/placement/grammar.hpp"

#include <array>

namespace aliquot {

namespace {

using Spec = CollectiveSpec;
using Kind = Spec::Kind;
using Priority = Spec::Priority;
using Solver = Spec::Solver;

constexpr std::array<const char*, 4> kWords = {"IPSCHED", "AUCSCHED", "BACKFILL", "BESTFIT"};
constexpr std::array<const char*, 3> kSolvers = {"fast", "cbc", "exact"};

std::string conflict(const Spec& spec, std::string_view text) {
  if (spec.priority == Priority::multifactor || text.find("/size=") == std::string_view::npos) return {};
  return "/size weighs sizes against waiting: add /priority=multifactor, or leave it out";
}

// In the order of the canonical name; BACKFILL solves no problem and has fewer.
std::vector<PolicyOption<Spec>> options_of(Kind kind) {
  const bool solves = kind != Kind::backfill;
  std::vector<PolicyOption<Spec>> options = {
      whole_seconds("/interval", "s", &Spec::interval, 1, kLongestPeriod.raw / kMillion, 3),
      number("/window", "jobs", &Spec::window, 1, 10'000, 200)};
  if (solves)
    options.push_back(choice<Spec, bool>("/objective", &Spec::by_cores, {{"p", false}, {"pr", true}}));
  options.push_back(choice<Spec, Priority>(
      "/priority", &Spec::priority, {{"basic", Priority::basic}, {"multifactor", Priority::multifactor}}));
  options.push_back(number("/size", "w", &Spec::size_weight, 0, 1'000'000'000, 10'080));
  if (!solves) return options;
  options.push_back(number("/effort", "work", &Spec::effort, 1'000, 100'000'000'000, 100'000));
  options.push_back(choice<Spec, Solver>(
      "/solver", &Spec::solver,
      {{kSolvers[0], Solver::fast}, {kSolvers[1], Solver::selection}, {kSolvers[2], Solver::exact}}));
  if (kind == Kind::aucsched) options.push_back(number("/MAXBIDS", "n", &Spec::max_bids, 1, 1'000, 10));
  options.push_back(flag("/paper", &Spec::paper));
  return options;
}

PolicyGrammar<Spec> grammar(Kind kind) {
  PolicyGrammar<Spec> grammar{kWords[static_cast<std::size_t>(kind)], {kind}, '/'};
  if (kind == Kind::bestfit) return grammar;
  if (kind == Kind::backfill) {
    grammar.defaults.interval = seconds(30);
    grammar.defaults.window = 50;
  }
  grammar.options = options_of(kind);
  grammar.conflict = conflict;
  grammar.period = [](Spec& spec) { return &spec.interval; };
  return grammar;
}

}  // namespace

std::string_view word(Solver solver) { return kSolvers[static_cast<std::size_t>(solver)]; }

const PolicyGrammar<Spec>& grammar_of(Kind kind) {
  static const std::array grammars = {grammar(Kind::ipsched), grammar(Kind::aucsched),
                                      grammar(Kind::backfill), grammar(Kind::bestfit)};
  return grammars[static_cast<std::size_t>(kind)];
}

std::string to_string(const Spec& spec) { return grammar_of(spec.kind).print(spec); }

}  // namespace aliquot

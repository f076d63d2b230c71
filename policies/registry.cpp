// The only list of policies: from a parsed name to the object that decides.
#include <memory>
#include <utility>

#include "policies/batch/conservative.hpp"
#include "policies/batch/easy.hpp"
#include "policies/batch/easy_legacy.hpp"
#include "policies/batch/fcfs.hpp"
#include "policies/dfrs/greedy.hpp"
#include "policies/dfrs/periodic.hpp"
#include "policies/policy.hpp"
#include "policies/spec.hpp"

namespace aliquot {

namespace {

std::unique_ptr<Policy> build(const PolicySpec& spec) {
  switch (spec.algorithm) {
    case Algorithm::fcfs:
      return std::make_unique<Fcfs>();
    case Algorithm::easy:
      return std::make_unique<Easy>();
    case Algorithm::easy_legacy:
      return std::make_unique<EasyLegacy>();
    case Algorithm::conservative:
      return std::make_unique<Conservative>();
    case Algorithm::greedy:
      return std::make_unique<Greedy>(spec, Preemption::none);
    case Algorithm::greedy_pmtn:
      return std::make_unique<Greedy>(spec, Preemption::pause);
    case Algorithm::greedy_pmtn_migr:
      return std::make_unique<Greedy>(spec, Preemption::pause_or_move);
    case Algorithm::dynmcb8:
    case Algorithm::dynmcb8_per:
    case Algorithm::dynmcb8_asap_per:
    case Algorithm::dynmcb8_stretch_per:
      return std::make_unique<DynMcb8>(spec);
  }
  return nullptr;
}

std::vector<PolicyInfo> rows() {
  std::vector<PolicyInfo> rows;
  for (const AlgorithmRow& row : algorithms()) {
    const std::string name = std::string(row.name) + (row.periodic ? "-T" : "");
    rows.push_back({name, std::string(row.summary), std::string(row.source)});
    if (!row.may_match) continue;
    rows.push_back({name + "+match", "As " + name + ", with new bins on old hosts: fewer tasks move.",
                    std::string(row.source) + "; the option is this project's own"});
  }
  return rows;
}

}  // namespace

Result<std::unique_ptr<Policy>> make_policy(std::string_view text) {
  const auto spec = parse_spec(text);
  if (!spec) return tl::unexpected(spec.error());
  return build(*spec);
}

const std::vector<PolicyInfo>& known_policies() {
  static const std::vector<PolicyInfo> known = rows();
  return known;
}

Result<std::string> with_period(std::string_view text, Duration period) {
  auto spec = parse_spec(text);
  if (!spec) return tl::unexpected(spec.error());
  if (!spec->period) {
    return fail(ErrorKind::invalid_argument,
                "policy \"" + to_string(*spec) + "\" has no period: it decides at every event");
  }
  if (period < seconds(1) || period > kLongestPeriod || period.raw % kMillion != 0) {
    return fail(ErrorKind::invalid_argument, "a period is a whole number of seconds from 1 to " +
                                                 std::to_string(kLongestPeriod.raw / kMillion));
  }
  spec->period = period;
  return to_string(*spec);
}

}  // namespace aliquot

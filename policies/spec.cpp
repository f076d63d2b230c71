#include "policies/spec.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "policies/model/nearest.hpp"

namespace aliquot {

namespace {

const AlgorithmRow& row_of(Algorithm algorithm) {
  return *std::find_if(algorithms().begin(), algorithms().end(),
                       [=](const AlgorithmRow& row) { return row.algorithm == algorithm; });
}

// "DYNMCB8-PER-60" -> "DYNMCB8-PER": the period does not tell names apart.
std::string_view without_number(std::string_view name) {
  const std::size_t dash = name.rfind('-');
  if (dash == std::string_view::npos) return name;
  const std::string_view rest = name.substr(dash + 1);
  const bool digits =
      std::all_of(rest.begin(), rest.end(), [](unsigned char c) { return std::isdigit(c); });
  return digits ? name.substr(0, dash) : name;
}

std::string nearest_name(std::string_view name) {
  const auto far = [&](const AlgorithmRow& row) { return slips_between(without_number(name), row.name); };
  const auto best =
      std::min_element(algorithms().begin(), algorithms().end(),
                       [&](const AlgorithmRow& a, const AlgorithmRow& b) { return far(a) < far(b); });
  PolicySpec spec{best->algorithm, std::nullopt};
  if (best->periodic) spec.period = kDefaultPeriod;
  return to_string(spec);
}

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

Result<Duration> parse_period(std::string_view name, std::string_view digits) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  if (!whole || count < 1 || count > kLongestPeriod.raw / kMillion) {
    return fail(ErrorKind::invalid_argument,
                "policy " + quoted(name) + ": the period " + quoted(digits) +
                    " must be a whole number of seconds from 1 to " +
                    std::to_string(kLongestPeriod.raw / kMillion) + ", for example " +
                    quoted(nearest_name(name.substr(0, name.size() - digits.size() - 1))));
  }
  return seconds(count);
}

Result<PolicySpec> parse_name(std::string_view name) {
  const AlgorithmRow* found = nullptr;
  for (const AlgorithmRow& row : algorithms()) {
    if (name == row.name) {
      PolicySpec spec{row.algorithm, std::nullopt};
      if (row.periodic) spec.period = kDefaultPeriod;
      return spec;
    }
    const bool with_number = row.periodic && name.size() > row.name.size() && name.starts_with(row.name) &&
                             name[row.name.size()] == '-';
    if (with_number && (!found || row.name.size() > found->name.size())) found = &row;
  }
  if (!found) {
    return fail(ErrorKind::invalid_argument, "unknown policy " + quoted(name) +
                                                 " (names are case-sensitive); did you mean " +
                                                 quoted(nearest_name(name)) + "?");
  }
  const auto period = parse_period(name, name.substr(found->name.size() + 1));
  if (!period) return tl::unexpected(period.error());
  return PolicySpec{found->algorithm, *period};
}

Result<PolicySpec> with_option(PolicySpec spec, std::string_view option) {
  const AlgorithmRow& row = row_of(spec.algorithm);
  const auto refuse = [&](std::string why) {
    return fail(ErrorKind::invalid_argument, "policy " + quoted(row.name) + ": " + std::move(why));
  };
  const bool exact = slips_between(option, "exact") < slips_between(option, "match");
  if (option != "match" && option != "exact") {
    const std::string meant = exact && row.may_be_exact ? "\"+exact\"" : "\"+match\"";
    return refuse("unknown option " + quoted(option) +
                  (row.may_match ? "; did you mean " + meant + "?" : "; this policy has no options"));
  }
  if (!row.may_match) {
    return refuse("it never packs anew, so it has no option \"+" + std::string(option) +
                  "\"; leave it out");
  }
  if (exact && !row.may_be_exact) {
    return refuse("it packs for the stretch, and the option \"+exact\" is for yields; leave it out");
  }
  bool& given = exact ? spec.exact : spec.match;
  if (given) return refuse("the option \"+" + std::string(option) + "\" is given twice; give it once");
  given = true;
  return spec;
}

}  // namespace

const std::vector<AlgorithmRow>& algorithms() {
  static const std::vector<AlgorithmRow> rows = {
      {Algorithm::fcfs, "FCFS", false, false, false,
       "Batch: jobs start on whole idle nodes strictly in the order of their submission.",
       "DFRS 2010, section IV-B"},
      {Algorithm::easy, "EASY", false, false, false,
       "Batch: as FCFS, but later jobs may start earlier where they do not delay the first.",
       "DFRS 2010, section IV-B"},
      {Algorithm::easy_legacy, "EASY-LEGACY", false, false, false,
       "Batch: EASY as the published figures have it: idle reserved nodes are never lent.",
       "DFRS 2010, section V: the authors' simulator"},
      {Algorithm::conservative, "CONSERVATIVE", false, false, false,
       "Batch: every job has a reservation; a later job starts earlier where it delays none.",
       "Mu'alem and Feitelson 2001, section II-A"},
      {Algorithm::greedy, "GREEDY", false, false, false,
       "Places each job on the nodes with the least CPU load, or tries again later.",
       "DFRS 2010, section III-A"},
      {Algorithm::greedy_pmtn, "GREEDY-PMTN", false, false, false,
       "As GREEDY, but pauses running jobs of low priority to let a new job in.",
       "DFRS 2010, section III-A"},
      {Algorithm::greedy_pmtn_migr, "GREEDY-PMTN-MIGR", false, false, false,
       "As GREEDY-PMTN, but what would be paused may move instead.", "DFRS 2010, section III-A"},
      {Algorithm::dynmcb8, "DYNMCB8", false, true, true,
       "Packs all jobs anew at every event, at the highest minimum yield MCB8 finds.",
       "DFRS 2010, section III-B"},
      {Algorithm::dynmcb8_per, "DYNMCB8-PER", true, true, true,
       "Packs all jobs anew every T seconds; new jobs wait for that.", "DFRS 2010, section III-B"},
      {Algorithm::dynmcb8_asap_per, "DYNMCB8-ASAP-PER", true, true, true,
       "As DYNMCB8-PER, but a new job starts at once where memory allows.", "DFRS 2010, section III-B"},
      {Algorithm::dynmcb8_stretch_per, "DYNMCB8-STRETCH-PER", true, true, false,
       "As DYNMCB8-PER, but minimises the estimated maximum stretch.", "DFRS 2010, section III-B"},
      {Algorithm::best_fit, "FIT-BEST", false, false, false,
       "One job at a time, whole needs, devices too: onto the node that is left with the least.",
       "ATC 2023, Beware of Fragmentation, section 6"},
      {Algorithm::dot_product, "FIT-DOT", false, false, false,
       "As FIT-BEST, but onto the node whose rest is least like the demand.",
       "ATC 2023, Beware of Fragmentation, section 6"},
      {Algorithm::fgd, "FGD", false, false, false,
       "As FIT-BEST, but onto the node whose devices stay most usable to typical tasks.",
       "ATC 2023, Beware of Fragmentation, section 4"},
      {Algorithm::fgd_fill, "FGD-FILL", false, false, false,
       "As FGD, with an eye on how far typical tasks would still fill the devices.",
       "this project's own (docs/placement.md)"},
  };
  return rows;
}

Result<PolicySpec> parse_spec(std::string_view text) {
  if (text.size() > kLongestSpec) {
    return fail(ErrorKind::too_large, "a policy's name has at most " + std::to_string(kLongestSpec) +
                                          " characters, this one has " + std::to_string(text.size()));
  }
  std::size_t plus = text.find('+');
  Result<PolicySpec> spec = parse_name(text.substr(0, plus));
  while (spec && plus != std::string_view::npos) {
    const std::size_t next = text.find('+', plus + 1);
    spec =
        with_option(*spec, text.substr(plus + 1, next == std::string_view::npos ? next : next - plus - 1));
    plus = next;
  }
  return spec;
}

std::string to_string(const PolicySpec& spec) {
  std::string text(row_of(spec.algorithm).name);
  if (spec.period) text += '-' + std::to_string(spec.period->raw / kMillion);
  if (spec.exact) text += "+exact";
  if (spec.match) text += "+match";
  return text;
}

}  // namespace aliquot

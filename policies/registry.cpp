// The only list of policies: from a parsed name to the object that decides.
#include <array>
#include <memory>
#include <utility>

#include "policies/aliquot/aliquot.hpp"
#include "policies/batch/conservative.hpp"
#include "policies/batch/easy.hpp"
#include "policies/batch/easy_legacy.hpp"
#include "policies/batch/fcfs.hpp"
#include "policies/dfrs/dynmcb8.hpp"
#include "policies/dfrs/greedy.hpp"
#include "policies/fitting/one_by_one.hpp"
#include "policies/hybrid/hybrid.hpp"
#include "policies/placement/backfill.hpp"
#include "policies/placement/bestfit.hpp"
#include "policies/placement/collective.hpp"
#include "policies/policy.hpp"
#include "policies/spec.hpp"
#include "policies/tpds2012/policy.hpp"
#include "policies/tpds2012/spec.hpp"

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
    case Algorithm::best_fit:
      return std::make_unique<OneByOne>(FitRule::best_fit);
    case Algorithm::dot_product:
      return std::make_unique<OneByOne>(FitRule::dot_product);
    case Algorithm::fgd:
      return std::make_unique<OneByOne>(FitRule::fgd);
    case Algorithm::fgd_fill:
      return std::make_unique<OneByOne>(FitRule::fgd_fill);
  }
  return nullptr;
}

// The grammar has more names than can be listed: these stand for its parts (docs/policies.md).
constexpr std::array<std::pair<const char*, const char*>, 14> kTpds2012Names = {{
    {"Greedy*", "Places a job at its submission; tries what waits again on every event."},
    {"GreedyP*", "As Greedy*, but pauses running jobs of low priority to let a new job in."},
    {"GreedyPM*", "As GreedyP*, but what would be paused may move instead."},
    {"MCB8*", "Packs all jobs anew at submissions and completions."},
    {"/per=600", "Packs all jobs anew every 600 s; new jobs wait for that."},
    {"/stretch-per=600", "As /per, but for the estimated maximum stretch."},
    {"Greedy/per=600", "As /per, but a new job starts at once where memory allows."},
    {"GreedyPM*/per=600", "GreedyPM*, and all jobs are packed anew every 600 s."},
    {"GreedyPM*/OPT=MIN", "GreedyPM* with max-min fair yields (water filling)."},
    {"GreedyPM*/OPT=AVG", "GreedyPM* with the largest sum of yields (linear program)."},
    {"GreedyPM*/per=600/OPT=MIN/MINVT=600",
     "With max-min fair yields; jobs of less than 600 s of virtual time stay at a tick."},
    {"GreedyP/per=600/OPT=AVG/MINFT=300",
     "With the largest sum of yields; jobs submitted less than 300 s ago stay at a tick."},
    {"/stretch-per=600/OPT=MAX",
     "Packs for the estimated stretch, and shares to minimise it, worst first."},
    {"GreedyPM*/stretch-per=600/OPT=AVG/MINVT=600",
     "Packs for the estimated stretch; then the largest sum of yields."},
}};

// What ships, and what it comes to with all that may be left out left out.
constexpr std::array<std::pair<const char*, const char*>, 3> kAliquotNames = {{
    {"ALIQUOT", "Keeps the largest predicted stretch small, and knows what pausing and moving cost."},
    {"ALIQUOT:repack=on", "ALIQUOT that packs all jobs anew now and then, where that gains."},
    {"ALIQUOT:pause=off,urgent=off,yields=fair,hurry=off,local=off,budget=off,repack=off,floor=0",
     "ALIQUOT with every part of it turned off: any of them may be, in any order."},
}};

std::unique_ptr<Policy> build(const CollectiveSpec& spec) {
  if (spec.kind == CollectiveSpec::Kind::bestfit) return std::make_unique<BestFit>();
  if (spec.kind == CollectiveSpec::Kind::backfill) return std::make_unique<Backfill>(spec);
  return std::make_unique<Collective>(spec);
}

constexpr std::array<std::array<const char*, 3>, 7> kCollectiveNames = {{
    {"IPSCHED", "Every 3 s, starts the waiting jobs worth most that fit together; places devices.",
     "Soner and Ozturan 2012, section 3"},
    {"IPSCHED/objective=pr/priority=multifactor",
     "IPSCHED, with cores times priority, which grows with age and size.",
     "Soner and Ozturan 2012, sections 3 and 6"},
    {"IPSCHED/paper", "IPSCHED that starts nobody and halves its window when its effort is spent.",
     "Soner and Ozturan 2012, section 4"},
    {"AUCSCHED", "As IPSCHED, but jobs bid for contiguous blocks of nodes.",
     "Soner and Ozturan 2013, section 4"},
    {"BACKFILL",
     "Slurm's backfill over shared nodes: in order, and what delays nobody ahead; places devices.",
     "Soner and Ozturan 2012, sections 4 and 5"},
    {"BACKFILL/priority=multifactor", "BACKFILL in the order of a priority that grows with age and size.",
     "Soner and Ozturan 2012, section 5"},
    {"BESTFIT", "One job at a time on the fewest nodes that hold it; places devices.",
     "Soner and Ozturan 2012, Table 1"},
}};

std::vector<PolicyInfo> rows() {
  std::vector<PolicyInfo> rows;
  for (const auto& [name, summary] : kAliquotNames) {
    rows.push_back({name, summary, "this project's own (docs/policy.md)"});
  }
  for (const AlgorithmRow& row : algorithms()) {
    const std::string name = std::string(row.name) + (row.periodic ? "-T" : "");
    rows.push_back({name, std::string(row.summary), std::string(row.source)});
    if (!row.may_match) continue;
    rows.push_back({name + "+match", "As " + name + ", with new bins on old hosts: fewer tasks move.",
                    std::string(row.source) + "; the option is this project's own"});
    if (!row.may_be_exact) continue;
    rows.push_back({name + "+exact", "As " + name + ", but packs as high as is proven possible, or nearly.",
                    std::string(row.source) + "; the option is this project's own"});
  }
  for (const auto& [name, summary, source] : kCollectiveNames) rows.push_back({name, summary, source});
  rows.push_back({"HYBRID(IPSCHED,DYNMCB8-ASAP-PER-600+match)",
                  "The first places the jobs that ask for devices or nodes, the second shares the rest.",
                  "this project's own (docs/placement.md)"});
  for (const auto& [name, summary] : kTpds2012Names) {
    rows.push_back({name, summary, "arXiv 1106.4985, IEEE TPDS 2012"});
  }
  return rows;
}

// Whether a policy places jobs that ask for devices or nodes.
bool places_devices(std::string_view text) {
  if (looks_collective(text)) return true;
  if (looks_tpds2012(text)) return false;
  const auto spec = parse_spec(text);
  return spec && spec->algorithm >= Algorithm::best_fit;
}

Result<std::unique_ptr<Policy>> make_hybrid(std::string_view text) {
  const auto parts = parse_hybrid(text);
  if (!parts) return tl::unexpected(parts.error());
  auto places = make_policy(parts->places);
  if (!places) return tl::unexpected(places.error());
  auto shares = make_policy(parts->shares);
  if (!shares) return tl::unexpected(shares.error());
  if (looks_hybrid(parts->places) || looks_hybrid(parts->shares))
    return fail(ErrorKind::invalid_argument, "a HYBRID policy stands in no other HYBRID policy");
  if (!places_devices(parts->places))
    return fail(
        ErrorKind::invalid_argument,
        "policy \"" + (*places)->name() + "\" places no devices, so it cannot be the first of a " +
            "HYBRID; IPSCHED, AUCSCHED, BACKFILL, BESTFIT, FIT-BEST, FIT-DOT, FGD and FGD-FILL can");
  return std::make_unique<Hybrid>(std::move(*places), std::move(*shares));
}

}  // namespace

Result<std::unique_ptr<Policy>> make_policy(std::string_view text) {
  if (text.starts_with("exec:")) {
    return fail(ErrorKind::unsupported,
                "policy \"" + std::string(text.substr(0, 40)) +
                    "\": a policy of another program has effects, so only aliquot-sim can run it");
  }
  if (text.size() <= kLongestSpec && looks_hybrid(text)) return make_hybrid(text);
  if (text.size() <= kLongestSpec && looks_collective(text)) {
    const auto spec = parse_collective(text);
    if (!spec) return tl::unexpected(spec.error());
    if (spec->solver != CollectiveSpec::Solver::fast)
      return fail(
          ErrorKind::unsupported,
          "policy \"" + std::string(text) +
              "\": the manager has no general solver in it; try this with aliquot-sim-cbc, which is "
              "built where coinor-libcbc-dev is installed, or leave /solver out");
    return build(*spec);
  }
  if (text.size() <= kLongestSpec && looks_tpds2012(text)) {
    const auto spec = parse_tpds2012(text);
    if (!spec) return tl::unexpected(spec.error());
    return std::make_unique<Tpds2012Policy>(*spec);
  }
  if (text.size() <= kLongestSpec && looks_aliquot(text)) {
    const auto spec = parse_aliquot(text);
    if (!spec) return tl::unexpected(spec.error());
    return std::make_unique<Aliquot>(*spec);
  }
  const auto spec = parse_spec(text);
  if (!spec) return tl::unexpected(spec.error());
  return build(*spec);
}

const std::vector<PolicyInfo>& known_policies() {
  static const std::vector<PolicyInfo> known = rows();
  return known;
}

Result<std::string> with_period(std::string_view text, Duration period) {
  const auto policy = make_policy(text);
  if (!policy) return tl::unexpected(policy.error());
  if (!(*policy)->period()) {
    return fail(ErrorKind::invalid_argument,
                "policy \"" + (*policy)->name() + "\" has no period: it decides at every event");
  }
  if (period < seconds(1) || period > kLongestPeriod || period.raw % kMillion != 0) {
    return fail(ErrorKind::invalid_argument, "a period is a whole number of seconds from 1 to " +
                                                 std::to_string(kLongestPeriod.raw / kMillion));
  }
  if (looks_hybrid(text)) {
    const auto parts = parse_hybrid(text);
    const auto shares = with_period(parts->shares, period);
    if (!shares) return shares;
    return "HYBRID(" + parts->places + "," + *shares + ")";
  }
  if (looks_collective(text)) {
    CollectiveSpec spec = *parse_collective(text);
    spec.interval = period;
    return to_string(spec);
  }
  if (looks_tpds2012(text)) {
    Tpds2012Spec spec = *parse_tpds2012(text);
    spec.period = period;
    return to_string(spec);
  }
  PolicySpec spec = *parse_spec(text);
  spec.period = period;
  return to_string(spec);
}

}  // namespace aliquot

// The policies that ship, one row each, in the order in which they are listed. A new policy is its own two
// files and a row here.
#include <algorithm>
#include <iterator>

#include "policies/aliquot/aliquot.hpp"
#include "policies/aliquot/policy_state.hpp"
#include "policies/batch/batch.hpp"
#include "policies/collocation/cape_rm.hpp"
#include "policies/collocation/collocate.hpp"
#include "policies/dfrs/dynmcb8.hpp"
#include "policies/dfrs/greedy.hpp"
#include "policies/evolving/fit_policy.hpp"
#include "policies/fitting/one_by_one.hpp"
#include "policies/hybrid/hybrid.hpp"
#include "policies/placement/backfill.hpp"
#include "policies/placement/collective.hpp"
#include "policies/placement/window_state.hpp"
#include "policies/registry.hpp"
#include "policies/tpds2012/policy.hpp"

namespace aliquot {

namespace {

constexpr const char* kDfrsGreedy = "DFRS 2010, section III-A";
constexpr const char* kDfrsPacking = "DFRS 2010, section III-B";
constexpr const char* kDfrsBatch = "DFRS 2010, section IV-B";
constexpr const char* kPredicted = "this project's own (docs/predictions.md)";
constexpr const char* kFragmentation = "ATC 2023, Beware of Fragmentation, section 6";
constexpr const char* kTpds2012 = "arXiv 1106.4985, IEEE TPDS 2012";
constexpr const char* kEvolving =
    "Klein and Perez 2011, Towards Scheduling Evolving Applications, section 4";
constexpr const char* kOwnPolicy = "this project's own (docs/policy.md)";
constexpr const char* kOwnPlacement = "this project's own (docs/placement.md)";
constexpr const char* kOwnCollocation = "this project's own (docs/collocation.md)";
constexpr const char* kCapeRm = "Das, Sudhakaran and Ashok, CAPE-RM, section III";

template <class P, auto... Arguments>
std::unique_ptr<Policy> made() {
  return std::make_unique<P>(Arguments...);
}

PolicyRow dynmcb8_row(DynMcb8Spec::Variant variant, const std::string& summary) {
  using Variant = DynMcb8Spec::Variant;
  const PolicyGrammar<DynMcb8Spec>& grammar = grammar_of(variant);
  const std::string name = grammar.word + (variant == Variant::at_every_event ? "" : "-T");
  const std::string own = std::string(kDfrsPacking) + "; the option is this project's own";
  std::vector<PolicyInfo> listed = {
      {name, summary, kDfrsPacking},
      {name + "+match", "As " + name + ", with new bins on old hosts: fewer tasks move.", own}};
  if (variant != Variant::stretch_periodic)
    listed.push_back(
        {name + "+exact", "As " + name + ", but packs as high as is proven possible, or nearly.", own});
  return policy_row(grammar, std::move(listed),
                    [](const DynMcb8Spec& spec) { return std::make_unique<DynMcb8>(spec); });
}

PolicyRow tpds2012_row(Tpds2012Spec::Submit submit,
                       const std::vector<std::pair<const char*, const char*>>& names) {
  std::vector<PolicyInfo> listed;
  for (const auto& [name, summary] : names) listed.push_back({name, summary, kTpds2012});
  return policy_row(grammar_of(submit), std::move(listed),
                    [](const Tpds2012Spec& spec) { return std::make_unique<Tpds2012Policy>(spec); });
}

// --- HYBRID(P,Q), COLLOCATE(P,Q) ------------------------------------------------------------------------

// P and Q of the name, both made, and P one that places devices.
struct MadeParts {
  std::unique_ptr<Policy> places, shares;
};
Result<MadeParts> made_parts(const PolicyName& name, const PolicyRegistry& registry) {
  const auto parts = hybrid_parts(name);
  if (!parts) return tl::unexpected(parts.error());
  const std::string word(name.word);
  for (const std::string& part : {parts->places, parts->shares}) {
    const PolicyRow* of_part = registry.find(take_apart(part));
    if (of_part && (of_part->mark == '(' || of_part->free_text))
      return refuse(name.text,
                    "policies with parts of their own and exec: policies cannot be parts of a " + word);
  }
  auto places = registry.make(parts->places);
  if (!places) return tl::unexpected(places.error());
  auto shares = registry.make(parts->shares);
  if (!shares) return tl::unexpected(shares.error());
  if (!registry.find(take_apart(parts->places))->places_devices) {
    std::vector<std::string> words;
    for (const PolicyRow& other : registry.rows())
      if (other.places_devices) words.push_back(other.word);
    return refuse((*places)->name(), "it places no devices, so it cannot be the first of a " + word + "; " +
                                         listed(words, "and") + " can");
  }
  return MadeParts{*std::move(places), *std::move(shares)};
}

Result<std::string> with_period_of_shares(const PolicyName& name, Duration period,
                                          const PolicyRegistry& registry) {
  const auto parts = hybrid_parts(name);
  if (!parts) return tl::unexpected(parts.error());
  const auto shares = registry.with_period(parts->shares, period);
  if (!shares) return shares;
  return std::string(name.word) + "(" + parts->places + "," + *shares + ")";
}

template <class Joint>
PolicyRow joint_row(const std::string& word, PolicyInfo listed) {
  PolicyRow row{word, '('};
  row.listed = {std::move(listed)};
  row.make = [](const PolicyName& name, const PolicyRegistry& registry) -> Result<std::unique_ptr<Policy>> {
    auto parts = made_parts(name, registry);
    if (!parts) return tl::unexpected(parts.error());
    return std::make_unique<Joint>(std::move(parts->places), std::move(parts->shares));
  };
  row.with_period = with_period_of_shares;
  return remembering<HybridState>(std::move(row));
}

std::vector<PolicyRow> joint_rows() {
  return {
      joint_row<Hybrid>(
          "HYBRID", {"HYBRID(IPSCHED,DYNMCB8-ASAP-PER-600+match)",
                     "The first places the jobs that ask for devices or nodes, the second shares the rest.",
                     kOwnPlacement}),
      joint_row<Collocate>(
          "COLLOCATE", {"COLLOCATE(IPSCHED,ALIQUOT)",
                        "As HYBRID, but jobs of the second move or pause for those that the first places.",
                        kOwnCollocation}),
  };
}

PolicyRow cape_rm_row() {
  return placing_devices(policy_row(
      cape_rm_grammar(),
      {{"CAPE-RM", "A few CPU-only jobs beside a GPU job that is expected to outlast them.", kCapeRm},
       {"CAPE-RM:jobs=1,load=150",
        "At most one beside each GPU job, and a CPU load of up to 150 % of the node.", kCapeRm}},
      [](const CapeRmSpec& spec) { return std::make_unique<CapeRm>(spec); }));
}

// A policy of another program. The simulator replaces this row by its own (tools/sim/exec).
PolicyRow exec_row() {
  PolicyRow row{"exec", ':'};
  row.free_text = true;
  row.make = [](const PolicyName& name, const PolicyRegistry&) -> Result<std::unique_ptr<Policy>> {
    return fail(ErrorKind::unsupported,
                "policy " + quoted(name.text.substr(0, 40)) +
                    ": a policy of another program has effects, so only aliquot-sim can run it");
  };
  return row;
}

PolicyRow aliquot_row() {
  return remembering<AliquotState>(policy_row(
      aliquot_grammar(),
      {{"ALIQUOT", "Keeps the largest predicted stretch small, and knows what pausing and moving cost.",
        kOwnPolicy},
       {"ALIQUOT:repack=on", "ALIQUOT that packs all jobs anew now and then, where that gains.",
        kOwnPolicy},
       {"ALIQUOT:pause=off,urgent=off,yields=fair,hurry=off,local=off,budget=off,repack=off,"
        "floor=0",
        "ALIQUOT with every part of it turned off: any of them may be, in any order.", kOwnPolicy}},
      [](const AliquotSpec& spec) { return std::make_unique<Aliquot>(spec); }));
}

std::vector<PolicyRow> batch_rows() {
  return {
      policy_row(
          {"FCFS", "Batch: jobs start on whole idle nodes strictly in the order of their submission.",
           kDfrsBatch},
          made<Fcfs>),
      policy_row(
          easy_grammar(),
          {{"EASY", "Batch: as FCFS, but later jobs may start earlier where they do not delay the first.",
            kDfrsBatch},
           {"EASY/predict", "As EASY, by run times that the site's own history predicts.", kPredicted}},
          [](const EasySpec& spec) { return std::make_unique<Easy>(spec); }),
      policy_row({"EASY-LEGACY",
                  "Batch: EASY as the published figures have it: idle reserved nodes are never lent.",
                  "DFRS 2010, section V: the authors' simulator"},
                 made<Easy, EasySpec{.lends = false}>),
      policy_row(conservative_grammar(),
                 {{"CONSERVATIVE",
                   "Batch: every job has a reservation; a later job starts earlier where it delays none.",
                   "Mu'alem and Feitelson 2001, section II-A"},
                  {"CONSERVATIVE/predict",
                   "As CONSERVATIVE, by run times that the site's own history predicts.", kPredicted}},
                 [](const ConservativeSpec& spec) { return std::make_unique<Conservative>(spec); }),
      policy_row(
          evolving::fit_grammar(),
          {{"FIT", "Batch: jobs that will grow or shrink start where all their steps find their nodes.",
            kEvolving},
           {"FIT/expand=2", "As FIT, but a job may wait in a step for as long as the step takes (2X).",
            kEvolving},
           {"FIT/expand=inf", "As FIT, but a job may wait in a step for any time (infX).", kEvolving},
           {"FIT/expand=inf/compact", "As FIT/expand=inf, but a job starts as late as it still ends first.",
            kEvolving}},
          [](const evolving::FitSpec& spec) { return std::make_unique<evolving::Fit>(spec); }),
  };
}

std::vector<PolicyRow> dfrs_rows() {
  using Variant = DynMcb8Spec::Variant;
  return {
      policy_row({"GREEDY", "Places each job on the nodes with the least CPU load, or tries again later.",
                  kDfrsGreedy},
                 made<Greedy, Preemption::none>),
      policy_row({"GREEDY-PMTN", "As GREEDY, but pauses running jobs of low priority to let a new job in.",
                  kDfrsGreedy},
                 made<Greedy, Preemption::pause>),
      policy_row(
          {"GREEDY-PMTN-MIGR", "As GREEDY-PMTN, but what would be paused may move instead.", kDfrsGreedy},
          made<Greedy, Preemption::pause_or_move>),
      dynmcb8_row(Variant::at_every_event,
                  "Packs all jobs anew at every event, at the highest minimum yield MCB8 finds."),
      dynmcb8_row(Variant::periodic, "Packs all jobs anew every T seconds; new jobs wait for that."),
      dynmcb8_row(Variant::asap_periodic,
                  "As DYNMCB8-PER, but a new job starts at once where memory allows."),
      dynmcb8_row(Variant::stretch_periodic,
                  "As DYNMCB8-PER, but minimises the estimated maximum stretch."),
  };
}

template <FitRule rule>
PolicyRow fitting_row(PolicyInfo info) {
  return placing_devices(policy_row(std::move(info), made<OneByOne, rule>));
}

std::vector<PolicyRow> fitting_rows() {
  return {
      remembering<KnownScores>(fitting_row<FitRule::best_fit>(
          {"FIT-BEST",
           "One job at a time, whole needs, devices too: onto the node that is left with the least.",
           kFragmentation})),
      fitting_row<FitRule::dot_product>(
          {"FIT-DOT", "As FIT-BEST, but onto the node whose rest is least like the demand.",
           kFragmentation}),
      fitting_row<FitRule::fgd>(
          {"FGD", "As FIT-BEST, but onto the node whose devices stay most usable to typical tasks.",
           "ATC 2023, Beware of Fragmentation, section 4"}),
      fitting_row<FitRule::fgd_fill>(
          {"FGD-FILL", "As FGD, with an eye on how far typical tasks would still fill the devices.",
           kOwnPlacement}),
  };
}

std::vector<PolicyRow> placement_rows(GeneralSolver general_solver) {
  using Kind = CollectiveSpec::Kind;
  const auto collective = [general_solver](const CollectiveSpec& spec) -> Result<std::unique_ptr<Policy>> {
    if (spec.solver == CollectiveSpec::Solver::fast) return std::make_unique<Collective>(spec);
    auto solver = general_solver(spec.solver);
    if (!solver) return tl::unexpected(std::move(solver.error()));
    return std::make_unique<Collective>(spec, std::move(*solver));
  };
  return {
      remembering<WindowState>(placing_devices(policy_row(
          grammar_of(Kind::ipsched),
          {{"IPSCHED", "Every 3 s, starts the waiting jobs worth most that fit together; places devices.",
            "Soner and Ozturan 2012, section 3"},
           {"IPSCHED/objective=pr/priority=multifactor",
            "IPSCHED, with cores times priority, which grows with age and size.",
            "Soner and Ozturan 2012, sections 3 and 6"},
           {"IPSCHED/paper", "IPSCHED that starts no job and halves its window when its effort is spent.",
            "Soner and Ozturan 2012, section 4"}},
          collective))),
      placing_devices(policy_row(grammar_of(Kind::aucsched),
                                 {{"AUCSCHED", "As IPSCHED, but jobs bid for contiguous blocks of nodes.",
                                   "Soner and Ozturan 2013, section 4"}},
                                 collective)),
      placing_devices(policy_row(
          grammar_of(Kind::backfill),
          {{"BACKFILL",
            "Slurm's backfill over shared nodes: in order, and what delays no job ahead; places devices.",
            "Soner and Ozturan 2012, sections 4 and 5"},
           {"BACKFILL/priority=multifactor",
            "BACKFILL in the order of a priority that grows with age and size.",
            "Soner and Ozturan 2012, section 5"}},
          [](const CollectiveSpec& spec) { return std::make_unique<Backfill>(spec); })),
      placing_devices(
          policy_row(grammar_of(Kind::bestfit),
                     {{"BESTFIT", "One job at a time on the fewest nodes that hold it; places devices.",
                       "Soner and Ozturan 2012, Table 1"}},
                     [](const CollectiveSpec&) { return std::make_unique<BestFit>(); })),
  };
}

std::vector<PolicyRow> tpds2012_rows() {
  using Submit = Tpds2012Spec::Submit;
  return {
      tpds2012_row(Submit::greedy,
                   {{"Greedy*", "Places a job at its submission; tries what waits again on every event."},
                    {"Greedy/per=600", "As /per, but a new job starts at once where memory allows."}}),
      tpds2012_row(
          Submit::greedy_pause,
          {{"GreedyP*", "As Greedy*, but pauses running jobs of low priority to let a new job in."},
           {"GreedyP/per=600/OPT=AVG/MINFT=300",
            "With the largest sum of yields; jobs submitted less than 300 s ago stay at a tick."}}),
      tpds2012_row(Submit::greedy_move,
                   {{"GreedyPM*", "As GreedyP*, but what would be paused may move instead."},
                    {"GreedyPM*/per=600", "GreedyPM*, and all jobs are packed anew every 600 s."},
                    {"GreedyPM*/OPT=MIN", "GreedyPM* with max-min fair yields (progressive filling)."},
                    {"GreedyPM*/OPT=AVG", "GreedyPM* with the largest sum of yields (linear program)."},
                    {"GreedyPM*/per=600/OPT=MIN/MINVT=600",
                     "With max-min fair yields; jobs of less than 600 s of virtual time stay at a tick."},
                    {"GreedyPM*/stretch-per=600/OPT=AVG/MINVT=600",
                     "Packs for the estimated stretch; then the largest sum of yields."}}),
      tpds2012_row(Submit::pack, {{"MCB8*", "Packs all jobs anew at submissions and completions."}}),
      tpds2012_row(Submit::wait,
                   {{"/per=600", "Packs all jobs anew every 600 s; new jobs wait for that."},
                    {"/stretch-per=600", "As /per, but for the estimated maximum stretch."},
                    {"/stretch-per=600/OPT=MAX",
                     "Packs for the estimated stretch, and shares to minimise it, worst first."}}),
  };
}

Result<ip::Solver> no_general_solver(CollectiveSpec::Solver which) {
  return fail(ErrorKind::unsupported,
              "/solver=" + std::string(word(which)) +
                  ": the manager has no general solver in it; try this with aliquot-sim-cbc, which is "
                  "built where coinor-libcbc-dev is installed, or leave /solver out");
}

}  // namespace

PolicyRegistry built_in_policies(GeneralSolver general_solver) {
  std::vector<PolicyRow> rows;
  const auto add = [&](std::vector<PolicyRow> more) { std::ranges::move(more, std::back_inserter(rows)); };
  add({aliquot_row()});
  add(batch_rows());
  add(dfrs_rows());
  add(fitting_rows());
  add(placement_rows(general_solver));
  add(joint_rows());
  add({cape_rm_row()});
  add(tpds2012_rows());
  add({exec_row()});
  return PolicyRegistry(std::move(rows));
}

const PolicyRegistry& built_in_policies() {
  static const PolicyRegistry registry = built_in_policies(no_general_solver);
  return registry;
}

}  // namespace aliquot

// What a name of a collective policy says.
//
//   IPSCHED | AUCSCHED  [/interval=s][/window=jobs][/objective=p|pr][/priority=basic|multifactor][/size=w]
//                       [/effort=work][/solver=fast|cbc|exact][/MAXBIDS=n][/paper]
//   BACKFILL  [/interval=s][/window=jobs][/priority=basic|multifactor][/size=w]
//   BESTFIT
//
// MAXBIDS is an option of AUCSCHED alone, and /size belongs to /priority=multifactor. The defaults below
// are those of IPSCHED and AUCSCHED; BACKFILL looks every 30 s at 50 jobs (Slurm's own defaults of 2012).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "policies/grammar.hpp"
#include "policies/placement/solver/fast.hpp"

namespace aliquot {

struct CollectiveSpec {
  enum class Kind : std::uint8_t { ipsched, aucsched, backfill, bestfit };
  enum class Priority : std::uint8_t { basic, multifactor };
  // fast: our own. selection (`cbc`): the set-selection program, exact: the formulation by classes; both by
  // a general solver that the manager does not link (GeneralSolver, policies/registry.hpp).
  enum class Solver : std::uint8_t { fast, selection, exact };

  Kind kind = Kind::ipsched;
  Duration interval = seconds(3);       // SCHED_INTERVAL
  std::uint32_t window = 200;           // MAX_JOB_COUNT
  bool by_cores = false;                // objective p r (s - c) instead of p (s - c)
  Priority priority = Priority::basic;  // by submission; multifactor: by age and size
  std::uint32_t size_weight = 10'080;   // of a job as large as the cluster, against 1 a minute of waiting
  std::uint64_t effort = ip::kUsualEffort;  // counted work of a decision
  Solver solver = Solver::fast;
  std::uint32_t max_bids = 10;  // MAXBIDSPERJOB
  bool paper = false;  // at the limit of its effort start nothing and halve the window, as the papers do

  friend bool operator==(const CollectiveSpec&, const CollectiveSpec&) = default;
};

// As the name has it: "fast", "cbc", "exact".
[[nodiscard]] std::string_view word(CollectiveSpec::Solver solver);

[[nodiscard]] const PolicyGrammar<CollectiveSpec>& grammar_of(CollectiveSpec::Kind kind);
[[nodiscard]] std::string to_string(const CollectiveSpec& spec);

}  // namespace aliquot

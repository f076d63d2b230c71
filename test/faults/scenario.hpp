// A random scenario, drawn from a seed: a cluster, its jobs, the faults of its hypervisor, the jobs
// that users cancel meanwhile, and those of which they change the need or the number of tasks,
// or which use less of their memory than they declare; and the maintenance that operators have planned.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "manager/hypervisor/model/model_options.hpp"
#include "monitor/record/event.hpp"
#include "policies/model/account_terms.hpp"
#include "policies/power/settings.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot {

// Each level includes the one before. The fewer faults, the more precisely the outcome is checked.
enum class FaultLevel : std::uint8_t {
  none,      // every action succeeds at once
  delays,    // actions take time, and replies come twice
  failures,  // actions fail, and report it
  losses,    // outcomes are lost or late, VMs crash, nodes stop answering or die
};

struct LaterNeed {
  Cpu need;
  bool is_learned = false;  // else its user says so
};
struct SizeChange {
  std::uint32_t tasks = 1;
  Duration in;            // from the announcement
  bool by_guest = false;  // announced by its task 0, if that runs; else by its user
};
// What a new manager reads in the file of a guest once more says so many tasks here: it must not be heard.
inline constexpr std::uint32_t kHeardBefore = 1'000'000;

struct Scenario {
  std::uint64_t seed = 0;
  FaultLevel faults = FaultLevel::none;
  ClusterShape shape;
  Workload workload;
  ModelOptions model;
  std::map<JobId, Instant> cancels;
  // What a task of the job needs from then on; by instant.
  std::map<JobId, std::map<Instant, LaterNeed>> needs;
  // How many hundredths of its memory a task of the job uses from then on; by instant.
  std::map<JobId, std::map<Instant, std::int64_t>> memory_used;
  // How many tasks the job is to have from then on; by instant, and by when it is announced.
  std::map<JobId, std::map<Instant, SizeChange>> sizes;
  std::uint32_t deaths = 0;  // of the manager, per million steps
  // An operator confirms a node down that has not answered for so long, after switching it off.
  std::optional<Duration> fence_after;
  std::optional<power::PowerSettings> power;              // idle nodes go off and are woken
  std::optional<Duration> half_life;                      // of the use of its users, which have fair shares
  std::map<Instant, std::vector<AccountTerms>> accounts;  // in force from then on; limits only ever rise
  std::vector<MaintenanceWindow> windows;                 // planned from the beginning
  MoveTerms moves;                                        // a budget and a cool-down, or neither
  std::map<NodeId, Drain> announced;                      // likewise; the node is put back at `deadline`
};

[[nodiscard]] Scenario draw_scenario(std::uint64_t seed);
[[nodiscard]] const char* name(FaultLevel faults);

}  // namespace aliquot

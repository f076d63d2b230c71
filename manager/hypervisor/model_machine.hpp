// The model's virtual machines and jobs: what would be true on real nodes.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "manager/hypervisor/hypervisor.hpp"

namespace aliquot {

struct ModelVm {
  enum class State : std::uint8_t { absent, paused, running, saved, ended };
  State state = State::absent;
  std::uint32_t incarnation = 0;
  NodeId node;                      // where it stands (paused, running), stood last otherwise
  Yield cap;                        // in force
  std::optional<Action> under_way;  // the action that was begun and has not ended
  bool resumed = false;             // was restored: its next release costs the rescheduling penalty
  bool lost = false;                // went with its node, and nobody knows yet
  std::optional<int> exit_code;     // when ended; none: it died
  VirtualTime cpu_before;           // of its job when this VM was created: its counters begin at 0
  VirtualTime time_before;
  std::uint32_t units = 1;  // tasks of its job, as its last sheet before its creation said
  DeviceSet devices = 0;

  [[nodiscard]] bool exists() const { return state == State::paused || state == State::running; }
  [[nodiscard]] bool does(ActionKind what) const { return under_way && kind(*under_way) == what; }
};

struct ModelJob {
  std::shared_ptr<const JobSheet> sheet;
  VirtualTime work;   // all of it
  Progress progress;  // the same for all tasks of the job
  Progress running;   // time during which its tasks ran, whatever their caps
  std::vector<ModelVm> vms;
  Instant ends = kNever;  // the entry of the agenda that holds
  std::uint64_t version = 0;

  // As many VMs as the sheet names; a grouped job of which nothing stands may come back with others.
  void fit_to_sheet() {
    const auto gone = [](const ModelVm& vm) { return !vm.exists() && !vm.under_way; };
    if (!std::ranges::all_of(vms, gone)) return;
    vms.resize(sheet->tasks.size());
    for (std::size_t k = 0; k < vms.size(); ++k) {
      vms[k].units = sheet->tasks[k].units;
      vms[k].devices = sheet->tasks[k].devices;
    }
  }
  [[nodiscard]] const Demand& demand() const { return sheet->submission->demand; }
  // A job progresses at the lowest cap of its tasks, and only while all of them run; what is being saved
  // stands still.
  [[nodiscard]] Yield rate() const {
    Yield lowest = kFullYield;
    bool any = false;
    for (const ModelVm& vm : vms) {
      if (vm.state == ModelVm::State::ended) continue;
      if (vm.state != ModelVm::State::running || vm.does(ActionKind::save)) return {};
      lowest = std::min(lowest, vm.cap);
      any = true;
    }
    return any ? lowest : Yield{};
  }
};

}  // namespace aliquot

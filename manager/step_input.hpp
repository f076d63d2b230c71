// What is collected for the next step, and what is kept of a step until it is on disk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "manager/api/wire/job_server.hpp"
#include "manager/hypervisor/hypervisor.hpp"
#include "manager/store/store.hpp"
#include "monitor/record/step.hpp"

namespace aliquot {

// A reply that becomes true when the events of its request are on disk.
struct DeferredReply {
  ClientToken client;
  Reply reply;
  std::optional<IdempotencyKey> key;  // none: the answer need not be remembered
  std::string body_sha256;
  bool needs_adoption = false;  // it is true only if the decision of the step is adopted
};

// Filled while requests and messages are drained.
//
// While the disk of the store is full no step takes the events, and they wait. Then nothing of the
// manager's own makes new ones (requests, drains, fencing, reloads), and of what nodes report, an event
// takes the place of those that say no more than it: what waits is bounded by the number of nodes, VMs and
// actions in flight, however long the disk stays full.
struct StepInput {
  // Adds what a node has reported, or what was found in the spool.
  void add(Event event);
  std::vector<Event> events;
  std::vector<DeferredReply> replies;  // sent once the step of these events is on disk
  std::optional<Error> blocked{};      // why no step can be stored now
  [[nodiscard]] bool empty() const { return events.empty() && replies.empty(); }
  // Do the nodes change with the next step? What is said of all nodes must wait for it then.
  [[nodiscard]] bool changes_nodes() const {
    return std::ranges::any_of(events,
                               [](const Event& e) { return std::holds_alternative<Configured>(e); });
  }
};

// A step that has been handed to the store. Its actions and replies wait until it is on disk.
struct PendingStep {
  Step step;
  std::vector<std::shared_ptr<const JobSpec>> specs;  // one per action
  std::vector<DeferredReply> replies;
  Instant handed_over;  // to the store
};

}  // namespace aliquot

// What the loop gathers before it takes a turn, and what it keeps until the step is on disk.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "manager/api/wire/job_server.hpp"
#include "manager/hypervisor/hypervisor.hpp"
#include "policies/model/step.hpp"

namespace aliquot {

struct DeferredReply {
  ClientToken client;
  Reply reply;
  std::string idempotency_key;  // empty: the answer need not be remembered
  std::string body_sha256;
};

// Filled while requests and messages are drained; taken by the next round.
struct StepInput {
  std::vector<Event> events;
  std::vector<DeferredReply> replies;  // true once the events are durable
  [[nodiscard]] bool empty() const { return events.empty() && replies.empty(); }
};

// A step that was taken and is being written: its deeds and its words wait for the disk.
struct PendingStep {
  Step step;
  std::vector<std::shared_ptr<const JobSpec>> specs;  // one per action
  std::vector<DeferredReply> replies;
  Instant handed_over;  // to the store
};

}  // namespace aliquot

// Callbacks with measurements of libvirt itself, for the metrics: the duration and result of each call, and
// migration downtimes. Called on any thread, and never after the hypervisor is destroyed.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "policies/model/error.hpp"
#include "policies/model/id.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

// One call that a queue (node_worker.hpp) has started: for an action, or for a query.
struct CallReport {
  NodeId node;
  std::string_view kind;  // the name of an action, or one of kQuestions
  Duration took;
  std::optional<ErrorKind> error;  // timeout: it missed its deadline and may still return
};

// "look": at a VM after an event that suggests a foreign operation.
inline constexpr std::string_view kQuestions[] = {"statistics", "inspect", "look", "facts",
                                                  "probe",      "list",    "ping", "balloon"};

struct CallObserver {
  // Each may be null.
  std::function<void(const CallReport&)> call;
  std::function<void(Duration)> downtime;  // of a migration, as libvirt reports it
};

}  // namespace aliquot

// What is measured of libvirt itself, beside the outcomes of actions: for the metrics. Told on any thread,
// at once, and never after the hypervisor is gone.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "policies/model/error.hpp"
#include "policies/model/id.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

// One call of a queue (node_worker.hpp) that was begun: an action's, or a question's.
struct CallReport {
  NodeId node;
  std::string_view kind;  // an action's word, or one of kQuestions
  Duration took;
  std::optional<ErrorKind> error;  // timeout: it missed its deadline, and may still return
};

// "look": at a VM of which somebody else's doing was heard.
inline constexpr std::string_view kQuestions[] = {"statistics", "inspect", "look",
                                                  "facts",      "probe",   "list"};

struct CallObserver {
  // Each may be null.
  std::function<void(const CallReport&)> call;
  std::function<void(Duration)> downtime;  // of a migration: how long the guest stood still
};

}  // namespace aliquot

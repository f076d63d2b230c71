// What an event of a VM means, given what we did to it. Pure: no libvirt, no thread. libvirt tells
// everybody everything, in no order that fits our calls: the end of a save is heard after the call
// returned, or before.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "policies/model/action.hpp"
#include "policies/model/event.hpp"

namespace aliquot {

enum class NodeEvent : std::uint8_t {
  started,
  migrated_here,
  paused,
  stopped_by_io_error,
  resumed,
  powered_off,  // by its guest
  destroyed,    // from outside
  crashed,      // the guest
  failed,       // the VM itself: QEMU is gone
  migrated_away,
  saved_away,
};

// The word of a VM's disappearance from a node that is our own doing.
enum class Departure : std::uint8_t { saved, migrated, arrival_failed };

struct Busy {
  Action action;
  OpId op;
};

// What we believe of one VM and what we are about to do to it.
struct VmExpectation {
  std::optional<OpId> pause_op;      // a release or suspension under way
  bool destroyed = false;            // by us: what is heard from now on is no news
  std::optional<bool> runs;          // as we wished or found it; none: not known
  std::optional<NodeId> where;       // as we put or found it
  std::optional<Busy> busy;          // the long action under way
  std::map<NodeId, Departure> left;  // nodes it left by our doing
};

void note_begin(VmExpectation& vm, const Action& action);
// `unclear`: it may still have happened.
void note_end(VmExpectation& vm, const Action& action, bool succeeded, bool unclear);
void note_found(VmExpectation& vm, NodeId node, VmFact fact);

// What must hold on the node for a foreign doing to be told.
enum class Proof : std::uint8_t { none, runs, is_paused, is_here, is_gone };
[[nodiscard]] bool proves(VmFact found, Proof proof);

struct EventMeaning {
  bool ended = false;   // the task is over
  std::string foreign;  // not empty: what somebody else did, if it can be proved
  Proof proof = Proof::none;
  std::string note;  // why it ended, if not by a power-off
};
[[nodiscard]] EventMeaning interpret(VmExpectation& vm, NodeId node, NodeEvent event);

}  // namespace aliquot

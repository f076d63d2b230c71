// Decides what a libvirt event about a VM means: the effect of our own action, the end of the task, or an
// operation by someone else. libvirt reports all three in the same way, and its events may arrive before or
// after our call has returned; this file therefore compares each event with the actions in progress. Pure:
// no libvirt, no thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "monitor/record/action.hpp"
#include "monitor/record/event.hpp"

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

// How a VM left a node by our own action.
enum class Departure : std::uint8_t { saved, migrated, arrival_failed, destroyed };

struct Busy {
  Action action;
  OpId op;
};

// The state that we expect one VM to be in, given the actions so far.
struct VmExpectation {
  std::optional<OpId> pause_op;  // a release or suspension in progress
  bool over =
      false;  // it has ended, or we have destroyed it: later events are no news, until it is restored
  std::optional<bool> runs;          // as we requested or found it; none: unknown
  std::optional<NodeId> where;       // as we placed or found it
  std::optional<NodeId> comes_to;    // a node to which another backend sends it, as was announced
  std::optional<Busy> busy;          // the create, restore, save, migration or checkpoint in progress
  std::map<NodeId, Departure> left;  // nodes that it left by our actions
};

void note_begin(VmExpectation& vm, const Action& action);
// `unclear`: the action failed with a timeout and may still take effect.
void note_end(VmExpectation& vm, const Action& action, bool succeeded, bool unclear);
void note_found(VmExpectation& vm, NodeId node, VmFact fact);
// Another backend sends it to this node.
void note_announced(VmExpectation& vm, NodeId node);

// What the node must confirm before a foreign operation is reported.
enum class Proof : std::uint8_t { none, runs, is_paused, is_here, is_gone };
[[nodiscard]] bool proves(VmFact found, Proof proof);

struct EventMeaning {
  bool ended = false;   // the task is over
  std::string foreign;  // not empty: what someone else did, if `proof` is confirmed
  Proof proof = Proof::none;
  std::string note;  // the reason of the end
  ForeignAct act = ForeignAct::other;
};
[[nodiscard]] EventMeaning interpret(VmExpectation& vm, NodeId node, NodeEvent event);

}  // namespace aliquot

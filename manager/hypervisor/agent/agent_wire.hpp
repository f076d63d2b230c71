// What a manager and a node's agent say to each other, as values, and their JSON (docs/agent-wire.md).
//
// A ZeroMQ message has a head, and for a packet with a message a second frame with it. Heads outside a
// session (hello, welcome, refused, unknown) open it or say why it cannot be; everything else goes in
// numbered packets (sequenced_link.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "manager/hypervisor/hypervisor.hpp"
#include "manager/hypervisor/node_hypervisor.hpp"
#include "manager/hypervisor/node_survey.hpp"
#include "monitor/calendar.hpp"
#include "policies/model/error.hpp"

namespace aliquot::agent {

// Raised when an older reader would misunderstand a message.
inline constexpr std::uint32_t kWireVersion = 8;
// Of the oldest manager that an agent serves, so that nodes can be upgraded before managers are: a manager
// is told nothing that is newer than what it asks.
inline constexpr std::uint32_t kOldestServed = 6;
inline constexpr std::size_t kMostBytes = 64U << 20;         // of a message
inline constexpr std::size_t kMostTasks = 1'000'000;         // of a job
inline constexpr Memory kLeastMemory = mebibytes(1);         // of a guest
inline constexpr Memory kMostMemory{std::int64_t{1} << 50};  // of a VM

// --- heads

// The epoch of one that makes the store of its cluster anew (manager/rebuild.hpp), and does not know how
// often the manager has been started. It holds the cluster's spool, so no manager runs.
inline constexpr std::uint64_t kStoreIsLost = 0;

// A manager begins a session. Agents run the node's VMs for one session at a time; one with a higher epoch
// of the same cluster takes its place, or one whose store is lost.
struct Hello {
  std::uint32_t version = kWireVersion;
  std::string session;  // chosen at random
  std::string cluster;  // the identity in the VMs' metadata
  std::uint64_t epoch = kStoreIsLost;
  NodeId node;  // the number of this agent's node among the cluster's nodes
  std::string name;
  std::int64_t speed_ppm = kMillion;  // of one core, against the reference core
  Memory max_output;
  Calendar calendar;
};
// The session is open.
struct Welcome {
  std::string session;
  std::string host;     // UUID of the machine; empty: not known
  std::string backend;  // "libxl", "libvirt"
  std::string version;  // of the agent's program
  bool saves = false;   // paused VMs go to a disk of the node (local_saves.hpp)
};
struct Refused {
  std::string session;
  Error why;
};
// The agent has no such session: it has started anew since, or another session took its place.
struct Unknown {
  std::string session;
};
struct Numbered {
  std::string session;
  std::uint64_t number = 0;
  std::uint64_t acknowledged = 0;
};
using Head = std::variant<Hello, Welcome, Refused, Unknown, Numbered>;

// --- messages of the manager

// Parts of one action, or several, on VMs of one job on this node.
struct Perform {
  std::vector<Action> actions;
  JobSpec spec;
};
struct Inspect {
  std::vector<VmQuery> queries;
};
// Calls NodeHypervisor::prepare_move(). This node is the source or the destination.
struct PrepareMove {
  VmMove move;
  JobSpec spec;
};
struct Forget {
  JobId job;
};
struct SetMaxOutput {
  Memory limit;
};
// Of a VM on this node. Has no answer: the samples say what its guest has.
struct SetBalloon {
  JobId job;
  std::uint32_t task = 0;
  std::uint32_t incarnation = 0;
  Memory memory;  // that its guest is to have
};
// Each is answered by one Answer with the same number.
enum class Subject : std::uint8_t {
  samples,         // the counters of the VMs
  facts,           // what the node is
  facts_tried,     // and what it can do, which is tried
  survey,          // which VMs are there
  destroy_orphan,  // `vm`
  clear,           // all VMs of the cluster are destroyed
};
struct Question {
  std::uint64_t number = 0;
  Subject subject = Subject::samples;
  std::string vm;  // its UUID
};
// Opens a terminal on a VM on this node. Answered as a question is; the terminal has this number then.
struct OpenTerminal {
  std::uint64_t number = 0;
  JobId job;
  std::uint32_t task = 0;
  std::uint32_t incarnation = 0;
};
// What there is of it, in this order.
struct ToTerminal {
  std::uint64_t terminal = 0;
  std::string typed{};  // not empty: goes to the guest
  bool reads = false;   // asks for the next output
  bool closes = false;  // nothing more is to be heard of it
};
using ToAgent = std::variant<Perform, Inspect, PrepareMove, Forget, SetMaxOutput, SetBalloon, Question,
                             OpenTerminal, ToTerminal>;

// --- messages of the agent

struct Happened {
  Event event;
};
// Counters of VMs that are about to leave the node.
struct Departed {
  std::vector<VmSample> samples;
};
struct Surveyed {
  NodeSurvey survey;
};
// Whether VMs of another cluster are there has changed.
struct HeldByOther {
  bool held = false;
};
// Of managers whose epoch is over, the agent has refused so many sessions and commands since it began. Said
// when that has changed.
struct EpochsRefused {
  std::uint64_t count = 0;
};
struct Answer {
  std::uint64_t number = 0;
  std::optional<Error> error;
  std::vector<VmSample> samples;
  std::optional<NodeFacts> facts;
  std::optional<NodeSurvey> survey;
  std::uint32_t count = 0;  // of VMs that were destroyed
};
struct FromTerminal {
  std::uint64_t terminal = 0;
  std::string output{};     // not empty: what the guest wrote
  std::uint32_t taken = 0;  // so many bytes of what was typed are on their way to the guest
  std::optional<std::string> end{};
};
using FromAgent =
    std::variant<Happened, Departed, Surveyed, HeldByOther, EpochsRefused, Answer, FromTerminal>;

[[nodiscard]] std::string encode(const Head& head);
[[nodiscard]] Result<Head> decode_head(std::string_view text);
[[nodiscard]] std::string encode(const ToAgent& message);
[[nodiscard]] Result<ToAgent> decode_to_agent(std::string_view text);
[[nodiscard]] std::string encode(const FromAgent& message);
[[nodiscard]] Result<FromAgent> decode_from_agent(std::string_view text);

}  // namespace aliquot::agent

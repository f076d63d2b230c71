// All settings of the manager: plain structs with defaults. Read once in main and passed down as arguments.
// config/aliquot.example.yaml lists every key with a comment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/account_grants.hpp"
#include "config/device_names.hpp"
#include "config/device_words.hpp"
#include "policies/model/account_terms.hpp"
#include "policies/model/ipv4.hpp"
#include "policies/model/job.hpp"
#include "policies/model/move_terms.hpp"
#include "policies/model/nfs_share.hpp"
#include "policies/model/time.hpp"
#include "policies/model/units.hpp"
#include "policies/needs/need_mode.hpp"
#include "policies/power/settings.hpp"

namespace aliquot {

struct NodeSettings {
  std::string name;
  std::string uri;          // by which the manager reaches the node: of libvirt, or agent://HOST:PORT
  std::string agent_key;    // public key of the agent, if `uri` is an agent's
  std::string migrate_uri;  // libvirt URI by which the other nodes reach it; empty: no live migration to it
  std::string address;      // IPv4, at which the other nodes reach it; for the networks of jobs
  Bandwidth bandwidth;      // of its network, for jobs that ask for some; 0: it is not counted
  HypervisorKind hypervisor = HypervisorKind::libvirt;  // a VM goes on only on nodes of its own kind
  bool local_saves = false;  // paused VMs are saved to a disk of the node, which its agent knows (--saves)
  std::uint32_t cores = 0;   // 0: ask the node
  std::int64_t speed_ppm = kMillion;  // of one core, against the reference core (key `speed`, a ratio)
  std::optional<Memory> memory;       // none: ask the node
  Memory reserve = mebibytes(512);    // for the host
  Cpu reserve_cores;                  // cores for the host: jobs do not get them
  std::vector<DeviceWord> devices;    // in the order of its slots
  // What it draws, where that is not what the settings of `power` say of all nodes.
  std::optional<power::Watts> idle_watts;
  std::optional<power::Watts> full_watts;
  std::optional<power::Watts> asleep_watts;
  std::optional<Duration> boot_time;  // none: power.boot_time
};

// `site`: of a node that does not say what it draws.
[[nodiscard]] inline power::NodeDraw draw_of(const NodeSettings& node, const power::NodeDraw& site) {
  return {node.idle_watts.value_or(site.idle), node.full_watts.value_or(site.full),
          node.asleep_watts.value_or(site.asleep)};
}

// Of a node that is reached through its agent: HOST:PORT; empty for others.
[[nodiscard]] inline std::string agent_address(const NodeSettings& node) {
  constexpr std::string_view scheme = "agent://";
  return node.uri.starts_with(scheme) ? node.uri.substr(scheme.size()) : "";
}

struct PolicySettings {
  std::string spec = "ALIQUOT";
  std::string mode = "auto";  // off | advise | auto
};

struct ApiSettings {
  std::string socket = "/run/aliquot/api.sock";     // ZeroMQ ROUTER over a local socket
  std::string events = "/run/aliquot/events.sock";  // ZeroMQ PUB
  std::uint32_t socket_mode = 0660;
  std::string socket_group;  // empty: the daemon's own
  std::vector<std::string> operators{
      "root"};                          // user names: may change policy and mode, and act on all jobs
  std::vector<std::string> submitters;  // user names: may submit; empty: all users that can connect
  std::vector<AccountGrant> accounts;   // empty: only operators charge accounts
  std::string privacy = "queue";        // open | queue | private: what users see of others' jobs
  Memory max_request = mebibytes(64);   // larger messages are refused unread
  std::string remote;                   // tcp://HOST:PORT, with CURVE only; empty: local clients only
  std::string remote_events;            // the same for the events; empty: remote clients ask for them
  std::uint32_t remote_rate = 50;       // requests per second of a key
};

struct HttpSettings {
  std::string host = "127.0.0.1";
  std::uint16_t port = 9750;
  std::string status_page = "on";  // on | off
};

struct HypervisorSettings {
  std::string acceleration = "kvm";       // kvm | emulation | auto: emulation if the KVM probe fails
  Duration cap_period{100'000};           // of the CPU bandwidth controller, 1 ms to 1 s
  Duration fast_deadline = seconds(10);   // caps, states, statistics
  Duration long_deadline = seconds(300);  // create, save, restore, migrate
  std::uint32_t long_lane = 2;            // long actions at once per node
  Memory vm_overhead = mebibytes(64);     // charged per VM beyond the guest's memory
  std::string guest_dir = "/usr/share/aliquot/guest";    // kernel, initrd and the hash-chain guest
  std::string agent_keys = "/etc/aliquot/manager.keys";  // by which agents of nodes know the manager
  std::string qemu_group = "auto";  // that QEMU runs as on the nodes; empty: as the manager's user
  std::string numa = "memory";      // off | memory | cells: what of a VM is bound to a NUMA cell
  Bandwidth migration_bandwidth;    // of each live migration, at most; 0: it is not limited
};

struct LimitSettings {
  std::uint32_t max_jobs = 100'000;                     // not counting ended jobs
  std::uint32_t max_tasks = 10'000;                     // of one job
  Memory max_output = mebibytes(16);                    // console of one task
  Memory max_stage_in = mebibytes(4 << 10);             // packed input files of one job, with its program
  Memory max_stage_in_per_user = mebibytes(100 << 10);  // of all jobs of a user, each content once
  Memory max_stage_out = mebibytes(64);                 // result files of one task
  Duration checkpoint;  // the most virtual time that a job may lose, if it does not say; 0: no checkpoints
  std::uint32_t requeue = 0;  // reruns of a job that does not say --requeue
};

// The networks of jobs (docs/network.md).
struct NetworkSettings {
  std::string jobs = "off";                 // off | on-request | parallel: which jobs have one
  Ipv4Network addresses{{0x0ad30000}, 16};  // of the VMs; every job has all of them
  std::uint32_t mtu = 1450;                 // of the VMs, in bytes: 50 less than between the nodes
  std::string site;                         // bridge on every node for --network site; empty: there is none
};

// Nodes that do not answer.
struct FencingSettings {
  Duration down_after = seconds(60);  // of silence; then the node is down
  // Switches a node off, or proves that it is off: called with the node's name as its last argument when a
  // node is down. Exit status 0: it is off. Empty: an operator confirms it.
  std::vector<std::string> command;
  Duration timeout = seconds(60);  // of the command
};

// Nodes that sleep (docs/power.md).
struct NodePowerSettings {
  power::PowerSettings policy{.rule = power::PowerRule::always_on, .switch_off = seconds(15)};
  // Called with the node's name as the last argument, to switch it off and on. Exit status 0: it is off; it
  // boots. No off_command: libvirt suspends the node.
  std::vector<std::string> off_command;
  std::vector<std::string> on_command;
  Duration command_timeout = seconds(60);
  Duration boot_limit = seconds(600);  // a node that has not booted by then is down
  // Called with the node's name as the last argument: its last line says what the node draws
  // (policies/power/meter_reading.hpp). Empty: nothing is measured, the watts of the settings count.
  std::vector<std::string> meter_command;
  Duration meter_interval = seconds(10);
};

// How many tasks a job gets that offers a range, and an application in place of a speed-up
// (docs/moldable.md).
struct MoldingSettings {
  std::string rule = "knowledge";  // least-stretch | knowledge | paper
  std::uint32_t entries = 1000;    // of the knowledge base
};

// Whether the CPU needs of jobs are learned (docs/needs.md).
struct NeedSettings {
  needs::NeedMode mode = needs::NeedMode::declared;  // of jobs that do not say --needs
  std::uint32_t most_probed = 5;           // so many hundredths of the running jobs may be probed at a time
  std::string memory = "declared";         // or "learned": what a job does not use is lent to others
  std::int64_t memory_kept_ppm = 750'000;  // of what it declares, that a job is always counted with
};

// Whether jobs are weighed by what their users have used of their shares (docs/fairness.md).
struct FairShareSettings {
  Duration half_life;  // in which half of what was used is forgotten; 0: no fair share
};

// Files that users name: kernels and initrds of submissions, and disk images for the image store.
struct FileSettings {
  std::vector<std::string> roots{"/usr/share/aliquot/guest"};  // directories that may hold such files
  Memory max_size = mebibytes(16 << 10);                       // of one kernel or initrd
};

// The image store, which stands in the spool.
struct ImageSettings {
  Memory max_size = mebibytes(20 << 10);       // of one image
  Memory max_per_user = mebibytes(100 << 10);  // of the images that one user has added
  Memory max_total = mebibytes(200 << 10);     // of all images, each content once
};

// What the spool keeps, beside the files of jobs that have not ended.
struct SpoolSettings {
  Duration keep = seconds(30 * 86'400);    // the output of an ended job
  Memory keep_size = mebibytes(10 << 10);  // of all ended jobs together
  Memory reserve = mebibytes(1 << 10);     // free space that saves and submissions leave
};

// Several managers of one cluster, one of which leads (docs/high-availability.md).
struct HaSettings {
  std::vector<std::string> endpoints;  // of etcd, http:// or https://; empty: there is one manager
  std::string ca;                      // certificates by which etcd is known; empty: those of the system
  std::string cert;                    // by which etcd knows the managers, with its key; empty: none
  std::string key;
  std::string prefix = "/aliquot";  // of the cluster's keys in etcd
  std::string name;                 // of this manager among them
  std::string address;              // where clients reach it
  Duration lease_ttl = seconds(3);  // without a renewal the leader is another
  bool defragment = true;           // the members of etcd, when more than half of a database is free
};

struct LogSettings {
  std::string level = "info";   // debug | info | warning | error
  std::string format = "text";  // text | json
  std::string journal;          // path of the JSONL export; empty: none
};

struct Settings {
  std::string cluster = "aliquot";
  std::string state_dir = "/var/lib/aliquot";
  std::string spool_dir = "/var/lib/aliquot/spool";  // on storage that all nodes share
  std::string reference_node;  // its CPU is 100 % of `submit --cpu P%`; empty: the first of `nodes`
  PolicySettings policy;
  ApiSettings api;
  HttpSettings http;
  HypervisorSettings hypervisor;
  LimitSettings limits;
  NetworkSettings network;
  FencingSettings fencing;
  MoveTerms moves;  // docs/operations.md
  NodePowerSettings power;
  MoldingSettings molding;
  NeedSettings needs;
  FileSettings files;
  ImageSettings images;
  SpoolSettings spool;
  HaSettings ha;
  LogSettings log;
  std::vector<DeviceName> device_models;  // model names of the hardware that libvirt finds
  std::vector<NfsShare> shares;           // directories of the site that jobs may have (docs/shares.md)
  std::vector<AccountTerms> accounts;     // a tree with shares and limits (docs/accounts.md)
  FairShareSettings fair_share;
  std::vector<NodeSettings> nodes;
};

}  // namespace aliquot

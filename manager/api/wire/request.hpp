// The requests of the job API as a closed set of types: the protocol decodes bytes into them
// (protocol.hpp), and the daemon answers them. Comments state the permissions; requests without such a
// comment are open to all users.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/settings.hpp"
#include "manager/api/wire/saved_plan.hpp"
#include "monitor/record/event.hpp"
#include "monitor/record/image.hpp"
#include "monitor/record/submission.hpp"

namespace aliquot {

// What the key of a remote client lets it do: never more than its user may on the manager's machine.
enum class KeyRole {
  local,      // no key: the client is on the manager's machine
  viewer,     // look, and read the output of its own jobs
  user,       // what a user may that is no operator
  operating,  // what its user may, as an operator too
  admin       // the same, and see and revoke keys
};

// The client, as identified by the kernel, or by its key.
struct Peer {
  std::uint32_t uid = 0;
  std::int32_t pid = 0;
  bool may_submit = false;
  bool is_operator = false;
  bool is_proved = false;  // by the ticket of its connection
  std::uint32_t gid = 65534;
  std::vector<std::uint32_t> groups{};  // supplementary
  KeyRole role = KeyRole::local;
  bool is_administrator = false;
  std::string key{};      // its name; empty: a local client
  std::string address{};  // of a remote client
};

struct Hello {};
// Submitters. The archive is a blob frame of the request, or a file that the manager copies with the rights
// of the user; in both cases it is named by its hash.
struct Submit {
  Submission submission;
  bool dry_run = false;
  std::string idempotency_key;
  std::string archive;                // of the client: its bytes; empty: none
  std::string archive_file;           // its path, if it is no blob
  std::uint64_t archive_bytes = 0;    // the size of the file; of the manager, also of the blob frame
  std::string network;                // "none", "job" or "site"; empty: as the site has it
  Bandwidth bandwidth;                // that a task may send, and receive, on its network; 0: not limited
  std::vector<std::string> shares{};  // names of directories of the site
  std::optional<std::int64_t> begin_unix_us{};  // which the manager translates into an Instant of its own
  std::string gpu_model;  // names, "V100|A100", which the manager translates into numbers; empty: any
};
// Submitters: several jobs, all of them or none. An archive is a blob frame, and that of every job that
// names one.
struct SubmitMany {
  std::vector<Submit> jobs;  // at most kMostTogether; none is a dry run, or brings an archive of its own
  std::string idempotency_key;
  std::string archive;              // of the client: its bytes; empty: none
  std::uint64_t archive_bytes = 0;  // of the manager: the size of the blob frame
};
inline constexpr std::size_t kMostTogether = 1000;
// An answer has a part of the jobs, and says where the next one begins.
struct List {
  bool all = false;  // ended jobs too
  std::uint32_t limit = 1000;
  std::optional<JobId> after{};         // of those that have not ended: only with larger numbers
  std::optional<JobId> ended_before{};  // only those that ended before this one
  std::optional<JobId> array{};         // the members of this array; none: all jobs but members
};
struct Show {
  JobId job;
  std::optional<std::uint32_t> index{};  // of an array: its member with this index
};
struct Why {
  JobId job;
};
struct Events {
  std::optional<JobId> job;
  std::uint64_t after = 0;
  std::uint32_t limit = 1000;
  std::optional<std::uint64_t>
      before{};  // the newest with smaller numbers, newest first, in place of `after`
};
// The owner of the job and operators: cancel, hold, release, requeue, set, evolve, logs.
struct Cancel {
  JobId job;
  IndexSet indices{};  // of an array: its members with these indices, made or not; none: all of it
};
struct Hold {
  JobId job;
};
struct ReleaseJob {
  JobId job;
};
struct Requeue {  // it is stopped, and starts anew from its beginning
  JobId job;
};
struct SetNeed {  // of a task of the job, while it runs too
  JobId job;
  Cpu need;
};
struct Evolve {  // the job is to have so many tasks
  JobId job;
  std::uint32_t tasks = 1;
  Duration in;  // from then on; 0: at once
};
struct Logs {
  JobId job;
  std::uint32_t task = 0;
  std::uint64_t offset = 0;
  std::uint32_t limit = 1 << 20;
  bool results = false;  // not what it has printed, but its result files, as its guest has sent them
};
// The owner of the job and operators: a terminal on a task that runs. The other three: the user who has
// opened it.
struct Attach {
  JobId job;
  std::uint32_t task = 0;
};
struct TerminalRead {
  std::uint64_t terminal = 0;
};
struct TerminalWrite {
  std::uint64_t terminal = 0;
  std::string bytes;  // at most kMostTypedAtOnce
};
struct TerminalClose {
  std::uint64_t terminal = 0;
};
inline constexpr std::size_t kMostTypedAtOnce = 4096;
// The totals of every account, or of one.
struct Accounts {
  std::optional<std::string> account;  // "": the jobs without an account
  std::uint32_t limit = 1000;
};
// The tree of accounts: shares, limits, what is used of them, and the fair share of their users.
struct AccountShow {
  std::optional<std::string> account;  // it and those below it; none: all
};
// What accounts, their users or their jobs were granted and have used in whole hours of UTC, counted from
// 1970 on.
enum class UsageBy : std::uint8_t { account, user, job };
inline constexpr std::array<std::string_view, 3> kUsageBy{"account", "user", "job"};
struct AccountUsage {
  std::int64_t first_hour = 0;
  std::int64_t end_hour = 0;  // the first one that is not asked for; later than first_hour
  UsageBy by = UsageBy::account;
  JobId after{};  // by job: those with larger numbers
};
inline constexpr std::int64_t kMostHoursOfUsage = 366 * 24;
// What finished runs have taught of moldable applications.
struct KnowledgeList {};
struct KnowledgeExport {};
struct KnowledgeImport {  // operators
  std::string csv;        // at most kMostKnowledge bytes
};
struct KnowledgeForget {  // operators
  std::string application;
  std::optional<std::uint64_t> problem_size;  // none: all of them
};
inline constexpr std::size_t kMostKnowledge = 200'000;
// What finished runs have taught of run times, by classes of jobs. Operators only: a class has the names of
// its jobs.
struct RunTimesList {};
struct RunTimesExport {};
struct RunTimesImport {  // in place of what is known
  std::string csv;       // at most kMostRunTimes bytes
};
struct RunTimesForget {  // all classes of one user
  std::uint32_t uid = 0;
};
inline constexpr std::size_t kMostRunTimes = 8'000'000;
struct ImageList {};
struct ImageShow {
  ImageName image;
};
// Submitters. The manager copies the file, read with the rights of the user.
struct ImageAdd {
  ImageName image;
  std::string file;
  bool uefi = false;
};
// Submitters, if they have added it, and operators.
struct ImageRemove {
  ImageName image;
};
struct NodeList {};
struct NodeShow {
  std::string node;
};
struct NodeProbe {
  std::string node;
};
// VMs of this cluster that no job knows.
struct NodeOrphans {};
struct PolicyShow {};
struct ModeShow {};
// What the policy would do now, without carrying it out. Operators, if it is to be of a changed cluster, or
// to be saved.
struct PlanShow {
  std::vector<std::string> what_if{};  // "node-down=n3", at most kMostAssumptions
  bool save = false;                   // the answer has the plan as PlanApply takes it
};
inline constexpr std::size_t kMostAssumptions = 16;
struct Status {};
struct MaintenanceList {};
struct MotdShow {};
// Of several managers: which leads, how far the others are behind, and how etcd is. A standby answers it,
// too.
struct HaStatus {};
// Operators only.
struct NodeReclaim {};  // destroys the orphans
struct PolicySet {
  std::string spec;
};
struct PolicyReset {};  // to what the configuration says, its period included
struct PeriodSet {
  Duration period;
};
struct ModeSet {
  Mode mode = Mode::automatic;
};
struct ModeReset {};
struct AccountSet {  // in place of what the configuration says of the account, until it is reset
  std::string account;
  std::optional<std::string> parent{};  // "": the account stands at the top
  std::optional<std::uint32_t> shares{};
  // What is named becomes that; none: it is not limited any more.
  std::map<LimitKind, std::optional<std::int64_t>> limits{};
  std::map<LimitKind, std::optional<std::int64_t>> each_user{};
  std::optional<Yield> min_yield{};  // 0: no reservation
  std::optional<Yield> max_yield{};  // 1: no limit
};
struct AccountReset {  // to what the configuration says
  std::string account;
};
struct PlanApply {  // carries out a saved plan, if what it rests on is as it was
  SavedPlan plan;
  bool dry_run = false;
};
struct NodeAdd {
  NodeSettings node;
  bool dry_run = false;
};
struct NodeRemove {
  std::string node;
  bool dry_run = false;
};
struct NodeRename {
  std::string node;
  std::string to;
  bool dry_run = false;
};
struct NodeAcceptHost {  // the host that answers under the node's name is the node from now on
  std::string node;
  bool dry_run = false;
};
// The node is off, says the operator: what becomes of its jobs is decided now. A dry run only tells.
struct NodeConfirmDown {
  std::string node;
  std::string why;
  bool dry_run = false;
};
struct NodeDrain {
  std::string node;
  DrainMode mode = DrainMode::migrate;
  std::optional<Duration> within;  // the deadline, from its begin
  bool dry_run = false;
  AfterDeadline then = AfterDeadline::save;
  std::optional<std::int64_t> at_unix_us{};  // when it begins; none: now
};
struct NodeResume {  // or withdraws the drain that is announced
  std::string node;
};
struct MaintenanceAdd {
  std::string name;
  std::vector<std::string> nodes;  // at most kMostNodesOfWindow
  std::int64_t from_unix_us = 0;
  std::int64_t to_unix_us = 0;
  Duration lead;
  DrainMode mode = DrainMode::migrate;
  AfterDeadline then = AfterDeadline::save;
  bool dry_run = false;
};
inline constexpr std::size_t kMostNodesOfWindow = 1000;
inline constexpr std::size_t kMostWindows = 1000;
inline constexpr Duration kUsualLead = seconds(1200);
struct MaintenanceRemove {  // the nodes that it drains are put back into service
  std::string name;
};
struct MotdSet {
  std::string text;  // at most kLongestMotd bytes, in lines, without other control characters
};
inline constexpr std::size_t kLongestMotd = 1000;
struct MotdClear {};
struct HaStepDown {};  // another manager is to lead
// Administrators: root and the manager's own user on the manager's machine; list and revoke also remote
// clients with a key of the role admin. The secret key stays with the client; so does a token, which is a
// key for HTTP.
struct KeyAdd {
  std::string name;
  std::string user;  // of the manager's machine
  KeyRole role = KeyRole::viewer;
  std::string public_key;                        // 64 hexadecimal digits; empty: it is a token
  std::optional<std::int64_t> expires_unix_s{};  // none: never; a token always expires
  std::string token_sha256{};                    // 64 hexadecimal digits; empty: it is no token
};
struct KeyList {};
struct KeyRevoke {
  std::string name;
};

using Request = std::variant<
    Hello, Submit, SubmitMany, List, Show, Why, Events, Cancel, Hold, ReleaseJob, Requeue, SetNeed, Evolve,
    Logs, Attach, TerminalRead, TerminalWrite, TerminalClose, Accounts, AccountShow, AccountUsage,
    AccountSet, AccountReset, KnowledgeList, KnowledgeExport, KnowledgeImport, KnowledgeForget,
    RunTimesList, RunTimesExport, RunTimesImport, RunTimesForget, ImageList, ImageShow, ImageAdd,
    ImageRemove, NodeList, NodeShow, NodeProbe, NodeOrphans, NodeReclaim, PolicyShow, ModeShow, PlanShow,
    PlanApply, Status, PolicySet, PolicyReset, PeriodSet, ModeSet, ModeReset, NodeAdd, NodeRemove,
    NodeRename, NodeAcceptHost, NodeConfirmDown, NodeDrain, NodeResume, MaintenanceAdd, MaintenanceList,
    MaintenanceRemove, MotdSet, MotdShow, MotdClear, HaStatus, HaStepDown, KeyAdd, KeyList, KeyRevoke>;

}  // namespace aliquot

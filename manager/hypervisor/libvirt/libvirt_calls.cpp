#include "manager/hypervisor/libvirt/libvirt_calls.hpp"

#include <libvirt/virterror.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <mutex>
#include <string_view>
#include <thread>

#include "manager/hypervisor/xml_text.hpp"

namespace aliquot {
namespace {

constexpr int kKeepaliveInterval = 2;
constexpr unsigned kKeepaliveCount = 3;
// A daemon refuses to be asked for more; QEMU's driver has twelve.
constexpr std::size_t kSchedulerParameters = 16;

class Parameters {
 public:
  Parameters() = default;
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;
  ~Parameters() { virTypedParamsFree(list_, count_); }

  void period(const char* name, Duration value) {
    virTypedParamsAddULLong(&list_, &count_, &room_, name, static_cast<unsigned long long>(value.raw));
  }
  void quota(const char* name, Duration value) {
    virTypedParamsAddLLong(&list_, &count_, &room_, name, value.raw);
  }
  void count(const char* name, std::uint64_t value) {
    virTypedParamsAddULLong(&list_, &count_, &room_, name, value);
  }
  void text(const char* name, const std::string& value) {
    virTypedParamsAddString(&list_, &count_, &room_, name, value.c_str());
  }
  [[nodiscard]] virTypedParameterPtr list() const { return list_; }
  [[nodiscard]] int count() const { return count_; }

 private:
  virTypedParameterPtr list_ = nullptr;
  int count_ = 0;
  int room_ = 0;
};

struct Kind {
  ErrorKind kind;
  const char* way_out;
};

Kind kind_of(const virError& error, bool connection_lost) {
  if (connection_lost) {
    return {ErrorKind::timeout, "the connection broke, what came of it is unclear until inspected"};
  }
  switch (error.code) {
    case VIR_ERR_NO_DOMAIN:
      return {ErrorKind::not_found, "the VM is not on this node: inspect it"};
    case VIR_ERR_DOM_EXIST:
      return {ErrorKind::conflict, "a domain of that name or UUID stands there: inspect it"};
    case VIR_ERR_OPERATION_ABORTED:
      return {ErrorKind::conflict, "it was given up on request"};
    case VIR_ERR_OPERATION_INVALID:
      return {ErrorKind::conflict, "the VM's state does not allow it: inspect it"};
    case VIR_ERR_OPERATION_TIMEOUT:
      return {ErrorKind::conflict, "another operation holds the VM: try again later"};
    case VIR_ERR_CONFIG_UNSUPPORTED:
    case VIR_ERR_NO_SUPPORT:
      return {ErrorKind::unsupported, "this node's libvirt or QEMU cannot do it: look at its version"};
    // Nothing has been started yet.
    case VIR_ERR_HOOK_SCRIPT_FAILED:
      return {ErrorKind::refused, "see docs/network.md, and docs/shares.md for shares"};
    case VIR_ERR_XML_ERROR:
    case VIR_ERR_XML_DETAIL:
    case VIR_ERR_INVALID_ARG:
      return {ErrorKind::invalid_argument, "correct the job's program or the node's settings"};
    default:
      return {ErrorKind::unavailable, "look at libvirtd's log there and at /var/log/libvirt/qemu"};
  }
}

// libvirt quotes the command of a hook with its environment; what the project's own hook said follows.
std::string reason_of(const virError& error) {
  std::string reason = error.message != nullptr ? error.message : "no reason given";
  constexpr std::string_view own = ": aliquot: ";
  const std::size_t at = reason.find(own);
  if (error.code != VIR_ERR_HOOK_SCRIPT_FAILED || at == std::string::npos) return reason;
  reason.erase(0, at + own.size());
  reason.erase(std::min(reason.find('\n'), reason.size()));
  return "the hook there refuses it: " + reason;
}

struct ErrorRelease {
  void operator()(virError* error) const { virFreeError(error); }
};

// Saves the error first: any further libvirt call, even for a name, would clear it.
Error described(const Connection& connection, const std::string& verb, const DomainHandle* domain) {
  const std::unique_ptr<virError, ErrorRelease> error(virSaveLastError());
  std::string text = "node " + connection.node() + ": " + verb;
  if (domain != nullptr) text.append(" ").append(name_of(*domain));
  if (!error) return {ErrorKind::internal, text};
  const bool lost = error->domain == VIR_FROM_RPC || error->code == VIR_ERR_RPC ||
                    error->code == VIR_ERR_NO_CONNECT || error->code == VIR_ERR_INVALID_CONN;
  const Kind kind = kind_of(*error, lost || !connection.alive());
  text.append(": ").append(reason_of(*error));
  return {kind.kind, text.append("; ").append(kind.way_out)};
}

tl::unexpected<Error> failed(const Connection& connection, const std::string& verb,
                             const DomainHandle& domain) {
  return tl::unexpected(described(connection, "cannot " + verb, &domain));
}

// Is it being saved, or migrated? Of a VM that a migration is just bringing, libvirt tells the state
// (paused), and refuses to tell the job: it may still be destroyed, and run on where it came from.
bool has_job(const DomainHandle& domain) {
  virDomainJobInfo job{};
  if (virDomainGetJobInfo(domain.get(), &job) == 0)
    return job.type == VIR_DOMAIN_JOB_BOUNDED || job.type == VIR_DOMAIN_JOB_UNBOUNDED;
  const virErrorPtr error = virGetLastError();
  return error != nullptr && error->code == VIR_ERR_OPERATION_UNSUPPORTED;
}

VmFact fact_of_state(int state) {
  switch (state) {
    case VIR_DOMAIN_RUNNING:
    case VIR_DOMAIN_BLOCKED:
      return VmFact::running;
    case VIR_DOMAIN_PAUSED:
    case VIR_DOMAIN_PMSUSPENDED:
      return VmFact::paused;
    default:
      return VmFact::unknown;
  }
}

Result<void> done_if(int status, const Connection& connection, const char* verb,
                     const DomainHandle& domain) {
  if (status < 0) return failed(connection, verb, domain);
  return {};
}

// Errors are returned, not written to stderr. And libvirt's client lets a write to a libvirtd that has just
// ended raise SIGPIPE, which would end the whole process; ignored, it is an error of that call.
void prepare_process() {
  virSetErrorFunc(nullptr, [](void*, virErrorPtr) {});
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace

Result<std::shared_ptr<Connection>> Connection::open(const std::string& node, const std::string& uri) {
  static std::once_flag once;
  std::call_once(once, prepare_process);
  const virConnectPtr connection = virConnectOpen(uri.c_str());
  if (connection == nullptr) {
    const virErrorPtr error = virGetLastError();
    return fail(ErrorKind::unavailable,
                "node " + node + ": cannot connect to " + uri + ": " +
                    (error != nullptr && error->message != nullptr ? error->message : "no reason given") +
                    "; is libvirtd running there?");
  }
  std::shared_ptr<Connection> open(new Connection(node, uri.find(":///") != std::string::npos, connection));
  // Drivers inside this process (test:///) have no wire to keep alive: not an error.
  virConnectSetKeepAlive(connection, kKeepaliveInterval, kKeepaliveCount);
  return open;
}

Connection::~Connection() { virConnectClose(connection_); }

Error libvirt_error(const Connection& connection, const std::string& what) {
  return described(connection, what, nullptr);
}

Result<DomainHandle> find_domain(const Connection& connection, const Uuid& uuid) {
  DomainHandle domain(virDomainLookupByUUID(connection.get(), uuid.data()));
  if (!domain) return tl::unexpected(libvirt_error(connection, "cannot find VM " + to_string(uuid)));
  return domain;
}

std::string name_of(const DomainHandle& domain) {
  const char* name = virDomainGetName(domain.get());
  return name != nullptr ? name : "a domain";
}

Result<VmFact> state_of(const Connection& connection, const DomainHandle& domain) {
  int state = 0;
  if (virDomainGetState(domain.get(), &state, nullptr, 0) < 0) {
    return failed(connection, "ask for the state of", domain);
  }
  return fact_of_state(state);
}

Result<VmFact> fact_of(const Connection& connection, const Uuid& uuid) {
  const auto domain = find_domain(connection, uuid);
  const auto state = domain ? state_of(connection, *domain) : tl::unexpected(domain.error());
  if (!state && state.error().kind == ErrorKind::not_found) return VmFact::absent;
  return state;
}

DomainControl control_of(const DomainHandle& domain) {
  constexpr Duration kPatience = seconds(3);
  constexpr std::chrono::milliseconds kBetween{50};
  constexpr int kTries = 80;  // another operation may follow the first
  virDomainControlInfo info{};
  for (int i = 0; i < kTries; ++i) {
    if (virDomainGetControlInfo(domain.get(), &info, 0) < 0) return {};
    if (info.state != VIR_DOMAIN_CONTROL_OCCUPIED) break;
    const Duration mute{static_cast<std::int64_t>(info.stateTime) * 1000};
    if (mute > kPatience) return {false, mute};
    std::this_thread::sleep_for(kBetween);
  }
  // Between two of its own QEMU queries libvirt does not report an operation that is still in progress.
  return {has_job(domain), {}};
}

Result<DomainHandle> create_paused(const Connection& connection, const std::string& xml) {
  DomainHandle domain(virDomainCreateXML(connection.get(), xml.c_str(), VIR_DOMAIN_START_PAUSED));
  if (!domain) return tl::unexpected(libvirt_error(connection, "cannot create a VM"));
  return domain;
}

Result<void> restore_paused(const Connection& connection, const std::string& image,
                            const std::string& xml) {
  const char* definition = xml.empty() ? nullptr : xml.c_str();
  if (virDomainRestoreFlags(connection.get(), image.c_str(), definition, VIR_DOMAIN_SAVE_PAUSED) < 0) {
    return tl::unexpected(libvirt_error(connection, "cannot restore " + image));
  }
  return {};
}

Result<void> resume(const Connection& connection, const DomainHandle& domain) {
  return done_if(virDomainResume(domain.get()), connection, "resume", domain);
}

Result<void> suspend(const Connection& connection, const DomainHandle& domain) {
  return done_if(virDomainSuspend(domain.get()), connection, "suspend", domain);
}

Result<void> press_power_button(const Connection& connection, const DomainHandle& domain) {
  return done_if(virDomainShutdownFlags(domain.get(), VIR_DOMAIN_SHUTDOWN_ACPI_POWER_BTN), connection,
                 "press the power button of", domain);
}

Result<void> set_caps(const Connection& connection, const DomainHandle& domain, CpuCap vcpus,
                      CpuCap emulator) {
  Parameters wanted;
  wanted.period(VIR_DOMAIN_SCHEDULER_VCPU_PERIOD, vcpus.period);
  wanted.quota(VIR_DOMAIN_SCHEDULER_VCPU_QUOTA, vcpus.quota);
  wanted.period(VIR_DOMAIN_SCHEDULER_EMULATOR_PERIOD, emulator.period);
  wanted.quota(VIR_DOMAIN_SCHEDULER_EMULATOR_QUOTA, emulator.quota);
  return done_if(virDomainSetSchedulerParametersFlags(domain.get(), wanted.list(), wanted.count(),
                                                      VIR_DOMAIN_AFFECT_LIVE),
                 connection, "cap", domain);
}

Result<CpuCap> vcpu_cap(const Connection& connection, const DomainHandle& domain) {
  std::vector<virTypedParameter> found(kSchedulerParameters);
  int count = static_cast<int>(found.size());
  if (virDomainGetSchedulerParametersFlags(domain.get(), found.data(), &count, VIR_DOMAIN_AFFECT_LIVE) <
      0) {
    return failed(connection, "read the cap of", domain);
  }
  unsigned long long period = 0;
  long long quota = 0;
  virTypedParamsGetULLong(found.data(), count, VIR_DOMAIN_SCHEDULER_VCPU_PERIOD, &period);
  virTypedParamsGetLLong(found.data(), count, VIR_DOMAIN_SCHEDULER_VCPU_QUOTA, &quota);
  return CpuCap{{static_cast<std::int64_t>(period)}, {quota}};
}

Result<void> save_to(const Connection& connection, const DomainHandle& domain, const std::string& image) {
  return done_if(virDomainSaveFlags(domain.get(), image.c_str(), nullptr, VIR_DOMAIN_SAVE_PAUSED),
                 connection, "save", domain);
}

Result<void> write_memory(const Connection& connection, const DomainHandle& domain, const std::string& file,
                          const std::string& disk) {
  std::string xml = "<domainsnapshot><memory snapshot='external' file=\"" + xml_escaped(file) + "\"/>";
  if (!disk.empty()) xml += "<disks><disk name=\"" + xml_escaped(disk) + "\" snapshot='no'/></disks>";
  xml += "</domainsnapshot>";
  const virDomainSnapshotPtr made = virDomainSnapshotCreateXML(
      domain.get(), xml.c_str(),
      VIR_DOMAIN_SNAPSHOT_CREATE_NO_METADATA | VIR_DOMAIN_SNAPSHOT_CREATE_ATOMIC);
  if (made == nullptr) return failed(connection, "write the memory of", domain);
  virDomainSnapshotFree(made);
  return {};
}

std::uint64_t mebibytes_a_second(Bandwidth bandwidth) {
  constexpr std::int64_t kBits = std::int64_t{8} << 20;
  return static_cast<std::uint64_t>((bandwidth.raw + kBits - 1) / kBits);
}

Result<void> migrate_to(const Connection& connection, const DomainHandle& domain,
                        const MigrationChoice& choice) {
  Parameters wishes;
  if (choice.bandwidth > Bandwidth{})
    wishes.count(VIR_MIGRATE_PARAM_BANDWIDTH, mebibytes_a_second(choice.bandwidth));
  if (!choice.xml.empty()) wishes.text(VIR_MIGRATE_PARAM_DEST_XML, choice.xml);
  unsigned flags = VIR_MIGRATE_PEER2PEER | VIR_MIGRATE_ABORT_ON_ERROR;
  if (choice.live) flags |= VIR_MIGRATE_LIVE;
  if (choice.disk_is_shared) flags |= VIR_MIGRATE_UNSAFE;
  return done_if(virDomainMigrateToURI3(domain.get(), choice.uri.c_str(), wishes.list(),
                                        static_cast<unsigned>(wishes.count()), flags),
                 connection, "migrate", domain);
}

std::optional<Duration> migration_downtime(const DomainHandle& domain) {
  int type = 0;
  int count = 0;
  virTypedParameterPtr params = nullptr;
  if (virDomainGetJobStats(domain.get(), &type, &params, &count, VIR_DOMAIN_JOB_STATS_COMPLETED) < 0)
    return std::nullopt;
  unsigned long long milliseconds = 0;
  const bool told = virTypedParamsGetULLong(params, count, VIR_DOMAIN_JOB_DOWNTIME, &milliseconds) == 1;
  virTypedParamsFree(params, count);
  if (!told) return std::nullopt;
  return Duration{static_cast<std::int64_t>(milliseconds) * 1000};
}

bool is_emulated(const DomainHandle& domain) {
  char* xml = virDomainGetXMLDesc(domain.get(), 0);
  const bool emulated = xml != nullptr && std::string_view(xml).starts_with("<domain type='qemu'");
  free(xml);
  return emulated;
}

Result<void> abort_job(const Connection& connection, const DomainHandle& domain) {
  return done_if(virDomainAbortJob(domain.get()), connection, "abort the operation on", domain);
}

Result<void> destroy(const Connection& connection, const DomainHandle& domain) {
  return done_if(virDomainDestroy(domain.get()), connection, "destroy", domain);
}

Result<std::string> host_uuid(const Connection& connection) {
  char* text = virConnectGetCapabilities(connection.get());
  if (text == nullptr) return tl::unexpected(libvirt_error(connection, "cannot tell which host it is"));
  const std::string_view xml(text);
  constexpr std::string_view kOpen = "<uuid>";
  // That of the host is the first; guests have none here.
  const auto begin = xml.find(kOpen);
  const auto end = xml.find("</uuid>");
  std::string uuid;
  if (begin != std::string_view::npos && end != std::string_view::npos && begin < end)
    uuid = xml.substr(begin + kOpen.size(), end - begin - kOpen.size());
  free(text);
  return uuid;
}

namespace {

Result<std::vector<DomainHandle>> active_domains(const Connection& connection) {
  virDomainPtr* list = nullptr;
  const int count = virConnectListAllDomains(connection.get(), &list, VIR_CONNECT_LIST_DOMAINS_ACTIVE);
  if (count < 0) return tl::unexpected(libvirt_error(connection, "cannot list its VMs"));
  std::vector<DomainHandle> domains;
  for (int i = 0; i < count; ++i) domains.emplace_back(list[i]);
  free(list);
  return domains;
}

// No value: not of this program. ErrorKind::not_found: gone meanwhile.
Result<std::optional<VmIdentity>> identity_of(const Connection& connection, const DomainHandle& domain) {
  char* element = virDomainGetMetadata(domain.get(), VIR_DOMAIN_METADATA_ELEMENT,
                                       std::string(kMetadataNamespace).c_str(), VIR_DOMAIN_AFFECT_LIVE);
  if (element == nullptr) {
    if (virGetLastErrorCode() == VIR_ERR_NO_DOMAIN_METADATA) return std::nullopt;
    return failed(connection, "read the metadata of", domain);
  }
  const auto identity = parse_metadata(element);
  free(element);
  return identity ? std::optional(*identity) : std::nullopt;
}

// The most CPU that a domain of so many vCPUs may use: each vCPU has a quota, or the whole domain, or
// neither.
Cpu cpu_limit(const DomainHandle& domain, std::int64_t vcpus) {
  std::int64_t limit = vcpus * kMillion;
  std::vector<virTypedParameter> found(kSchedulerParameters);
  int count = static_cast<int>(found.size());
  if (virDomainGetSchedulerParametersFlags(domain.get(), found.data(), &count, VIR_DOMAIN_AFFECT_LIVE) < 0)
    return {limit};
  const auto limit_by = [&](const char* period_name, const char* quota_name, std::int64_t times) {
    unsigned long long period = 0;
    long long quota = 0;
    virTypedParamsGetULLong(found.data(), count, period_name, &period);
    virTypedParamsGetLLong(found.data(), count, quota_name, &quota);
    constexpr long long kLongestQuota = 1'000'000'000'000;  // libvirt's "no limit" is longer
    if (period == 0 || quota <= 0 || quota > kLongestQuota) return;
    limit = std::min(limit, static_cast<std::int64_t>(Int128{quota} * times * kMillion / period));
  };
  limit_by(VIR_DOMAIN_SCHEDULER_VCPU_PERIOD, VIR_DOMAIN_SCHEDULER_VCPU_QUOTA, vcpus);
  limit_by(VIR_DOMAIN_SCHEDULER_GLOBAL_PERIOD, VIR_DOMAIN_SCHEDULER_GLOBAL_QUOTA, 1);
  return {limit};
}

// Without its identity. No value: gone meanwhile.
std::optional<FoundDomain> describe(const DomainHandle& domain) {
  virDomainInfo info{};
  if (virDomainGetInfo(domain.get(), &info) < 0) return std::nullopt;
  FoundDomain found{{}, {}, fact_of_state(info.state), name_of(domain), {}, {}};
  virDomainGetUUID(domain.get(), found.uuid.data());
  found.memory = {static_cast<std::int64_t>(info.maxMem) * 1024};
  found.cpu = cpu_limit(domain, info.nrVirtCpu);
  return found;
}

}  // namespace

Result<NodeSurvey> survey_node(const Connection& connection, const std::string& cluster) {
  const auto domains = active_domains(connection);
  if (!domains) return tl::unexpected(domains.error());
  NodeSurvey survey;
  for (const DomainHandle& domain : *domains) {
    auto found = describe(domain);
    if (!found) continue;
    const auto read = identity_of(connection, domain);
    if (!read && read.error().kind == ErrorKind::not_found) continue;
    if (!read) return tl::unexpected(read.error());
    const std::optional<VmIdentity>& identity = *read;
    if (!identity && found->name.starts_with(kProbeName)) continue;
    if (!identity) {
      ++survey.others.count;
      survey.others.memory += found->memory;
      survey.others.cpu += found->cpu;
    } else if (identity->cluster == cluster) {
      found->identity = *identity;
      survey.ours.push_back(std::move(*found));
    } else {
      survey.other_cluster = identity->cluster;
    }
  }
  return survey;
}

Result<std::vector<FoundDomain>> cluster_domains(const Connection& connection, const std::string& cluster) {
  return survey_node(connection, cluster).map([](NodeSurvey survey) { return std::move(survey.ours); });
}

}  // namespace aliquot

// libvirt's C interface with ownership and results: thin, blocking, no policy. Every error names the node
// and the domain and says what to do. A call whose connection broke under it is a timeout: what came of it
// is unclear. Deadlines are the business of the lanes (queue.hpp), for libvirt's calls know none.
#pragma once

#include <libvirt/libvirt.h>

#include <memory>
#include <string>
#include <vector>

#include "manager/hypervisor/libvirt/caps.hpp"
#include "manager/hypervisor/vm_identity.hpp"
#include "policies/model/error.hpp"
#include "policies/model/event.hpp"

namespace aliquot {

struct DomainRelease {
  void operator()(virDomain* domain) const { virDomainFree(domain); }
};
using DomainHandle = std::unique_ptr<virDomain, DomainRelease>;

// One connection to one node; closed with its last owner. Threads may share it.
class Connection {
 public:
  // Keepalive messages find out within 8 s that the other side is gone. The event loop must run already.
  [[nodiscard]] static Result<std::shared_ptr<Connection>> open(const std::string& node,
                                                                const std::string& uri);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] virConnectPtr get() const { return connection_; }
  [[nodiscard]] const std::string& node() const { return node_; }
  // Is the node this very machine, as far as the URI tells? "qemu:///system" and the like.
  [[nodiscard]] bool is_local() const { return local_; }
  [[nodiscard]] bool alive() const { return virConnectIsAlive(connection_) == 1; }

 private:
  Connection(std::string node, bool local, virConnectPtr connection)
      : node_(std::move(node)), local_(local), connection_(connection) {}
  std::string node_;
  bool local_;
  virConnectPtr connection_;
};

// This thread's last libvirt error as ours: "node n1: cannot save aliquot-1.0-1: ...".
[[nodiscard]] Error libvirt_error(const Connection& connection, const std::string& what);

// ErrorKind::not_found if the node has no such domain.
[[nodiscard]] Result<DomainHandle> find_domain(const Connection& connection, const Uuid& uuid);
[[nodiscard]] std::string name_of(const DomainHandle& domain);

// running, paused, or unknown while it comes up or shuts down.
[[nodiscard]] Result<VmFact> state_of(const Connection& connection, const DomainHandle& domain);
// The same by UUID; absent if the node has no such domain.
[[nodiscard]] Result<VmFact> fact_of(const Connection& connection, const Uuid& uuid);
// What a domain is at; told within seconds. Of a domain whose QEMU answers no question libvirt makes
// other calls wait for half a minute, and with them everything behind them in their queue.
struct DomainControl {
  bool busy = false;  // it is being saved or migrated, by us or by anybody
  Duration mute;      // for so long its QEMU has owed libvirt an answer; 0: for less than three seconds
};
[[nodiscard]] DomainControl control_of(const DomainHandle& domain);

[[nodiscard]] Result<DomainHandle> create_paused(const Connection& connection, const std::string& xml);
[[nodiscard]] Result<void> restore_paused(const Connection& connection, const std::string& image);
[[nodiscard]] Result<void> resume(const Connection& connection, const DomainHandle& domain);
[[nodiscard]] Result<void> suspend(const Connection& connection, const DomainHandle& domain);
[[nodiscard]] Result<void> set_caps(const Connection& connection, const DomainHandle& domain, CpuCap vcpus,
                                    CpuCap emulator);
[[nodiscard]] Result<CpuCap> vcpu_cap(const Connection& connection, const DomainHandle& domain);
[[nodiscard]] Result<void> save_to(const Connection& connection, const DomainHandle& domain,
                                   const std::string& image);
// The nodes do it between them, so that it survives the manager's death.
struct MigrationChoice {
  std::string uri;              // of the destination, as the source reaches it
  bool disk_is_shared = false;  // libvirt cannot know; the spool is shared by law
  bool live = true;             // else the VM stands still while its memory travels
};
[[nodiscard]] Result<void> migrate_to(const Connection& connection, const DomainHandle& domain,
                                      const MigrationChoice& choice);
// How long the guest stood still in the migration that has just brought it here; none: it is not told.
[[nodiscard]] std::optional<Duration> migration_downtime(const DomainHandle& domain);
// Is its processor emulated (QEMU's TCG)? False too where its node does not say.
[[nodiscard]] bool is_emulated(const DomainHandle& domain);
[[nodiscard]] Result<void> abort_job(const Connection& connection, const DomainHandle& domain);
[[nodiscard]] Result<void> destroy(const Connection& connection, const DomainHandle& domain);

struct FoundDomain {
  VmIdentity identity;
  Uuid uuid{};
  VmFact fact = VmFact::unknown;
};
// All running or paused domains of this cluster, by their metadata.
[[nodiscard]] Result<std::vector<FoundDomain>> cluster_domains(const Connection& connection,
                                                               const std::string& cluster);

}  // namespace aliquot

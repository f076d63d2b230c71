// A thin, blocking wrapper of libvirt's C interface with ownership and Result values. Every error names the
// node and the domain and says what to do. If the connection breaks during a call, the error is a timeout:
// the effect of the call is unclear. libvirt calls have no deadlines; call_queue.hpp adds them.
#pragma once

#include <libvirt/libvirt.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "manager/hypervisor/libvirt/caps.hpp"
#include "manager/hypervisor/node_survey.hpp"
#include "manager/hypervisor/vm_identity.hpp"
#include "monitor/record/event.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

struct DomainRelease {
  void operator()(virDomain* domain) const { virDomainFree(domain); }
};
using DomainHandle = std::unique_ptr<virDomain, DomainRelease>;

// One connection to one node; closed with its last owner. One thread at a time may make calls on it
// (connection_pool.hpp says why).
class Connection {
 public:
  // Keepalive messages detect a dead peer within 8 s. The event loop must be running already.
  [[nodiscard]] static Result<std::shared_ptr<Connection>> open(const std::string& node,
                                                                const std::string& uri);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] virConnectPtr get() const { return connection_; }
  [[nodiscard]] const std::string& node() const { return node_; }
  // Is the node this machine, according to the URI ("qemu:///system" and the like)?
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
// The control state of a domain; answered within seconds. If the QEMU of a domain does not answer, libvirt
// blocks other calls on that domain for half a minute, and with them the whole queue; so this is asked
// first.
struct DomainControl {
  bool busy = false;  // it is being saved or migrated, by us or by someone else
  Duration mute;      // for so long its QEMU has not answered libvirt; 0: less than three seconds
};
[[nodiscard]] DomainControl control_of(const DomainHandle& domain);

[[nodiscard]] Result<DomainHandle> create_paused(const Connection& connection, const std::string& xml);
// `xml`: its definition on this node; empty: that of the image.
[[nodiscard]] Result<void> restore_paused(const Connection& connection, const std::string& image,
                                          const std::string& xml);
[[nodiscard]] Result<void> resume(const Connection& connection, const DomainHandle& domain);
[[nodiscard]] Result<void> suspend(const Connection& connection, const DomainHandle& domain);
// What the guest does then is its own affair.
[[nodiscard]] Result<void> press_power_button(const Connection& connection, const DomainHandle& domain);
[[nodiscard]] Result<void> set_caps(const Connection& connection, const DomainHandle& domain, CpuCap vcpus,
                                    CpuCap emulator);
[[nodiscard]] Result<CpuCap> vcpu_cap(const Connection& connection, const DomainHandle& domain);
[[nodiscard]] Result<void> save_to(const Connection& connection, const DomainHandle& domain,
                                   const std::string& image);
// Writes the memory of the VM, which is paused and stays so, to a file that restore_paused() takes. Its
// disk `disk` (empty: it has none) is left alone.
[[nodiscard]] Result<void> write_memory(const Connection& connection, const DomainHandle& domain,
                                        const std::string& file, const std::string& disk);
// A peer-to-peer migration: the two nodes carry it out, so it survives a crash of the manager.
struct MigrationChoice {
  std::string uri;              // of the destination, as the source reaches it
  bool disk_is_shared = false;  // always true in the spool; libvirt cannot detect it
  bool live = true;             // false: the VM is paused while its memory is copied
  std::string xml{};            // its definition at the destination; empty: as here
  Bandwidth bandwidth{};        // at most; 0: it is not limited
};
// The same as libvirt counts it, rounded up.
[[nodiscard]] std::uint64_t mebibytes_a_second(Bandwidth bandwidth);
[[nodiscard]] Result<void> migrate_to(const Connection& connection, const DomainHandle& domain,
                                      const MigrationChoice& choice);
// The downtime of the guest in the migration that has just brought it here; none: unknown.
[[nodiscard]] std::optional<Duration> migration_downtime(const DomainHandle& domain);
// Is its processor emulated (QEMU's TCG)? False also if the node does not say.
[[nodiscard]] bool is_emulated(const DomainHandle& domain);
[[nodiscard]] Result<void> abort_job(const Connection& connection, const DomainHandle& domain);
[[nodiscard]] Result<void> destroy(const Connection& connection, const DomainHandle& domain);

// The UUID of the node's host, as libvirt reports it; empty: it reports none.
[[nodiscard]] Result<std::string> host_uuid(const Connection& connection);

// Of the guests that a node boots for some seconds to find out whether KVM works (acceleration.hpp). They
// stand within the node's reserve, and are not counted among other VMs.
inline constexpr std::string_view kProbeName = "aliquot-probe-";

// All running or paused domains of this cluster, by their metadata.
[[nodiscard]] Result<std::vector<FoundDomain>> cluster_domains(const Connection& connection,
                                                               const std::string& cluster);
// Of the running and paused domains of the node.
[[nodiscard]] Result<NodeSurvey> survey_node(const Connection& connection, const std::string& cluster);

}  // namespace aliquot

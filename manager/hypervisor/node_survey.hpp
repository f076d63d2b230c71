// Which VMs run on a node, as its last survey found them: those of this cluster by their metadata, those of
// another cluster, and those that another program has made; and which of this cluster it keeps saved. A
// value; free of libvirt's types.
#pragma once

#include <string>
#include <vector>

#include "manager/hypervisor/vm_identity.hpp"
#include "monitor/record/event.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

struct FoundDomain {
  VmIdentity identity;
  Uuid uuid{};
  VmFact fact = VmFact::unknown;
  std::string name;
  Memory memory;  // by its definition
  Cpu cpu;        // the most that it may use, in cores of the node
};

struct NodeSurvey {
  std::string other_cluster;      // whose VMs run on the node; empty: none do
  std::vector<FoundDomain> ours;  // whether a job knows them or not
  OtherVms others;                // of programs other than Aliquot; CPU in cores of the node
  // Whose memory is on a disk of the node, and nowhere else (local_saves.hpp). They hold neither memory nor
  // CPU. Only a survey that was asked for tells them.
  std::vector<VmIdentity> saved;
};

}  // namespace aliquot

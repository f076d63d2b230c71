// The one way to change a job's VMs: while an Edit lives its charges are off the nodes; when it goes they
// are put back, and all that is derived from the VMs is derived anew. Private to the cluster's sources.
#pragma once

#include "manager/core/cluster.hpp"

namespace aliquot {

class Cluster::Edit {
 public:
  Edit(Cluster& cluster, JobId id) : cluster_(cluster), id_(id) {
    cluster_.add_charges(cluster_.state_.records.at(id_), -1);
  }
  Edit(const Edit&) = delete;
  Edit& operator=(const Edit&) = delete;
  ~Edit() {
    cluster_.add_charges(cluster_.state_.records.at(id_), 1);
    cluster_.derive(id_);
  }

 private:
  Cluster& cluster_;
  JobId id_;
};

}  // namespace aliquot

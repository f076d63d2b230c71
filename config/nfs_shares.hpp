// The setting `shares`: directories of the site that jobs may have in their guests, one entry for each:
//
//   home=nfs1.example.org:/export/home:/home      the directory /export/home of that NFS server, at /home
//   data=10.0.0.7:/export/data:/data:ro           mounted read-only
//
// Parses text only; the nodes look the server up when a VM uses the share.
#pragma once

#include <string>
#include <vector>

#include "config/form.hpp"
#include "policies/model/nfs_share.hpp"

namespace aliquot {

inline constexpr std::size_t kMostShares = 16;

[[nodiscard]] Form<NfsShare> nfs_share();

// A fault in the list as a whole: two shares of one name or at one path, too many shares; empty: none.
[[nodiscard]] std::string fault_of(const std::vector<NfsShare>& shares);

}  // namespace aliquot

// A directory of the site on an NFS server that jobs may have in their guests (docs/shares.md). A job keeps
// what the configuration said of it when the job was submitted.
#pragma once

#include <string>

namespace aliquot {

struct NfsShare {
  std::string name;       // by which users ask for it
  std::string server;     // host name or IPv4 address, as the nodes know it
  std::string directory;  // absolute path on the server
  std::string path;       // absolute path in the guests
  bool read_only = false;
  friend bool operator==(const NfsShare&, const NfsShare&) = default;
};

}  // namespace aliquot

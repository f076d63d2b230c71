// The setting `device_models`: model names for hardware that libvirt finds, one entry for each kind of
// hardware:
//
//   A100=10de:20f1          PCI devices of this vendor and product
//   A100-1g=mdev:nvidia-474  mediated devices of this type
//
// A model may have several kinds of hardware, a kind has one model. Parses text only; the nodes are not
// asked.
#pragma once

#include <string>
#include <vector>

#include "config/form.hpp"

namespace aliquot {

struct DeviceName {
  std::string model;  // as jobs ask for it
  std::string sort;   // "10de:20f1", "mdev:nvidia-474"
  friend bool operator==(const DeviceName&, const DeviceName&) = default;
};

[[nodiscard]] Form<DeviceName> device_name();

// A fault in the list as a whole, such as a kind with two names; empty: none.
[[nodiscard]] std::string fault_of(const std::vector<DeviceName>& names);

}  // namespace aliquot

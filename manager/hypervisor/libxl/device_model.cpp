#include "manager/hypervisor/libxl/device_model.hpp"

#include <unistd.h>

namespace aliquot {

Result<std::string> device_model() {
  // Debian's package, and where Xen installs its own.
  for (const char* path : {"/usr/libexec/xen-qemu-system-i386", "/usr/libexec/xen/bin/qemu-system-i386",
                           "/usr/lib/xen/bin/qemu-system-i386"})
    if (::access(path, X_OK) == 0) return path;
  return fail(ErrorKind::unsupported, "QEMU for Xen is not installed (Debian: qemu-system-xen)");
}

}  // namespace aliquot

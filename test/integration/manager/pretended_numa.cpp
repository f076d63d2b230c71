// Preloaded into the libvirtd of a node that pretends to have several NUMA cells, and with it into its
// QEMU: the kernel knows one cell, and would refuse memory of the others (tools/localcluster up --numa).

extern "C" long mbind(void*, unsigned long, int, const unsigned long*, unsigned long, unsigned) noexcept {
  return 0;
}

extern "C" long set_mempolicy(int, const unsigned long*, unsigned long) noexcept { return 0; }

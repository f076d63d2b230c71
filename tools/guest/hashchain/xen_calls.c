#include "xen_calls.h"

enum { kPageBytes = 4096, kCallBytes = 32 };

/* Filled by Xen with the code of each hypercall. */
static uint8_t call_page[kPageBytes] __attribute__((aligned(4096)));

static void read_cpuid(uint32_t leaf, uint32_t registers[4]) {
  __asm__ volatile("cpuid"
                   : "=a"(registers[0]), "=b"(registers[1]), "=c"(registers[2]), "=d"(registers[3])
                   : "a"(leaf), "c"(0));
}

static int is_signature(const uint32_t registers[4]) {
  return registers[1] == 0x566E6558 && registers[2] == 0x65584D4D && registers[3] == 0x4D4D566E;
}

/* Xen's leaves (arch-x86/cpuid.h) begin at a multiple of 0x100 above 0x40000000, "XenVMMXenVMM" first; the
   third names the register that takes the address of the page. */
void xen_find(void) {
  uint32_t found[4];
  for (uint32_t leaf = 0x40000000; leaf < 0x40010000; leaf += 0x100) {
    read_cpuid(leaf, found);
    if (!is_signature(found)) continue;
    read_cpuid(leaf + 2, found);
    __asm__ volatile("wrmsr" ::"c"(found[1]), "a"((uint32_t)call_page), "d"(0) : "memory");
    return;
  }
}

static int32_t call(uint32_t number, uint32_t operation, void* argument) {
  int32_t result;
  __asm__ volatile("call *%[code]"
                   : "=a"(result), "+b"(operation), "+c"(argument)
                   : [code] "r"(call_page + number * kCallBytes)
                   : "memory", "cc");
  return result;
}

uint32_t xen_parameter(enum hvm_parameter which) {
  struct hvm_parameter_query query = {kSelf, 0, which, 0};
  call(kHvmCall, kGetParameter, &query);
  return (uint32_t)query.value;
}

void xen_notify(uint32_t port) {
  struct event_send event = {port};
  call(kEventChannelCall, kSend, &event);
}

void xen_yield(void) { call(kScheduleCall, kYield, 0); }

void xen_shut_down(enum shutdown_reason reason) {
  struct schedule_shutdown how = {reason};
  call(kScheduleCall, kShutDown, &how);
}

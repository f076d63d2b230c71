/* What the hash-chain guest uses of Xen's interface for guests, as 32-bit x86 sees it. The names before the
   comments are this guest's; the values and layouts are those of the headers named, xen/include/public/. */
#pragma once

#include <stdint.h>

/* xen.h: numbers of hypercalls, and the domain that makes them. */
enum { kScheduleCall = 29, kEventChannelCall = 32, kHvmCall = 34 };
enum { kSelf = 0x7FF0 };

/* sched.h */
enum { kYield = 0, kShutDown = 2 };
enum shutdown_reason { kPowerOff = 0, kSuspend = 2 };
struct schedule_shutdown {
  uint32_t reason;
};

/* event_channel.h */
enum { kSend = 4 };
struct event_send {
  uint32_t port;
};

/* hvm/hvm_op.h, hvm/params.h */
enum { kGetParameter = 1 };
enum hvm_parameter { kStorePage = 1, kStorePort = 2, kConsolePage = 17, kConsolePort = 18 };
struct hvm_parameter_query {
  uint16_t domain, padding;
  uint32_t index;
  uint64_t value;
};

/* arch-x86/hvm/start_info.h: its first fields. */
enum { kStartMagic = 0x336EC578 };
struct start_info {
  uint32_t magic, version, flags, modules;
  uint64_t module_list, command_line;
};

/* io/console.h. Of each ring one side moves `consumed`, the other `produced`; both only grow. */
struct console_page {
  char in[1024];
  char out[2048];
  uint32_t in_consumed, in_produced;
  uint32_t out_consumed, out_produced;
};

/* io/xs_wire.h */
struct store_page {
  char requests[1024];
  char replies[1024];
  uint32_t request_consumed, request_produced;
  uint32_t reply_consumed, reply_produced;
};
enum store_message {
  kStoreRead = 2,
  kStoreWatch = 4,
  kStoreBegin = 6,
  kStoreEnd = 7,
  kStoreWrite = 11,
  kStoreEvent = 15, /* of a watch: comes unasked */
  kStoreError = 16
};
struct store_header {
  uint32_t type, request, transaction, length;
};

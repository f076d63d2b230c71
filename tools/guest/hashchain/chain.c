/* The hash-chain guest: a task without an operating system, whose output proves on its own that nothing was
   lost, repeated or computed wrongly while its VM was paused, saved, restored or moved.

   Command line: total=BLOCKS unit=STEPS (total=0: for ever). Every line carries the whole state of the
   computation, so a verifier (tools/guest/chain.hpp) recomputes each from the one before. The chain, the
   lines and the status channel: docs/guest-contract.md. */
#include <stdint.h>

#include "platform.h"

/* Milliseconds of work, also on an emulated processor. */
enum { kStepsBetweenLooks = 1 << 16 };

static const struct platform* machine;
static int is_to_leave;

static void put_decimal(uint32_t value) {
  char digits[11];
  char* at = digits + 10;
  *at = 0;
  do {
    *--at = (char)('0' + value % 10);
    value /= 10;
  } while (value);
  machine->put_console(at);
}

static void put_hex(uint32_t value) {
  char digits[9];
  for (int i = 7; i >= 0; --i, value >>= 4) digits[i] = "0123456789abcdef"[value & 15];
  digits[8] = 0;
  machine->put_console(digits);
}

/* The number after `name` at the start of a word of the command line; 0 if there is none. */
static uint32_t number_after(const char* line, const char* name) {
  for (int word_start = 1; *line; word_start = *line++ == ' ') {
    int length = 0;
    while (name[length] && line[length] == name[length]) ++length;
    if (!word_start || name[length]) continue;
    uint32_t value = 0;
    for (line += length; *line >= '0' && *line <= '9'; ++line) value = value * 10 + (uint32_t)(*line - '0');
    return value;
  }
  return 0;
}

static uint32_t run_block(uint32_t h, uint32_t n, uint32_t unit) {
  for (uint32_t i = 0; i < unit;) {
    const uint32_t until = unit - i > kStepsBetweenLooks ? i + kStepsBetweenLooks : unit;
    for (; i < until; ++i) h = (h ^ (i + n)) * 16777619u;
    is_to_leave |= machine->attend();
  }
  return h;
}

void run_chain(const struct platform* platform, const char* command_line) {
  machine = platform;
  const uint32_t total = number_after(command_line, "total=");
  const uint32_t unit = number_after(command_line, "unit=");

  machine->put_status("aliquot-status 1 start\n");
  machine->put_console("MICRO start total=");
  put_decimal(total);
  machine->put_console("\n");

  uint32_t h = 2166136261u;
  for (uint32_t n = 0; !is_to_leave && (total == 0 || n < total);) {
    h = run_block(h, n, unit);
    ++n;
    machine->put_console("MICRO n=");
    put_decimal(n);
    machine->put_console(" h=");
    put_hex(h);
    machine->put_console("\n");
  }

  machine->put_console(is_to_leave ? "MICRO left\n" : "MICRO done\n");
  machine->put_status("aliquot-status 1 exit 0\n");
  machine->power_off();
}

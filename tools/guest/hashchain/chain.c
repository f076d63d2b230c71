/* The hash-chain guest: a task without an operating system, whose output proves on its own that nothing was
   lost, repeated or computed wrongly while its VM was paused, saved, restored or moved.

   Command line: total=BLOCKS unit=STEPS (total=0: for ever). Every line carries the whole state of the
   computation, so a verifier (tools/guest/chain.hpp) recomputes each from the one before. The chain, the
   lines and the status channel: docs/guest-contract.md. Runs on a PC with two serial ports and the power
   port of QEMU's PIIX4 and ICH9. */
#include <stdint.h>

enum {
  kConsole = 0x3F8,   /* COM1 */
  kStatus = 0x2F8,    /* COM2 */
  kLineStatus = 5,    /* register of a serial port */
  kCanTake = 0x20,    /* its bit: the port takes a byte */
  kPowerPort = 0x604, /* ACPI PM1a control where QEMU's firmware puts it */
  kSoftOff = 0x2000   /* sleep enable, sleep type 0 = S5 */
};

static inline void write_byte(uint16_t port, uint8_t value) {
  __asm__ volatile("outb %0, %1" ::"a"(value), "Nd"(port));
}

static inline uint8_t read_byte(uint16_t port) {
  uint8_t value;
  __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
  return value;
}

static void put_text(uint16_t port, const char* text) {
  for (; *text; ++text) {
    while (!(read_byte(port + kLineStatus) & kCanTake)) {
    }
    write_byte(port, (uint8_t)*text);
  }
}

static void put_decimal(uint16_t port, uint32_t value) {
  char digits[11];
  char* at = digits + 10;
  *at = 0;
  do {
    *--at = (char)('0' + value % 10);
    value /= 10;
  } while (value);
  put_text(port, at);
}

static void put_hex(uint16_t port, uint32_t value) {
  char digits[9];
  for (int i = 7; i >= 0; --i, value >>= 4) digits[i] = "0123456789abcdef"[value & 15];
  digits[8] = 0;
  put_text(port, digits);
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

struct multiboot_information {
  uint32_t flags, memory_lower, memory_upper, boot_device, command_line;
};

void chain_main(const struct multiboot_information* boot) {
  const char* line = boot->flags & 4 ? (const char*)boot->command_line : "";
  const uint32_t total = number_after(line, "total=");
  const uint32_t unit = number_after(line, "unit=");

  put_text(kStatus, "aliquot-status 1 start\n");
  put_text(kConsole, "MICRO start total=");
  put_decimal(kConsole, total);
  put_text(kConsole, "\n");

  uint32_t h = 2166136261u;
  for (uint32_t n = 0; total == 0 || n < total;) {
    for (uint32_t i = 0; i < unit; ++i) h = (h ^ (i + n)) * 16777619u;
    ++n;
    put_text(kConsole, "MICRO n=");
    put_decimal(kConsole, n);
    put_text(kConsole, " h=");
    put_hex(kConsole, h);
    put_text(kConsole, "\n");
  }

  put_text(kConsole, "MICRO done\n");
  put_text(kStatus, "aliquot-status 1 exit 0\n");
  __asm__ volatile("outw %0, %1" ::"a"((uint16_t)kSoftOff), "Nd"((uint16_t)kPowerPort));
}

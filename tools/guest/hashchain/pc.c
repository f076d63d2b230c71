/* A PC with two serial ports and the power port of QEMU's PIIX4 and ICH9, started by a multiboot loader.
   Its hypervisor saves it without its help. */
#include <stdint.h>

#include "platform.h"

enum {
  kConsole = 0x3F8,     /* COM1 */
  kStatus = 0x2F8,      /* COM2 */
  kLineStatus = 5,      /* register of a serial port */
  kCanTake = 0x20,      /* its bit: the port takes a byte */
  kPowerEvents = 0x600, /* ACPI PM1a status where QEMU's firmware puts it, */
  kPowerEnable = 0x602, /* which events it shows, */
  kPowerPort = 0x604,   /* and PM1a control */
  kPowerButton = 0x100, /* bit of the first two */
  kSoftOff = 0x2000     /* sleep enable, sleep type 0 = S5 */
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

static void put_console(const char* text) { put_text(kConsole, text); }

static void put_status(const char* line) { put_text(kStatus, line); }

static inline void write_word(uint16_t port, uint16_t value) {
  __asm__ volatile("outw %0, %1" ::"a"(value), "Nd"(port));
}

static inline uint16_t read_word(uint16_t port) {
  uint16_t value;
  __asm__ volatile("inw %1, %0" : "=a"(value) : "Nd"(port));
  return value;
}

/* Its power button has been pressed: the notice of a task that is to leave its job. */
static int attend(void) { return (read_word(kPowerEvents) & kPowerButton) != 0; }

static void power_off(void) { write_word(kPowerPort, kSoftOff); }

/* Multiboot Specification 0.6.96, 3.3: its first fields. */
struct multiboot_information {
  uint32_t flags, memory_lower, memory_upper, boot_device, command_line;
};

void run_on_pc(const struct multiboot_information* boot) {
  static const struct platform kPc = {put_console, put_status, attend, power_off};
  const uint32_t kHasCommandLine = 4;
  write_word(kPowerEnable, kPowerButton);
  run_chain(&kPc, boot->flags & kHasCommandLine ? (const char*)boot->command_line : "");
}

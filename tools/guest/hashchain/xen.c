/* A Xen PVH domain: its console and xenstore are rings in two pages of its memory that programs of the host
   serve. It takes part in its own saves, as Xen's toolstack expects of every PVH guest
   (xen/docs/misc/xenstore-paths.pandoc, ~/control). */
#include <stdint.h>

#include "platform.h"
#include "xen_calls.h"
#include "xenstore.h"

static const char kRequestKey[] = "control/shutdown";
static const char kListensKey[] = "control/feature-suspend";
static const char kStatusKey[] = "data/aliquot-status";

static volatile struct console_page* console;
static uint32_t console_port;

static int is_equal(const char* one, const char* other) {
  while (*one && *one == *other) ++one, ++other;
  return *one == *other;
}

static void await_console(uint32_t most_unread) {
  while (console->out_produced - console->out_consumed > most_unread) {
    xen_notify(console_port);
    xen_yield();
  }
}

static void put_console(const char* text) {
  for (; *text; ++text) {
    await_console(sizeof console->out - 1);
    console->out[console->out_produced % sizeof console->out] = *text;
    ++console->out_produced;
  }
  xen_notify(console_port);
}

static void put_status(const char* line) { store_write(0, kStatusKey, line); }

/* At the start and after a suspension. A restored domain has empty rings and is unknown to xenstore; one
   whose save was cancelled has everything as it was, and what follows changes nothing. */
static void connect(void) {
  xen_find();
  console = (volatile struct console_page*)(xen_parameter(kConsolePage) << 12);
  console_port = xen_parameter(kConsolePort);
  store_connect((volatile struct store_page*)(xen_parameter(kStorePage) << 12), xen_parameter(kStorePort));
  store_watch(kRequestKey);
  store_write(0, kListensKey, "1");
}

/* Takes the request out of xenstore, unless it is none or has just been withdrawn. */
static int accepts(const char* request) {
  int is_wanted, is_taken;
  do {
    char value[16];
    const uint32_t transaction = store_begin();
    store_read(transaction, kRequestKey, value, sizeof value);
    is_wanted = is_equal(value, request);
    if (is_wanted) store_write(transaction, kRequestKey, "");
    is_taken = store_end(transaction);
  } while (!is_taken);
  return is_wanted;
}

static void power_off(void) {
  await_console(0);
  xen_shut_down(kPowerOff);
}

/* What stands in the console's ring is not in a memory image. */
static int attend(void) {
  if (!store_has_news()) return 0;
  store_forget_news();
  await_console(0);
  if (accepts("poweroff")) return 1;
  if (!accepts("suspend")) return 0;
  xen_shut_down(kSuspend);
  connect();
  return 0;
}

void run_on_xen(const struct start_info* start) {
  static const struct platform kXen = {put_console, put_status, attend, power_off};
  if (start->magic != kStartMagic) return;
  connect();
  run_chain(&kXen, (const char*)(uint32_t)start->command_line);
}

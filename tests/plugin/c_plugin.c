/* A whole plugin in C99: one rank, and nobody to wait for. */

#include <muster/plugin.h>
#include <stdio.h>
#include <string.h>

static int one_only(const struct muster_plugin_start* start, struct muster_plugin_world* world,
                    struct muster_plugin_error* error) {
  if (start->ranks > 1) {
    snprintf(error->what, error->what_bytes, "size is %u, expected 1", (unsigned)start->ranks);
    snprintf(error->advice, error->advice_bytes, "use another plugin");
    error->exit_code = 3;
    return 1; /* invalid_argument */
  }
  world->session = NULL;
  world->group = NULL;
  world->rank = 0;
  world->ranks = 1;
  world->incarnation = 1;
  world->capabilities = MUSTER_PLUGIN_EXCHANGE | MUSTER_PLUGIN_BOUNDED;
  return 0;
}

static int leave(void* session, uint64_t deadline_ns, struct muster_plugin_error* error) {
  (void)session, (void)deadline_ns, (void)error;
  return 0;
}

static int exchange(void* group, const struct muster_plugin_call* call,
                    const struct muster_plugin_sink* sink, struct muster_plugin_error* error) {
  (void)group, (void)error;
  if (call->kind != MUSTER_PLUGIN_KIND_BARRIER) sink->parts(sink->context, call->payloads, 1);
  return 0;
}

static const struct muster_plugin table = {
    .version = MUSTER_PLUGIN_VERSION,
    .size = sizeof(struct muster_plugin),
    .name = "one rank",
    .capabilities = MUSTER_PLUGIN_EXCHANGE | MUSTER_PLUGIN_BOUNDED,
    .init = one_only,
    .finalize = leave,
    .exchange = exchange,
};

extern __attribute__((visibility("default"))) const struct muster_plugin* muster_plugin_get(
    uint32_t host_version);
const struct muster_plugin* muster_plugin_get(uint32_t host_version) {
  return host_version == MUSTER_PLUGIN_VERSION ? &table : NULL;
}

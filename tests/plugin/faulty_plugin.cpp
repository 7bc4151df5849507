// A plugin of one rank with at most one fault, which the build chooses (FAULT_*).

#include <cstring>
#include <stdexcept>

#include <muster/plugin.h>

namespace {

int init(const muster_plugin_start*, muster_plugin_world* world, muster_plugin_error*) {
  world->rank = 0;
  world->ranks = 1;
  world->incarnation = 7;
  world->capabilities = MUSTER_PLUGIN_ALLGATHER;
  return 0;
}

int finalize(void*, std::uint64_t, muster_plugin_error*) {
  return 0;
}

int allgather(void*, const void* mine, std::size_t bytes, void* all, std::uint64_t,
              muster_plugin_error*) {
  std::memcpy(all, mine, bytes);
  return 0;
}

muster_plugin make_table() {
  muster_plugin table{};
  table.version = MUSTER_PLUGIN_VERSION;
  table.size = sizeof(table);
  table.name = "faulty";
  table.capabilities = MUSTER_PLUGIN_ALLGATHER;
  table.init = init;
  table.finalize = finalize;
  table.allgather = allgather;
#if defined(FAULT_OLD)
  table.version = 0;
#elif defined(FAULT_NEW)
  table.version = MUSTER_PLUGIN_VERSION + 1;
#elif defined(FAULT_SMALL)
  table.size = sizeof(table) - 8;
#elif defined(FAULT_NO_INIT)
  table.init = nullptr;
#elif defined(FAULT_LIES)
  table.capabilities |= MUSTER_PLUGIN_EXCHANGE;
#elif defined(FAULT_BITS)
  table.capabilities |= std::uint64_t{1} << 40;
#elif defined(FAULT_NOTHING)
  table.capabilities = 0;
#endif
  return table;
}

}  // namespace

#if defined(FAULT_NO_ENTRY)
extern "C" __attribute__((visibility("default"))) const muster_plugin* muster_plugin_other() {
  static const muster_plugin table = make_table();
  return &table;
}
#else
extern "C" __attribute__((visibility("default"))) const muster_plugin* muster_plugin_get(
    [[maybe_unused]] std::uint32_t host_version) {
#if defined(FAULT_NO_TABLE)
  return nullptr;
#elif defined(FAULT_THROWS)
  throw std::runtime_error("no licence");
#endif
  static const muster_plugin table = make_table();
  return &table;
}
#endif

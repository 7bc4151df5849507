#include "cli/variables_table.hpp"

namespace muster::cli {
namespace {

// All end by themselves: a server that cannot say where it is ends.
constexpr const char* join = "exec $hello";
constexpr const char* join_activated = "LISTEN_PID=$$ exec $hello";
constexpr const char* serve = "exec $muster serve tcp://127.0.0.1:0 >/dev/full";
constexpr const char* serve_activated = "LISTEN_PID=$$ exec $muster serve >/dev/full";
constexpr const char* uid = "exec $muster uid --local >/dev/full";
constexpr const char* uid_anywhere = "exec $muster uid --session-id 127.0.0.1:0 >/dev/full";
constexpr const char* run = "exec $muster run -n 1 -- true";
constexpr const char* status = "exec $muster status --timeout 0.01";

const Variables alone{
    {"MUSTER_URL", "unix://$home/sock"}, {"MUSTER_RANK", "0"}, {"MUSTER_SIZE", "1"}};

Variables alone_with(Variables more) {
  more.merge(Variables(alone));
  return more;
}

const char* const a_file = "expected the path of a file";
const char* const a_private_file = "mode 0600 or 0400";
const char* const a_descriptor = "expected the number of an open descriptor";
const char* const some_seconds = "expected seconds, more than 0 and at most 3888000";
const char* const some_ports = "expected first:last";
const char* const a_number = "expected a whole number, 0 or more";
const char* const a_size = "expected 1 to 1000000";

/// A rank and a size, of a launcher that sets them together.
void add_launcher(std::vector<Row>& rows, const char* rank, const char* size, Variables more) {
  more.merge(Variables{{rank, "0"}, {size, "1"}});
  rows.push_back({rank, join, more, {{"x", a_number}, {"1", "expected less than"}}});
  rows.push_back({size, join, more, {{"x", a_number}, {"0", a_size}, {"1000001", a_size}}});
}

}  // namespace

std::vector<Row> of_joining() {
  const std::vector<Wrong> no_url{{"nonsense", "expected tcp://HOST:PORT"},
                                  {"tcp://a:65536", "1 to 65535"}};
  const std::vector<Wrong> no_time{
      {"soon", some_seconds}, {"0", some_seconds}, {"-1", some_seconds}, {"3888001", some_seconds}};
  const std::vector<Wrong> no_job{{"-a b", "1 to 64 characters"}};
  const std::vector<Wrong> no_epoch{{"beef", "64 characters of 0-9a-f"}};
  const std::vector<Wrong> no_beat{{"often", "expected 0.01 to 3600 seconds"},
                                   {"0.009", "expected 0.01 to 3600 seconds"},
                                   {"3601", "expected 0.01 to 3600 seconds"}};
  const std::vector<Wrong> no_loss{{"panic", "expected fail_job or notify"}};
  const std::vector<Wrong> no_range{
      {"29400", some_ports}, {"0:9", some_ports}, {"9:65536", some_ports}, {"9:8", some_ports}};
  const std::vector<Wrong> no_level{{"loud", "expected error, warning, info or debug"}};
  const std::vector<Wrong> no_place{{"http://a/b", "expected a host or host:port"},
                                    {"a:0", "expected a host or host:port"}};
  return {
      {"MUSTER_URL", join, alone, no_url},
      {"MUSTER_URL", status, {}, no_url},
      {"MUSTER_RANK", join, alone, {{"first", "expected 0 to 999999, or any"}, {"1", "less than"}}},
      {"MUSTER_SIZE", join, alone, {{"all", a_size}, {"0", a_size}, {"1000001", a_size}}},
      {"MUSTER_SERVE", join, alone, {{"me", "expected rank0 or external"}}},
      {"MUSTER_JOB", join, alone, no_job},
      {"MUSTER_JOB", run, {}, no_job},
      {"MUSTER_JOB", uid, {}, no_job},
      {"MUSTER_INCARNATION", join, alone, {{"1", "16 characters of 0-9a-f"}}},
      {"MUSTER_EPOCH", join, alone, no_epoch},
      {"MUSTER_EPOCH", serve, {}, no_epoch},
      {"MUSTER_JOIN_TIMEOUT", join, alone, no_time},
      {"MUSTER_OP_TIMEOUT", join, alone, no_time},
      {"MUSTER_HEARTBEAT", join, alone, no_beat},
      {"MUSTER_HEARTBEAT", serve, {}, no_beat},
      {"MUSTER_ON_LOSS", join, alone, no_loss},
      {"MUSTER_ON_LOSS", uid, {}, no_loss},
      {"MUSTER_PORT_RANGE", join, alone, no_range},
      {"MUSTER_PORT_RANGE", uid, {}, no_range},
      {"SHMEM_INSTANCE_PORT_RANGE", join, alone, no_range},
      {"SHMEM_INSTANCE_PORT_RANGE", uid, {}, no_range},
      {"MUSTER_ADVERTISE", join, alone_with({{"MUSTER_URL", "tcp://127.0.0.1:0"}}), no_place},
      {"MUSTER_ADVERTISE", serve, {}, no_place},
      {"MUSTER_ADVERTISE", uid, {}, no_place},
      {"MUSTER_LOG", join, alone, no_level},
      {"MUSTER_LOG", run, {}, no_level},
      {"MUSTER_LISTEN_FD",
       join,
       alone,
       {{"socket", a_number}, {"2", "3 or more"}, {"777", "listening stream socket"}}},
      {"LISTEN_FDS",
       join_activated,
       alone,
       {{"some", "expected a count"}, {"2", "pass one"}, {"-1", "expected a count"}}},
      {"LISTEN_FDS", serve_activated, {}, {{"some", "expected a count"}, {"2", "pass one"}}},
      {"LISTEN_PID",
       join,
       alone_with({{"LISTEN_FDS", "1"}}),
       {{"mine", "expected a process's number"}}},
      {"MUSTER_PLUGIN",
       join,
       {},
       {{"M P I", "expected 1 to 64 of a-z 0-9 _ -"}, {"/none/x.so", "say its path"}}},
      {"MUSTER_PLUGIN_PATH", join, {{"MUSTER_PLUGIN", "absent"}}, {{"/none", "name its folder"}}},
  };
}

std::vector<Row> of_secrets() {
  const Variables elsewhere{{"MUSTER_RANK", "0"}, {"MUSTER_SIZE", "1"}};
  const std::vector<Wrong> no_private_file{
      {"/none/x", a_file}, {"/dev/zero", a_private_file}, {"/tmp", a_private_file}};
  const std::vector<Wrong> no_fd{{"x", a_descriptor},
                                 {"1", a_descriptor},
                                 {"777", "Bad file descriptor"},
                                 {"99999999999", a_descriptor}};
  const std::vector<Wrong> no_secret{{"too short to be one", "32 to 1024"}};
  const std::vector<Wrong> no_security{{"best", "expected automatic, none, secret or tls"}};
  const std::vector<Wrong> no_id{{"muster1:00ff00", "copy all of it again"},
                                 {"nonsense, not to be shown", "expected muster1:"}};
  std::vector<Row> rows;
  for (const char* command : {join, serve}) {
    const Variables around = command == join ? alone : Variables{};
    rows.push_back({"MUSTER_SECURITY", command, around, no_security});
    rows.push_back({"MUSTER_SECRET_FILE", command, around, no_private_file});
    rows.push_back({"MUSTER_SECRET_FD", command, around, no_fd, a_descriptor});
    rows.push_back({"MUSTER_SECRET", command, around, no_secret, nullptr, true});
  }
  for (const char* command : {join, status}) {
    const Variables around = command == join ? elsewhere : Variables{};
    rows.push_back({"MUSTER_UID_FILE", command, around, no_private_file});
    rows.push_back({"MUSTER_UID_FD", command, around, no_fd});
    rows.push_back({"MUSTER_UID", command, around, no_id, "expected muster1:", true});
  }
  return rows;
}

std::vector<Row> of_certificates(support::TestCa& ca) {
  const Certificates files = ca.issue({.password = "not to be guessed"});
  const Variables all{{"MUSTER_TLS_CERT", files.certificate_file},
                      {"MUSTER_TLS_KEY", files.key_file},
                      {"MUSTER_TLS_CA", files.ca_file},
                      {"MUSTER_TLS_KEY_PASSWORD_FILE", "$home/password"}};
  const std::vector<Wrong> no_file{
      {"/none/x", a_file}, {"/dev/zero", a_file}, {"$home/password", "-----BEGIN"}};
  std::vector<Row> rows;
  for (const char* variable : {"MUSTER_TLS_CERT", "MUSTER_TLS_CA", "MUSTER_TLS_CRL"}) {
    rows.push_back({variable, join, alone_with(all), no_file, a_file});
    rows.push_back({variable, serve, all, no_file, a_file});
  }
  for (const char* variable : {"MUSTER_TLS_KEY", "MUSTER_TLS_KEY_PASSWORD_FILE"}) {
    rows.push_back(
        {variable, join, alone_with(all), {{"/none/x", a_file}, {"/tmp", a_private_file}}});
  }
  return rows;
}

std::vector<Row> of_unique_ids() {
  const std::vector<Wrong> no_session{{"nonsense", "expected host:port"},
                                      {"127.0.0.1:65536", "expected host:port"}};
  const std::vector<Wrong> no_names{{"a b", "is no list of interfaces"},
                                    {"=no-such-one", "no-such-one"}};
  return {{"MUSTER_UID_SESSION_ID", uid, {}, no_session},
          {"SHMEM_UID_SESSION_ID", uid, {}, no_session},
          {"MUSTER_UID_IFNAME", uid, {}, no_names},
          {"SHMEM_UID_SOCK_IFNAME", uid, {}, no_names},
          {"MUSTER_PORT_RANGE", uid_anywhere, {}, {{"29400", some_ports}}}};
}

std::vector<Row> of_launchers() {
  std::vector<Row> rows;
  add_launcher(rows, "RANK", "WORLD_SIZE", {});
  add_launcher(rows, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {});
  add_launcher(rows, "PMI_RANK", "PMI_SIZE", {});
  add_launcher(rows, "SLURM_PROCID", "SLURM_NTASKS", {{"SLURM_STEP_ID", "0"}});
  const Variables two{{"RANK", "0"},
                      {"WORLD_SIZE", "2"},
                      {"MASTER_ADDR", "127.0.0.1"},
                      {"MASTER_PORT", "29400"},
                      {"MUSTER_JOIN_TIMEOUT", "0.01"},
                      {"MUSTER_LOG", "error"}};
  const Variables step{{"SLURM_PROCID", "0"},  {"SLURM_NTASKS", "2"},
                       {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NODELIST", "localhost"},
                       {"SLURM_JOB_ID", "1"},  {"MUSTER_JOIN_TIMEOUT", "0.01"},
                       {"MUSTER_LOG", "error"}};
  rows.push_back({"MASTER_ADDR", join, two, {{"a b", "expected the name or the address"}}});
  rows.push_back({"MASTER_PORT", join, two, {{"x", a_number}, {"65535", "expected 1 to 65534"}}});
  rows.push_back({"TORCHELASTIC_RUN_ID",
                  join,
                  {{"RANK", "0"}, {"WORLD_SIZE", "1"}},
                  {{"a b", "1 to 64 characters"}}});
  rows.push_back({"SLURM_STEP_NODELIST",
                  join,
                  step,
                  {{"a[", "expected hosts like"}},
                  "expected the name or the address"});
  rows.push_back({"SLURM_JOB_ID", join, step, {{"x", a_number}, {"4294967296", a_number}}});
  rows.push_back({"SLURM_STEP_NUM_TASKS",
                  join,
                  {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}, {"SLURM_STEP_ID", "0"}},
                  {{"x", "but SLURM_NTASKS is 1"}, {"2", "but SLURM_NTASKS is 1"}},
                  "SLURM_PROCID is set, by Slurm"});
  rows.push_back({"SLURM_STEP_ID", join, step, {{"x", a_number}}});
  rows.push_back({"JOB_COMPLETION_INDEX",
                  join,
                  {{"MUSTER_SIZE", "1"}},
                  {{"x", a_number}, {"1", "expected less than"}}});
  return rows;
}

std::vector<Row> of_folders() {
  const std::vector<Wrong> no_folder{{"/none", "to one you can use"},
                                     {"/dev/null", "to one you can use"}};
  std::vector<Row> rows{{"XDG_RUNTIME_DIR", run, {{"TMPDIR", "/none"}}, no_folder},
                        {"TMPDIR", run, {{"XDG_RUNTIME_DIR", "/none"}}, no_folder}};
  for (Row& row : rows) row.exit_code = 1;
  return rows;
}

}  // namespace muster::cli

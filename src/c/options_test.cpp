#include "c/options.hpp"

#include <gmock/gmock.h>
#include <string>

#include "c/handles.hpp"

namespace muster::c {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

muster_join_options whole() {
  muster_join_options options;
  muster_join_options_init(&options);
  options.ignore_environment = 1;
  options.url = "tcp://127.0.0.1:29400";
  options.rank = 1;
  options.size = 2;
  return options;
}

template <class Change>
std::string complaint(Change change) {
  muster_join_options options = whole();
  change(options);
  const auto made = to_join_options(&options);
  return made ? "nothing" : made.error().text();
}

TEST(COptions, DefaultsAreThoseOfCpp) {
  const auto options = whole();
  const auto made = to_join_options(&options);
  ASSERT_TRUE(made) << made.error().text();
  const JoinOptions plain;
  EXPECT_EQ(made->url, "tcp://127.0.0.1:29400");
  EXPECT_EQ(made->rank, 1U);
  EXPECT_EQ(made->size, 2U);
  EXPECT_EQ(made->serve, plain.serve);
  EXPECT_EQ(made->until, plain.until);
  EXPECT_EQ(made->join_timeout, plain.join_timeout);
  EXPECT_EQ(made->operation_timeout, plain.operation_timeout);
  EXPECT_EQ(made->heartbeat, plain.heartbeat);
  EXPECT_EQ(made->on_loss, plain.on_loss);
  EXPECT_FALSE(made->listen_fd);
  EXPECT_FALSE(made->port_range);
  EXPECT_FALSE(made->credentials.secret);
  EXPECT_FALSE(made->credentials.certificates);
  EXPECT_FALSE(made->log);
}

TEST(COptions, ThePasswordOfAKeyIsAskedFor) {
  auto options = whole();
  options.certificate_file = options.key_file = options.ca_file = "x.pem";
  options.key_password = [](void* context) { return static_cast<const char*>(context); };
  std::string password = "open sesame";
  options.key_password_context = password.data();
  EXPECT_EQ(to_join_options(&options)->credentials.certificates->key_password().value(), password);
  options.key_password_context = nullptr;
  const auto none = to_join_options(&options)->credentials.certificates->key_password();
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text(), HasSubstr("gave no password"));
}

TEST(COptions, AllOfThemArrive) {
  auto options = whole();
  const std::string secret(32, 's');
  muster_contract contract;
  contract.builder.integer("batch", 1);
  int logged = 0;
  options.assign_rank = 1;
  options.serve = MUSTER_SERVE_EXTERNAL;
  options.until = MUSTER_UNTIL_ADMITTED;
  options.job_id = "train";
  options.incarnation = "00000000000000ff";
  const std::string epoch(64, 'a');
  options.epoch = epoch.c_str();
  options.contract = &contract;
  options.security = MUSTER_SECURITY_SECRET;
  options.secret = muster_text(secret.c_str());
  options.certificate_file = "a.pem";
  options.ca_file = "ca.pem";
  options.listen_fd = 5;
  options.advertise = "node7";
  options.instance = 3;
  options.port_first = 10;
  options.port_last = 20;
  options.join_timeout = 2.5;
  options.operation_timeout = 7;
  options.heartbeat = 0;
  options.on_loss = MUSTER_ON_LOSS_NOTIFY;
  options.plugin = "mpi";
  options.plugin_argument = &logged;
  options.log = [](void* context, int, const char*) { ++*static_cast<int*>(context); };
  options.log_context = &logged;
  const auto made = to_join_options(&options);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_TRUE(made->assign_rank);
  EXPECT_EQ(made->serve, Serve::external);
  EXPECT_EQ(made->until, Until::admitted);
  EXPECT_EQ(made->job_id, "train");
  EXPECT_EQ(made->incarnation->number, 255U);
  EXPECT_EQ(made->epoch->text(), epoch);
  EXPECT_EQ(made->contract->entries().size(), 1U);
  EXPECT_EQ(made->credentials.security, Security::secret);
  EXPECT_EQ(made->credentials.secret->bytes().size(), 32U);
  EXPECT_EQ(made->credentials.certificates->certificate_file, "a.pem");
  EXPECT_EQ(made->credentials.certificates->ca_file, "ca.pem");
  EXPECT_EQ(made->listen_fd, 5);
  EXPECT_EQ(made->advertise, "node7");
  EXPECT_EQ(made->instance, 3U);
  EXPECT_EQ(made->port_range, (PortRange{10, 20}));
  EXPECT_EQ(made->join_timeout, 2500ms);
  EXPECT_EQ(made->operation_timeout, 7s);
  EXPECT_EQ(made->heartbeat, 0s);
  EXPECT_EQ(made->on_loss, OnLoss::notify);
  EXPECT_EQ(made->plugin, "mpi");
  EXPECT_EQ(made->plugin_argument, &logged);
  made->log(LogLevel::info, "x");
  EXPECT_EQ(logged, 1);
}

TEST(COptions, WhatIsWrongIsNamed) {
  EXPECT_THAT(complaint([](auto& o) { o.rank = -2; }), HasSubstr("rank is -2"));
  EXPECT_THAT(complaint([](auto& o) { o.size = std::int64_t{1} << 40; }),
              HasSubstr("size is 1099511627776"));
  EXPECT_THAT(complaint([](auto& o) { o.port_first = 5; }), HasSubstr("port_last 0"));
  EXPECT_THAT(complaint([](auto& o) { o.serve = 3; }), HasSubstr("serve is 3"));
  EXPECT_THAT(complaint([](auto& o) { o.until = -1; }), HasSubstr("until is -1"));
  EXPECT_THAT(complaint([](auto& o) { o.security = 9; }), HasSubstr("security is 9"));
  EXPECT_THAT(complaint([](auto& o) { o.on_loss = 3; }), HasSubstr("on_loss is 3"));
  EXPECT_THAT(complaint([](auto& o) { o.epoch = "abc"; }), HasSubstr("epoch: "));
  EXPECT_THAT(complaint([](auto& o) { o.incarnation = "0"; }), HasSubstr("incarnation: "));
  EXPECT_THAT(complaint([](auto& o) { o.secret = muster_text("short"); }), HasSubstr("secret: "));
  EXPECT_THAT(complaint([](auto& o) { o.struct_size = 0; }), HasSubstr("muster_join_options"));
  muster_contract twice;
  twice.builder.integer("batch", 1).integer("batch", 2);
  EXPECT_THAT(complaint([&](auto& o) { o.contract = &twice; }), HasSubstr("contract: "));
}

TEST(COptions, WhatIsSaidWinsOverTheEnvironmentAndTheRestComesFromThere) {
  setenv("MUSTER_RANK", "0", 1);
  setenv("MUSTER_SIZE", "9", 1);
  setenv("MUSTER_OP_TIMEOUT", "3", 1);
  setenv("MUSTER_JOIN_TIMEOUT", "4", 1);
  setenv("MUSTER_SERVE", "external", 1);
  auto options = whole();
  options.ignore_environment = 0;
  options.size = -1;
  options.join_timeout = 5;
  options.serve = MUSTER_SERVE_RANK0;
  const auto made = to_join_options(&options);
  for (const char* variable :
       {"MUSTER_RANK", "MUSTER_SIZE", "MUSTER_OP_TIMEOUT", "MUSTER_JOIN_TIMEOUT", "MUSTER_SERVE"}) {
    unsetenv(variable);
  }
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->rank, 1U);
  EXPECT_EQ(made->size, 9U);
  EXPECT_EQ(made->join_timeout, 5s);
  EXPECT_EQ(made->operation_timeout, 3s);
  EXPECT_EQ(made->serve, Serve::by_rank_0);
}

}  // namespace
}  // namespace muster::c

#include <cstring>
#include <future>
#include <gmock/gmock.h>
#include <string>
#include <thread>

#include <muster/muster.h>

#include "c/handles.hpp"
#include "net/address.hpp"
#include "net/listen.hpp"

namespace muster::c {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string last_text() {
  return muster_error_text(muster_last_error());
}

muster_job* alone() {
  muster_join_options options;
  muster_join_options_init(&options);
  options.ignore_environment = 1;
  options.url = "tcp://127.0.0.1:0";
  options.rank = 0;
  options.size = 1;
  muster_job* job = nullptr;
  EXPECT_EQ(muster_join(&options, &job), MUSTER_OK) << last_text();
  return job;
}

TEST(CJob, NullIsAnErrorThatNamesIt) {
  EXPECT_EQ(muster_join(nullptr, nullptr), MUSTER_INVALID_ARGUMENT);
  EXPECT_THAT(last_text(), HasSubstr("job is NULL"));
  EXPECT_EQ(muster_job_leave(nullptr, -1), MUSTER_INVALID_ARGUMENT);
  EXPECT_EQ(muster_barrier(nullptr, nullptr, -1), MUSTER_INVALID_ARGUMENT);
  EXPECT_THAT(last_text(), HasSubstr("group is NULL"));
  EXPECT_EQ(muster_store_set(nullptr, muster_text("k"), {}, -1), MUSTER_INVALID_ARGUMENT);
  EXPECT_EQ(muster_wait(nullptr, nullptr), MUSTER_INVALID_ARGUMENT);
  EXPECT_EQ(muster_job_rank(nullptr), MUSTER_NO_RANK);
  EXPECT_EQ(muster_job_world(nullptr), nullptr);
  EXPECT_EQ(muster_group_size(nullptr), 0U);
  EXPECT_EQ(muster_parts_count(nullptr), 0U);
  muster_job_free(nullptr);
  muster_group_free(nullptr);
  muster_store_free(nullptr);
  muster_parts_free(nullptr);
  muster_contract_free(nullptr);
  muster_unique_id_free(nullptr);
  muster_free(nullptr);
}

TEST(CJob, AnErrorOfTheLibraryComesWithItsWords) {
  muster_job* job = alone();
  muster_buffer value{};
  const muster_bytes key = muster_text("nobody sets it");
  EXPECT_EQ(muster_store_wait_get(muster_job_store(job), key, 0.01, &value), MUSTER_TIMEOUT);
  EXPECT_EQ(value.data, nullptr);
  EXPECT_THAT(last_text(), HasSubstr("nobody sets it"));
  EXPECT_GT(muster_error_elapsed(muster_last_error()), 0.0);
  muster_job_free(job);
}

TEST(CJob, ItsFailureReachesTheHandler) {
  muster_job* job = alone();
  std::promise<std::string> heard;
  const auto handler = [](void* context, const muster_error* why) {
    static_cast<std::promise<std::string>*>(context)->set_value(
        std::string(muster_status_name(muster_error_code(why))) + " " + muster_error_what(why));
  };
  EXPECT_EQ(muster_job_on_failure(job, handler, &heard), MUSTER_OK);
  EXPECT_EQ(muster_job_fail(job, "disk full", 0), MUSTER_INVALID_ARGUMENT);
  EXPECT_EQ(muster_job_fail(job, "disk full", 9), MUSTER_OK);
  EXPECT_THAT(heard.get_future().get(), AllOf(HasSubstr("rank_failed"), HasSubstr("disk full")));
  EXPECT_EQ(muster_job_on_failure(job, nullptr, nullptr), MUSTER_OK);
  EXPECT_EQ(muster_job_leave_now(job), MUSTER_OK);
  muster_job_free(job);
}

TEST(CJob, AToolWatchesItsStore) {
  muster_job* job = alone();
  muster_store* tool = nullptr;
  ASSERT_EQ(muster_store_connect(muster_job_url(job), -1, &tool), MUSTER_OK) << last_text();
  struct Seen {
    std::string text;
    std::promise<void> both;
  } seen;
  const auto handler = [](void* context, muster_bytes key, muster_bytes value) {
    Seen& all = *static_cast<Seen*>(context);
    all.text += std::string(static_cast<const char*>(key.data), key.length) + "=";
    if (value.data == nullptr) {
      all.text += "gone";
      all.both.set_value();
    } else {
      all.text += std::string(static_cast<const char*>(value.data), value.length) + " ";
    }
  };
  std::uint32_t watch = 0;
  ASSERT_EQ(muster_store_watch(tool, muster_text("k"), handler, &seen, -1, &watch), MUSTER_OK);
  muster_store* own = muster_job_store(job);
  EXPECT_EQ(muster_store_set(own, muster_text("k1"), muster_text("v"), -1), MUSTER_OK);
  EXPECT_EQ(muster_store_remove(own, muster_text("k1"), -1, nullptr), MUSTER_OK);
  seen.both.get_future().get();
  EXPECT_EQ(seen.text, "k1=v k1=gone");
  EXPECT_EQ(muster_store_unwatch(tool, watch, -1), MUSTER_OK);
  EXPECT_EQ(muster_store_unwatch(tool, watch, -1), MUSTER_NOT_FOUND);
  muster_store_free(tool);
  muster_job_free(job);
}

TEST(CJob, AUniqueIdsPortIsOfTheRange) {
  muster_unique_id_options options;
  muster_unique_id_options_init(&options);
  options.session_id = "127.0.0.1:0";
  options.port_first = 9;
  muster_unique_id* id = nullptr;
  EXPECT_EQ(muster_unique_id_create(&options, &id), MUSTER_INVALID_ARGUMENT);
  EXPECT_THAT(last_text(), HasSubstr("port_first is 9 and port_last 0"));

  const net::Fd taken = *net::listen(*net::Url::parse("tcp://127.0.0.1:0"), Clock::now());
  options.port_first = options.port_last = net::bound_url(taken.get())->port;
  EXPECT_EQ(muster_unique_id_create(&options, &id), MUSTER_SYSTEM);
  EXPECT_THAT(last_text(), HasSubstr("at any port from " + std::to_string(options.port_first)));
}

TEST(CJob, UniqueIdsHaveTwoFormsAndOneMeaning) {
  muster_unique_id_options options;
  muster_unique_id_options_init(&options);
  options.session_id = "127.0.0.1:0";
  muster_unique_id* id = nullptr;
  ASSERT_EQ(muster_unique_id_create(&options, &id), MUSTER_OK) << last_text();
  muster_buffer text{};
  ASSERT_EQ(muster_unique_id_text(id, &text), MUSTER_OK);
  muster_unique_id* again = nullptr;
  ASSERT_EQ(muster_unique_id_parse(static_cast<const char*>(text.data), &again), MUSTER_OK);
  unsigned char one[MUSTER_UNIQUE_ID_BYTES] = {};
  unsigned char other[MUSTER_UNIQUE_ID_BYTES] = {};
  EXPECT_EQ(muster_unique_id_bytes(id, one), MUSTER_OK);
  EXPECT_EQ(muster_unique_id_bytes(again, other), MUSTER_OK);
  EXPECT_EQ(std::memcmp(one, other, sizeof one), 0);
  one[100] ^= 1U;
  EXPECT_EQ(muster_unique_id_from_bytes(one, sizeof one, &again), MUSTER_INVALID_ARGUMENT);
  EXPECT_EQ(muster_unique_id_release(id), MUSTER_OK);
  muster_free(text.data);
  muster_unique_id_free(again);
  muster_unique_id_free(id);
}

}  // namespace
}  // namespace muster::c

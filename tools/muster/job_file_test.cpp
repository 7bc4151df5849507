#include "job_file.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "own_folders_fixture.hpp"
#include "private_folder.hpp"

namespace muster::tool {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

class JobFiles : public OwnFolders {
 protected:
  void put(const std::string& name, const std::string& text) {
    fs::create_directories(root_ / "muster");
    std::ofstream(root_ / "muster" / name) << text;
  }
};

unsigned mode(const fs::path& path) {
  struct stat found {};
  EXPECT_EQ(::lstat(path.c_str(), &found), 0);
  return found.st_mode & 07777U;
}

JobFile dead(const std::string& job) {
  return {.job = job, .url = "u", .pid = ::getpid(), .start_ticks = 1, .pid_space = pid_space()};
}

TEST(JobFile, survives_its_text_form) {
  const JobFile file{
      .job = "train-7", .url = "unix:///x/s", .pid = 4711, .start_ticks = 99, .pid_space = "here"};
  EXPECT_EQ(JobFile::from_json(file.to_json()), file);
}

TEST(JobFile, other_text_is_no_job_file) {
  for (const char* text : {"", "{", "[]", "7", "{}",
                           R"({"job":"a","url":"b","pid":"c","start_ticks":1,"pid_space":""})",
                           R"({"job":"a","url":"b","pid":-1,"start_ticks":1,"pid_space":""})",
                           R"({"job":"a","url":"b","pid":1,"start_ticks":1})",
                           R"({"job":"a","url":"b","pid":1,"pid_space":""})"}) {
    EXPECT_FALSE(JobFile::from_json(text)) << text;
  }
}

TEST(JobFile, a_pid_that_came_again_is_not_alive) {
  const auto ticks = process_start_ticks(::getpid());
  ASSERT_TRUE(ticks);
  JobFile file{.pid = ::getpid(), .start_ticks = *ticks, .pid_space = pid_space()};
  EXPECT_TRUE(file.alive());
  EXPECT_FALSE(file.dead());
  ++file.start_ticks;
  EXPECT_FALSE(file.alive());
  EXPECT_TRUE(file.dead());
  EXPECT_FALSE(process_start_ticks(0));
}

TEST(JobFile, of_a_pid_of_another_namespace_or_boot_nothing_is_known) {
  const JobFile file{.pid = ::getpid(),
                     .start_ticks = *process_start_ticks(::getpid()),
                     .pid_space = pid_space() + "1"};
  EXPECT_FALSE(file.alive());
  EXPECT_FALSE(file.dead());
}

TEST_F(JobFiles, is_private_and_found_and_removed) {
  {
    const auto own = OwnJobFile::write("train-7", "unix:///x/s");
    ASSERT_TRUE(own) << own.error().text();
    EXPECT_EQ(own->path(), (root_ / "muster" / "train-7.json").string());
    EXPECT_EQ(mode(own->path()), 0600U);
    EXPECT_EQ(mode(root_ / "muster"), 0700U);
    EXPECT_THAT(live_jobs(), ElementsAre(Field(&JobFile::url, "unix:///x/s")));
  }
  EXPECT_THAT(live_jobs(), IsEmpty());
  EXPECT_TRUE(fs::is_empty(root_ / "muster"));
}

TEST_F(JobFiles, goes_to_the_temporary_folder_without_a_runtime_folder) {
  ::setenv("XDG_RUNTIME_DIR", "/nonexistent", 1);
  const auto own = OwnJobFile::write("train-7", "unix:///x/s");
  ASSERT_TRUE(own) << own.error().text();
  EXPECT_THAT(own->path(), HasSubstr("/muster-" + std::to_string(::geteuid()) + "/train-7.json"));
  EXPECT_EQ(live_jobs().size(), 1U);
}

TEST_F(JobFiles, a_living_job_keeps_its_name) {
  const auto first = OwnJobFile::write("a", "unix:///x/s");
  const auto second = OwnJobFile::write("a", "unix:///y/s");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::busy);
  EXPECT_THAT(second.error().what, HasSubstr(std::to_string(::getpid())));
}

TEST_F(JobFiles, a_dead_jobs_file_is_passed_over_and_replaced) {
  fs::create_directory(root_ / "muster");
  fs::permissions(root_ / "muster", fs::perms::owner_all);
  put("a.json", dead("a").to_json());
  put("b.json", "no job file");
  EXPECT_THAT(live_jobs(), IsEmpty());
  EXPECT_TRUE(OwnJobFile::write("a", "unix:///x/s"));
}

TEST_F(JobFiles, a_folder_that_others_may_enter_is_refused) {
  const std::string path = root_ / "open";
  fs::create_directory(path);
  fs::permissions(path, fs::perms::all);
  const auto made = make_private_folder(path);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().what, HasSubstr("0777, expected 0700"));
}

TEST_F(JobFiles, what_others_may_write_is_not_read) {
  const auto own = OwnJobFile::write("a", "unix:///x/s");
  ASSERT_TRUE(own);
  fs::permissions(root_ / "muster", fs::perms::all);
  EXPECT_THAT(live_jobs(), IsEmpty());
}

TEST_F(JobFiles, a_link_is_refused_as_a_folder) {
  const std::string path = root_ / "link";
  fs::create_directory_symlink(root_, path);
  const auto made = make_private_folder(path);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().what, HasSubstr("not a folder"));
}

TEST_F(JobFiles, what_dead_processes_left_goes_when_the_next_job_begins) {
  JobFile elsewhere = dead("elsewhere");
  elsewhere.pid_space = "another boot";
  put("dead.json", dead("dead").to_json());
  put("elsewhere.json", elsewhere.to_json());
  put("strange.json", "no job file");
  fs::permissions(root_ / "muster", fs::perms::owner_all);
  const auto own = OwnJobFile::write("own", "unix:///x/s");
  ASSERT_TRUE(own) << own.error().text();
  EXPECT_FALSE(fs::exists(root_ / "muster" / "dead.json"));
  EXPECT_TRUE(fs::exists(root_ / "muster" / "elsewhere.json"));
  EXPECT_TRUE(fs::exists(root_ / "muster" / "strange.json"));
}

}  // namespace
}  // namespace muster::tool

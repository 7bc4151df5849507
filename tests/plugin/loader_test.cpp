#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <string>
#include <sys/stat.h>

#include <muster/plugin_group.hpp>

#include "paths/paths.hpp"
#include "plugin/load.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace muster {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string faulty(const std::string& name) {
  return paths::program("../lib/faulty/libmuster_" + name + ".so");
}

Error refusal(const std::string& name_or_path) {
  const auto loaded = plugin::load(name_or_path);
  EXPECT_FALSE(loaded) << name_or_path;
  return loaded ? Error{} : loaded.error();
}

/// Sets MUSTER_PLUGIN_PATH for one test.
class PluginPath {
 public:
  explicit PluginPath(const std::string& path) { setenv("MUSTER_PLUGIN_PATH", path.c_str(), 1); }
  PluginPath(const PluginPath&) = delete;
  PluginPath& operator=(const PluginPath&) = delete;
  ~PluginPath() { unsetenv("MUSTER_PLUGIN_PATH"); }
};

TEST(PluginLoader, RefusesEachFaultAndNamesTheFile) {
  const struct {
    const char* fault;
    std::string says;
  } faults[] = {{"no_entry", "does not export muster_plugin_get"},
                {"no_table", "has no table for version 1"},
                {"old", "is of version 0 of the plugin interface, expected version 1"},
                {"new", "is of version 2 of the plugin interface, expected version 1"},
                {"small", "has a table of " + std::to_string(sizeof(muster_plugin) - 8) +
                              " bytes, expected " + std::to_string(sizeof(muster_plugin))},
                {"no_init", "says that it has init, but the function is missing"},
                {"lies", "says that it has exchange, but the function is missing"},
                {"bits", "has capabilities 0x10000000008"},
                {"nothing", "has neither exchange nor allgather"}};
  for (const auto& [fault, says] : faults) {
    const Error error = refusal(faulty(fault));
    EXPECT_EQ(error.code, Code::invalid_argument) << fault;
    EXPECT_THAT(error.what, AllOf(HasSubstr(says), HasSubstr("libmuster_")));
    EXPECT_FALSE(error.advice.empty()) << fault;
  }
}

TEST(PluginLoader, AnEntryThatThrowsIsAnError) {
  const Error error = refusal(faulty("throws"));
  EXPECT_EQ(error.code, Code::protocol);
  EXPECT_THAT(error.what,
              AllOf(HasSubstr("threw an exception: no licence"), HasSubstr("libmuster_throws.so")));
}

TEST(PluginLoader, AFileThatIsNoLibraryIsWhatTheLoaderSays) {
  const support::TempDir dir;
  const std::string file = dir.file("plain.so");
  std::ofstream(file) << "not a library\n";
  const Error error = refusal(file);
  EXPECT_EQ(error.code, Code::system);
  EXPECT_THAT(error.what, HasSubstr(file));
}

TEST(PluginLoader, WhatIsNoFileIsNotOpened) {
  const support::TempDir dir;
  const std::string fifo = dir.file("fifo.so");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THAT(refusal(fifo).text(),
              AllOf(HasSubstr(fifo), HasSubstr("but a FIFO"), HasSubstr("a shared library")));
  EXPECT_THAT(refusal(dir.path()).what, AllOf(HasSubstr(dir.path()), HasSubstr("but a directory")));
  EXPECT_THAT(refusal("/dev/zero").what, HasSubstr("'/dev/zero' is no regular file, but a device"));

  const PluginPath path(dir.path());
  ASSERT_EQ(::mkfifo(dir.file("libmuster_absent.so").c_str(), 0600), 0);
  EXPECT_THAT(refusal("absent").what, HasSubstr("libmuster_absent.so' is no regular file"));
}

TEST(PluginLoader, SaysWhereItLookedForWhatIsMissing) {
  const PluginPath path("/nowhere/a::/nowhere/b");
  const Error error = refusal("absent");
  EXPECT_EQ(error.code, Code::invalid_argument);
  EXPECT_THAT(error.what, HasSubstr("there is no plugin 'absent': tried "
                                    "/nowhere/a/libmuster_absent.so, "
                                    "/nowhere/b/libmuster_absent.so, "));
  EXPECT_THAT(error.advice, HasSubstr("MUSTER_PLUGIN_PATH"));
  EXPECT_THAT(refusal("/nowhere/x.so").what, HasSubstr("tried /nowhere/x.so"));
}

TEST(PluginLoader, RefusesWhatIsNeitherANameNorAPath) {
  for (const std::string& name : {std::string(), std::string("a.b"), std::string("Mpi"),
                                  std::string("a b"), std::string(65, 'a')}) {
    const Error error = refusal(name);
    EXPECT_EQ(error.code, Code::invalid_argument);
    EXPECT_THAT(error.what, HasSubstr("no name of a plugin"));
  }
  EXPECT_THAT(refusal(std::string(64, 'a')).what, HasSubstr("there is no plugin"));
}

TEST(PluginLoader, FindsANameInThePathBeforeTheLibrarysOwnFolder) {
  EXPECT_THAT(plugin::load("store").value().name, HasSubstr("lib/muster/libmuster_store.so"));
  const PluginPath path("/nowhere:" + paths::program("../lib/faulty"));
  EXPECT_THAT(plugin::load("good").value().name, HasSubstr("lib/faulty/libmuster_good.so"));
  EXPECT_THAT(plugin::load("store").value().name, HasSubstr("lib/muster/libmuster_store.so"));
}

TEST(PluginLoader, MpiIsTheOneOfTheLauncher) {
  const PluginPath path("/dir");
  setenv("PMI_SIZE", "2", 1);
  EXPECT_EQ(plugin::candidates("mpi").value()[0], "/dir/libmuster_mpi_mpich.so");
  setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  EXPECT_EQ(plugin::candidates("mpi").value()[0], "/dir/libmuster_mpi_openmpi.so");
  unsetenv("PMI_SIZE");
  unsetenv("OMPI_COMM_WORLD_SIZE");
  EXPECT_EQ(plugin::candidates("mpi").value()[1], "/dir/libmuster_mpi_mpich.so");
}

TEST(PluginLoader, APluginInCWorks) {
  PluginOptions options;
  options.rank = 0;
  options.size = 1;
  auto group = make_plugin_group(faulty("c"), options).value();
  EXPECT_EQ(as_text(group->allgather(as_bytes("alone")).value()[0]), "alone");
  EXPECT_EQ(group->subset(std::vector<std::uint32_t>{0}).error().code, Code::unsupported);
  EXPECT_EQ(group->fail("over", 1).error().code, Code::unsupported);
  EXPECT_TRUE(group->leave());
  EXPECT_EQ(group->leave().error().code, Code::invalid_state);
  EXPECT_EQ(group->barrier().error().code, Code::invalid_state);

  options.size = 2;
  const auto refused = make_plugin_group(faulty("c"), options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::invalid_argument);
  EXPECT_EQ(refused.error().what, "size is 2, expected 1");
  EXPECT_EQ(refused.error().advice, "use another plugin");
  EXPECT_EQ(refused.error().exit_code, 3);
  EXPECT_EQ(make_plugin_id(faulty("c")).error().code, Code::unsupported);
}

TEST(PluginLoader, InAForkedChildAGroupIsItsParents) {
  PluginOptions options;
  options.rank = 0;
  options.size = 1;
  auto group = make_plugin_group(faulty("c"), options).value();
  auto child = support::Process::fork([&] {
    const bool refused = !group->barrier() && !group->leave();
    group.reset();
    return refused ? 0 : 1;
  });
  EXPECT_TRUE(child.wait().well());
  EXPECT_TRUE(group->barrier());
}

}  // namespace
}  // namespace muster

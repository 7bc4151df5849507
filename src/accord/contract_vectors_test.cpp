/// Every vector of tests/vectors/contract.json: the native formats, computed independently by
/// make_contract_vectors.py.
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include <nlohmann/json.hpp>

#include <muster/contract.hpp>

#include "accord/entry.hpp"
#include "accord/record.hpp"
#include "accord/tokens.hpp"
#include "base/hex.hpp"
#include "paths/paths.hpp"

namespace muster::accord {
namespace {

using nlohmann::json;

json vectors(const char* section) {
  std::ifstream file(paths::source("tests/vectors/contract.json"));
  return json::parse(file)[section];
}

Value from_hex_text(const std::string& text) {
  Value bytes(text.size() / 2);
  EXPECT_TRUE(from_hex(text, bytes)) << text;
  return bytes;
}

void add(Contract::Builder& builder, const json& entry) {
  const auto name = entry["name"].get<std::string>();
  const auto type = entry["type"].get<std::string>();
  const json& value = entry["value"];
  const Share share = entry["open"].get<bool>() ? Share::open : Share::local;
  if (type == "integer") builder.integer(name, std::stoll(value.get<std::string>()), share);
  if (type == "real") {
    builder.real(name, std::strtod(value.get<std::string>().c_str(), nullptr), share);
  }
  if (type == "boolean") builder.boolean(name, value.get<bool>(), share);
  if (type == "text") builder.text(name, value.get<std::string>(), share);
  if (type == "blob") builder.blob(name, from_hex_text(value.get<std::string>()), share);
}

TEST(ContractVectors, Contracts) {
  int count = 0;
  for (const json& vector : vectors("contracts")) {
    SCOPED_TRACE(vector["name"]);
    const Epoch epoch = Epoch::parse(vector["epoch"].get<std::string>()).value();
    Contract::Builder builder;
    for (const json& entry : vector["entries"]) add(builder, entry);
    const Contract contract = builder.build().value();
    EXPECT_EQ(to_hex(contract.canonical()), vector["canonical"]);
    EXPECT_EQ(to_hex(contract.digest()), vector["digest"]);
    for (const Contract::Entry& entry : contract.entries()) {
      EXPECT_EQ(to_hex(entry_digest(epoch, entry)), vector["entry_digests"][entry.name]);
    }
    EXPECT_EQ(to_hex(contract.fingerprint(epoch)), vector["fingerprint"]);
    EXPECT_EQ(to_hex(encode(make_record(epoch, contract))), vector["record"]);
    EXPECT_TRUE(decode(epoch, from_hex_text(vector["record"].get<std::string>())).ok());
    ++count;
  }
  EXPECT_EQ(count, 6);
}

TEST(ContractVectors, Tokens) {
  int count = 0;
  for (const json& vector : vectors("tokens")) {
    const Epoch epoch = Epoch::parse(vector["epoch"].get<std::string>()).value();
    const Identity identity{
        .incarnation = Incarnation::parse(vector["incarnation"].get<std::string>()).value(),
        .view = vector["view"].get<std::uint32_t>()};
    Digest fingerprint{};
    ASSERT_TRUE(from_hex(vector["fingerprint"].get<std::string>(), fingerprint));
    EXPECT_EQ(to_hex(agreement_token(epoch, identity)), vector["agreement_token"]);
    EXPECT_EQ(to_hex(request_token(epoch, identity, vector["generation"].get<std::uint64_t>(),
                                   fingerprint)
                         .value()),
              vector["request_token"]);
    ++count;
  }
  EXPECT_EQ(count, 3);
}

TEST(ContractVectors, TheWorkedExampleIsOnThePage) {
  std::ifstream file(paths::source("docs/reference/formats.md"));
  const std::string page(std::istreambuf_iterator<char>(file), {});
  const auto has = [&](const json& text) {
    EXPECT_NE(page.find(text.get<std::string>()), std::string::npos) << text;
  };
  const json example = vectors("contracts")[1];
  ASSERT_EQ(example["name"], "the worked example");
  has(example["digest"]);
  has(example["fingerprint"]);
  has(example["entry_digests"]["jitter"]);
  has(example["entry_digests"]["steps"]);
  const json token = vectors("tokens")[0];
  ASSERT_EQ(token["fingerprint"], example["fingerprint"]);
  has(token["agreement_token"]);
  has(token["request_token"]);
}

TEST(ContractVectors, AreWhatTheScriptMakes) {
  // The vectors themselves are tested all the same; scripts/setup installs python3.
  if (std::system("python3 -c 'pass'") != 0) GTEST_SKIP() << "no python3";
  const std::string script = paths::source("tests/vectors/make_contract_vectors.py");
  EXPECT_EQ(std::system(("python3 '" + script + "' --check").c_str()), 0);
}

}  // namespace
}  // namespace muster::accord

#include "support/proc_fs.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "net/wait.hpp"
#include "support/process.hpp"

namespace muster::support {
namespace {

namespace fs = std::filesystem;

fs::path folder(pid_t pid) {
  return fs::path("/proc") / std::to_string(pid);
}

std::size_t entries(const fs::path& of) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(of), fs::directory_iterator()));
}

/// What its descriptors lead to: "socket:[4711]" for a socket.
std::set<std::string> sockets(pid_t pid) {
  std::set<std::string> found;
  for (const fs::directory_entry& one : fs::directory_iterator(folder(pid) / "fd")) {
    std::error_code gone;
    found.insert(fs::read_symlink(one.path(), gone).string());
  }
  return found;
}

/// From "0100007F:1267", as /proc/net/tcp writes it: words in the host's order.
std::string address(std::string_view hex) {
  const std::size_t colon = hex.find(':');
  const auto word = [&](std::size_t at) {
    return static_cast<std::uint32_t>(std::stoul(std::string(hex.substr(at, 8)), nullptr, 16));
  };
  std::array<std::uint32_t, 4> words{};
  for (std::size_t i = 0; i < colon / 8; ++i) words.at(i) = word(8 * i);
  char text[INET6_ADDRSTRLEN] = "";
  ::inet_ntop(colon == 8 ? AF_INET : AF_INET6, words.data(), text, sizeof text);
  const auto port = std::stoul(std::string(hex.substr(colon + 1)), nullptr, 16);
  return colon == 8 ? fmt::format("{}:{}", text, port) : fmt::format("[{}]:{}", text, port);
}

}  // namespace

std::size_t anonymous_bytes(pid_t pid) {
  std::ifstream status(folder(pid) / "status");
  std::string word;
  while (status >> word) {
    std::size_t kib = 0;
    if (word == "RssAnon:" && status >> kib) return kib * 1024;
  }
  return 0;
}

std::vector<std::string> listening_addresses(pid_t pid) {
  const std::set<std::string> own = sockets(pid);
  std::vector<std::string> found;
  for (const char* table : {"net/tcp", "net/tcp6"}) {
    std::ifstream lines(folder(pid) / table);
    std::string line;
    std::getline(lines, line);  // the headings
    while (std::getline(lines, line)) {
      std::istringstream words(line);
      std::vector<std::string> word{std::istream_iterator<std::string>(words), {}};
      const bool listens = word.at(3) == "0A";
      if (listens && own.contains("socket:[" + word.at(9) + "]")) {
        found.push_back(address(word.at(1)));
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::size_t open_descriptors(pid_t pid) {
  return entries(folder(pid) / "fd");
}

std::size_t open_sockets(pid_t pid) {
  std::size_t count = 0;
  for (const std::string& one : sockets(pid)) count += one.starts_with("socket:") ? 1 : 0;
  return count;
}

std::size_t threads(pid_t pid) {
  return entries(folder(pid) / "task");
}

bool comes_down_to(pid_t pid, std::size_t descriptors, std::size_t threads_most) {
  const TimePoint deadline = Clock::now() + patience;
  while (open_descriptors(pid) > descriptors || threads(pid) > threads_most) {
    if (Clock::now() >= deadline) return false;
    net::pause_until(Clock::now() + std::chrono::milliseconds{1});
  }
  return true;
}

}  // namespace muster::support

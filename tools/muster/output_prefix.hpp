/// \file
/// Marks each line of a rank's output with the rank.
#pragma once

#include <string>
#include <string_view>

namespace muster::tool {

/// A line longer than this is shown in pieces, each a line of its own.
inline constexpr std::size_t line_bytes_max = 64U << 10;

/// Value. Cuts one stream into lines and hands out whole ones only, so that the lines of several
/// streams can be written one after the other without mixing.
class OutputPrefix {
 public:
  /// `prefix` stands before each line, as it is: "[3] ".
  explicit OutputPrefix(std::string prefix) : prefix_(std::move(prefix)) {}

  /// Takes the next bytes of the stream and appends the lines that they complete to `out`. The
  /// start of an unfinished line is kept.
  void take(std::string_view bytes, std::string& out);

  /// The stream has ended: appends an unfinished last line, ended, to `out`.
  void finish(std::string& out);

 private:
  void emit(std::string_view line, std::string& out) const;

  std::string prefix_;
  std::string partial_;
};

}  // namespace muster::tool

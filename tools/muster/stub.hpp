/// \file
/// The moment between fork and exec of a rank, as a program of its own: `muster run` starts itself
/// again as this stub, which then becomes the rank's command.
#pragma once

namespace muster::tool {

/// The first argument of a stub; the second is its parent's pid, the rest the command.
inline constexpr const char* stub_argument = "__rank";

/// If `argv` is a stub's: asks to be killed when the parent dies, makes sure that it is still there
/// and becomes the command; returns only when that fails, with the exit code, having said why.
/// Otherwise returns -1.
int become_rank(int argc, char** argv);

/// "cannot start 'x': No such file or directory", on standard error; returns the exit code, 127 for
/// a command that is not there and 126 for one that cannot be executed.
int cannot_start(const char* command, int error);

}  // namespace muster::tool

/// \file
/// A man page of what CLI11 knows of a command: the same text as `--help`, in the man macros of
/// troff.
#pragma once

#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace muster::man {

/// `text` such that troff prints it as it is, wherever in a line it stands: no backslash, dash,
/// quote or leading dot of it means anything.
std::string escaped(std::string_view text);

/// The name of the page of `app`: "muster", "muster-run".
std::string page_name(const CLI::App& app);

/// The page. Of the footer, the paragraphs headed "Examples:" and "Exit codes:" become sections;
/// the others belong to the description. A paragraph that lines something up, with two spaces in a
/// row, keeps its lines; the others are filled.
std::string page(const CLI::App& app, std::string_view version);

}  // namespace muster::man

#include "man_page.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace muster::man {
namespace {

using Paragraph = std::vector<std::string>;

/// "muster", "muster run", "muster config token": what is typed.
std::string typed(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : typed(*parent) + ' ' + app.get_name();
}

std::vector<const CLI::App*> subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<Paragraph> paragraphs(std::string_view text) {
  std::vector<Paragraph> all;
  bool inside = false;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.empty()) {
      if (!inside) all.emplace_back();
      all.back().emplace_back(line);
    }
    inside = !line.empty();
  }
  return all;
}

bool lines_up(const Paragraph& paragraph) {
  const auto is_table = [](const std::string& line) { return line.find("  ") != line.npos; };
  return std::any_of(paragraph.begin(), paragraph.end(), is_table);
}

std::string body(const Paragraph& paragraph) {
  std::string out;
  for (const auto& line : paragraph) out += escaped(line) + '\n';
  return lines_up(paragraph) ? fmt::format(".nf\n{}.fi\n", out) : out;
}

/// Takes `heading` off the paragraph's start; says whether it was there.
bool take_heading(Paragraph& paragraph, std::string_view heading) {
  if (!paragraph.front().starts_with(heading)) return false;
  auto& first = paragraph.front();
  first.erase(0, std::min(first.size(), heading.size() + 1));
  if (first.empty()) paragraph.erase(paragraph.begin());
  return !paragraph.empty();
}

/// The footer, sorted by the sections that its parts belong to.
struct Footer {
  std::string description;
  std::string examples;
  std::string exit_status;
};

Footer sorted(const std::string& text) {
  Footer footer;
  for (auto& paragraph : paragraphs(text)) {
    if (take_heading(paragraph, "Examples:")) {
      footer.examples += body(paragraph);
    } else if (take_heading(paragraph, "Exit codes:")) {
      footer.exit_status += body(paragraph);
    } else {
      footer.description += ".PP\n" + body(paragraph);
    }
  }
  return footer;
}

std::string section(std::string_view title, std::string_view text) {
  return text.empty() ? std::string{} : fmt::format(".SH {}\n{}", title, text);
}

/// The usage line of `--help`, without the word before it.
std::string usage(const CLI::App& app) {
  const std::string name = typed(app);
  const std::string help = app.help(app.get_parent() == nullptr ? "" : typed(*app.get_parent()));
  const auto begin = help.find("Usage: " + name) + std::string_view("Usage: ").size() + name.size();
  const std::string rest = help.substr(begin, help.find('\n', begin) - begin);
  return fmt::format("\\fB{}\\fR{}\n", escaped(name), escaped(rest));
}

/// How an option, or a positional, is written on the command line.
std::string synopsis(const CLI::Option& option) {
  std::string out;
  const auto add = [&](const std::string& name) {
    out += (out.empty() ? "\\fB" : ", \\fB") + escaped(name) + "\\fR";
  };
  for (const auto& name : option.get_snames()) add('-' + name);
  for (const auto& name : option.get_lnames()) add("--" + name);
  if (out.empty()) add(option.get_name());
  const std::string value = option.get_type_name();
  if (option.nonpositional() && !value.empty()) out += " \\fI" + escaped(value) + "\\fR";
  return out;
}

std::string described(const CLI::Option& option) {
  std::string text = option.get_description();
  if (option.get_required()) text += " (required)";
  if (!option.get_default_str().empty())
    text += fmt::format(" (default: {})", option.get_default_str());
  return fmt::format(".TP\n{}\n{}\n", synopsis(option), escaped(text));
}

/// Positionals first, as people type and read them.
std::string options(const CLI::App& app) {
  std::string positionals;
  std::string others;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden from --help, too
    (option->nonpositional() ? others : positionals) += described(*option);
  }
  return positionals + others;
}

/// Subcommands that have pages of their own are named; the innermost ones are described here.
std::string commands(const CLI::App& app) {
  std::string out;
  for (const CLI::App* sub : subcommands(app)) {
    if (app.get_parent() == nullptr) {
      out += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", escaped(page_name(*sub)),
                         escaped(sub->get_description()));
    } else {
      out += fmt::format(".SS {}\n{}.PP\n{}\n{}", escaped(sub->get_name()), usage(*sub),
                         escaped(sub->get_description()), options(*sub));
    }
  }
  return out;
}

std::string see_also(const CLI::App& app) {
  const CLI::App& top = app.get_parent() == nullptr ? app : *app.get_parent();
  std::string out;
  const auto add = [&](const CLI::App& other) {
    if (&other == &app) return;
    out += fmt::format("{}\\fB{}\\fR(1)", out.empty() ? "" : ",\n", escaped(page_name(other)));
  };
  add(top);
  for (const CLI::App* sub : subcommands(top)) add(*sub);
  return out.empty() ? out : out + '\n';
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\(rs";
        break;
      case '-':
        out += "\\-";
        break;
      case '"':
        out += "\\(dq";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string page_name(const CLI::App& app) {
  std::string name = typed(app);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string page(const CLI::App& app, std::string_view version) {
  const std::string name = escaped(page_name(app));
  const std::string what = escaped(app.get_description());
  const Footer footer = sorted(app.get_footer());
  // Ragged and unhyphenated: names of options and variables stay in one piece.
  return fmt::format(".TH {} 1 \"\" \"Muster {}\" \"Muster\"\n.ad l\n.nh\n", name,
                     escaped(version)) +
         section("NAME", fmt::format("{} \\- {}\n", name, what)) + section("SYNOPSIS", usage(app)) +
         section("DESCRIPTION", fmt::format("{}.\n{}", what, footer.description)) +
         section("COMMANDS", commands(app)) + section("OPTIONS", options(app)) +
         section("EXAMPLES", footer.examples) + section("\"EXIT STATUS\"", footer.exit_status) +
         section("\"SEE ALSO\"", see_also(app));
}

}  // namespace muster::man

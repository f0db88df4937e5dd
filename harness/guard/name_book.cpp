// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/guard/name_book.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "harness/guard/sample_names.h"
#include "harness/guard/source_tokens.h"
#include "harness/guard/unit_words.h"

namespace assay::guard {
namespace {

constexpr std::size_t longest_name = 256;
// What a file's name ends in. A metric of dots (http.server.duration) has no last part like these.
constexpr std::array<std::string_view, 57> file_endings{
    "md",   "rst",  "txt",  "adoc", "html",  "mdx", "c",     "cc",  "cpp",    "cxx", "h",    "hh",
    "hpp",  "cu",   "cuh",  "def",  "inc",   "py",  "pyi",   "js",  "mjs",    "ts",  "tsx",  "go",
    "rs",   "java", "kt",   "cs",   "rb",    "sh",  "so",    "dll", "json",   "png", "svg",  "jpg",
    "jpeg", "gif",  "webp", "pdf",  "ipynb", "sql", "proto", "whl", "zip",    "tar", "yaml", "yml",
    "toml", "ini",  "conf", "prom", "log",   "csv", "xml",   "gz",  "service"};

// A declaration spans a few lines: namespace, name, help.
constexpr std::size_t near_lines = 5;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':' || c == '.' || c == '*';
}

bool begins(std::string_view name, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& prefix) {
    return name.size() > prefix.size() && name.starts_with(prefix);
  });
}

// What a program writes where a library adds the rest.
std::string_view without_prefix(std::string_view name, const std::vector<std::string>& prefixes) {
  for (const std::string& prefix : prefixes)
    if (name.size() > prefix.size() && name.starts_with(prefix)) return name.substr(prefix.size());
  return name;
}

bool is_name(char c) {
  return is_word(c) && c != ':' && c != '.' && c != '*';
}

// Whether the literal at `at` is the first argument of a call that makes a metric: Counter("x",
// registry.gauge("x", counter!("x", prometheus.NewHistogram("x".
bool is_declared_at(std::string_view text, std::size_t at) {
  for (const std::string_view before : {"\"'`#", "rRfFbBuUL@$8", " \t\r\n"})
    while (at > 0 && before.find(text[at - 1]) != std::string_view::npos) --at;
  if (at == 0 || text[at - 1] != '(') return false;
  --at;
  if (at > 0 && text[at - 1] == '!') --at;
  std::size_t start = at;
  while (start > 0 && is_name(text[start - 1])) --start;
  std::string callee(text.substr(start, at - start));
  for (char& c : callee) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::array<std::string_view, 6> makers{"counter", "gauge",  "histogram",
                                                   "summary", "metric", "timer"};
  return std::any_of(makers.begin(), makers.end(), [&](std::string_view maker) {
    return callee.find(maker) != std::string::npos;
  });
}

// Name: "x", name="x": of an object that a library makes a metric of.
bool is_named_at(std::string_view text, std::size_t at) {
  for (const std::string_view before : {"\"'`#", "rRfFbBuUL@$8", " \t\r\n"})
    while (at > 0 && before.find(text[at - 1]) != std::string_view::npos) --at;
  if (at == 0 || (text[at - 1] != ':' && text[at - 1] != '=')) return false;
  --at;
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  return lower(text.substr(at - std::min<std::size_t>(at, 4), std::min<std::size_t>(at, 4))) ==
         "name";
}

// srv_tool.py, srv_data/, /opt/srv_tool, srv_tool-1.2: a file, a folder, a package.
bool is_of_a_path(std::string_view text, std::size_t at, std::string_view word) {
  if (const std::size_t dot = word.rfind('.'); dot != std::string_view::npos)
    if (std::find(file_endings.begin(), file_endings.end(), word.substr(dot + 1)) !=
        file_endings.end())
      return true;
  const auto is_joined = [&](std::size_t here) {
    return here < text.size() && (text[here] == '-' || text[here] == '/');
  };
  std::size_t start = at;
  std::size_t end = at + word.size();
  if (is_joined(end) && text[end] == '-' && end + 1 < text.size() && is_word(text[end + 1]))
    return true;
  // A path is no longer than a name may be: the scan stays linear in the text.
  const std::size_t first = at - std::min(at, longest_name);
  const std::size_t last = std::min(text.size(), end + longest_name);
  while (start > first && (is_word(text[start - 1]) || is_joined(start - 1))) --start;
  while (end < last && (is_word(text[end]) || is_joined(end))) ++end;
  const std::string_view whole = text.substr(start, end - start);
  if (whole.find("://") != std::string_view::npos) return true;
  if (whole.find('/') == std::string_view::npos) return false;
  if (whole.front() == '/' || whole.front() == '.' || whole.back() == '/') return true;
  const std::size_t dot = whole.rfind('.');
  return dot != std::string_view::npos && std::find(file_endings.begin(), file_endings.end(),
                                                    whole.substr(dot + 1)) != file_endings.end();
}

// import srv_client, from srv_client import x, require("srv"), use srv::a, #include <srv>, pip
// install srv: a module, a header, a package.
bool is_imported(std::string_view text, std::size_t at, std::size_t end) {
  constexpr std::size_t most = 64;  // no such line is longer; the scan stays linear in the text
  std::string_view before = text.substr(at - std::min(at, most), std::min(at, most));
  if (const std::size_t line = before.rfind('\n'); line != before.npos)
    before.remove_prefix(line + 1);
  const std::string_view behind = text.substr(end, std::min(most, text.size() - end));
  const std::size_t bare = before.find_last_not_of(" \t(<'\"");
  const bool is_quoted =
      bare != before.npos && before.substr(bare + 1).find_first_of("(<'\"") != before.npos;
  before = before.substr(0, bare == before.npos ? 0 : bare + 1);
  std::size_t start = before.size();
  while (start > 0 && is_name(before[start - 1])) --start;
  const std::string_view word = before.substr(start);
  const std::size_t first = before.find_first_not_of(" \t>$`");
  if (word == "import")
    return first == start || (first != before.npos && before.substr(first).starts_with("from "));
  if (word == "from") {
    const std::size_t next = behind.find_first_not_of(" \t");
    return next != behind.npos && behind.substr(next).starts_with("import");
  }
  if (word == "use") return behind.starts_with(';') || behind.starts_with("::");
  return (is_quoted && (word == "require" || word == "include")) || word == "install";
}

bool is_near(const std::vector<std::size_t>& lines, std::size_t line) {
  return std::any_of(lines.begin(), lines.end(), [&](std::size_t each) {
    return std::max(each, line) - std::min(each, line) <= near_lines;
  });
}

std::size_t newlines(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

name_book::name_book(const model::guard_contract& contract)
    : metric_prefixes_(contract.metric_prefixes), variable_prefixes_(contract.variable_prefixes) {
  for (const auto& metric : contract.metrics) {
    assembled_.want(metric.name, metric_prefixes_);
    for (const std::string_view suffix : suffixes_of(metric.kind))
      wanted_.insert(metric.name + std::string(suffix));
    for (const std::string_view name :
         {std::string_view(metric.name), without_suffix(metric.name)}) {
      const std::string_view middle = without_prefix(name, metric_prefixes_);
      wanted_.emplace(name);
      wanted_.emplace(middle);
      const bool is_whole = name == metric.name && middle == name;
      const bool is_tail = name == metric.name && middle.find('_') != std::string_view::npos;
      const bool has_prefix = middle != name;
      if (!is_whole && !is_tail) short_forms_.emplace(middle);
      if (name != metric.name && !has_prefix) short_forms_.emplace(name);
    }
  }
  for (const auto& metric : contract.metrics) short_forms_.erase(metric.name);
  for (const char joint : {'.', ':'}) {
    const auto has = [&](std::string_view name) { return name.find(joint) != name.npos; };
    if (std::any_of(metric_prefixes_.begin(), metric_prefixes_.end(), has) ||
        std::any_of(wanted_.begin(), wanted_.end(), has))
      joints_ += joint;
  }
}

// srv_client.metrics, srv_image:latest, SRV_PORT:8080, where no metric has such a joint.
std::string_view name_book::without_foreign_parts(std::string_view word) const {
  for (std::size_t at = 0; at < word.size(); ++at) {
    const bool is_foreign =
        (word[at] == '.' || word[at] == ':') && joints_.find(word[at]) == std::string::npos;
    if (!is_foreign) continue;
    const std::string_view head = word.substr(0, at);
    const bool is_known = wanted_.count(std::string(head)) != 0 || begins(head, variable_prefixes_);
    return is_known ? head : std::string_view();
  }
  return word;
}

// "srv" or "srv_" alone, or a text that ends in it or goes on with what is no name: "# HELP srv_",
// "srv_%s".
bool name_book::holds_prefix(std::string_view token) const {
  return std::any_of(
      metric_prefixes_.begin(), metric_prefixes_.end(), [&](const std::string& prefix) {
        std::string_view bare = prefix;
        while (!bare.empty() && !is_name(bare.back())) bare.remove_suffix(1);
        while (!bare.empty() && bare.back() == '_') bare.remove_suffix(1);
        if (token == bare) return true;
        const std::size_t at = token.find(prefix);
        const std::size_t end = at + prefix.size();
        return at != std::string_view::npos && (at == 0 || !is_name(token[at - 1])) &&
               (end == token.size() || !is_name(token[end]));
      });
}

bool name_book::is_wanted(std::string_view name) const {
  return begins(name, metric_prefixes_) || begins(name, variable_prefixes_) ||
         wanted_.count(std::string(name)) != 0;
}

void name_book::add(std::string_view name, std::string_view file, std::size_t line) {
  const auto [at, is_new] = names_.try_emplace(std::string(name));
  if (is_new) at->second = {std::string(file), line};
}

void name_book::add_document(std::string_view text, std::string_view file) {
  ++file_count_;
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      line += text[at] == '\n';
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    std::string_view word = text.substr(at, end - at);
    while (!word.empty() && (word.back() == '.' || word.back() == ':')) word.remove_suffix(1);
    const std::string_view name = without_foreign_parts(word);
    const bool is_name_of_ours = name.size() <= longest_name && is_wanted(name);
    if (is_name_of_ours &&
        (wanted_.count(std::string(name)) != 0 ||
         (!is_of_a_path(text, at, word) && !is_imported(text, at, at + word.size()))))
      add(name, file, line);
    at = end;
  }
  line_count_ += line;
  const auto is_metric = [&](std::string_view name) {
    return begins(name, metric_prefixes_) || wanted_.count(std::string(name)) != 0;
  };
  read_claims(text, is_metric, [&](document_claim claim) {
    claim.file = file;
    claims_.push_back(std::move(claim));
  });
}

bool name_book::add_source(std::string_view text, std::string_view file) {
  const language* spoken = language_of(file, text);
  if (spoken == nullptr) return false;
  ++file_count_;
  std::size_t line = 1;
  std::size_t counted = 0;
  std::vector<std::size_t> prefix_lines;
  std::vector<std::pair<std::string_view, std::size_t>> undeclared;
  read_tokens(text, *spoken, [&](std::string_view token) {
    if (token.empty() || token.size() > longest_name) return;
    const bool is_prefix = holds_prefix(token);
    const bool is_part = assembled_.is_part(token);
    if (!is_prefix && !is_part && !is_wanted(token)) return;
    const auto at = static_cast<std::size_t>(token.data() - text.data());
    line += newlines(text.substr(counted, at - counted));
    counted = at;
    if (is_prefix) prefix_lines.push_back(line);
    if (is_part) assembled_.take(token, line, is_declared_at(text, at) || is_named_at(text, at));
    if (is_wanted(token)) add(token, file, line);
    if (short_forms_.count(std::string(token)) == 0) return;
    if (is_declared_at(text, at))
      declared_.try_emplace(std::string(token), name_place{std::string(file), line});
    else
      undeclared.emplace_back(token, line);
  });
  for (const auto& [name, at_line] : undeclared)
    if (is_near(prefix_lines, at_line))
      declared_.try_emplace(std::string(name), name_place{std::string(file), at_line});
  for (const auto& [name, at_line] : assembled_.end_of_file(near_lines))
    written_in_parts_.try_emplace(name, name_place{std::string(file), at_line});
  line_count_ += line + newlines(text.substr(counted));
  return true;
}

const name_place* name_book::find(std::string_view name) const {
  const auto found = names_.find(std::string(name));
  return found == names_.end() ? nullptr : &found->second;
}

const name_place* name_book::find_written_metric(std::string_view name) const {
  for (const std::string_view each : {name, without_suffix(name)})
    for (const std::string_view form : {each, without_prefix(each, metric_prefixes_)}) {
      const bool is_short = short_forms_.count(std::string(form)) != 0;
      const auto& in = is_short ? declared_ : names_;
      const auto found = in.find(std::string(form));
      if (found != in.end()) return &found->second;
    }
  const auto in_parts = written_in_parts_.find(std::string(name));
  return in_parts == written_in_parts_.end() ? nullptr : &in_parts->second;
}

const name_place* name_book::find_whole_metric(const model::promised_metric& metric) const {
  if (const auto* found = find(metric.name)) return found;
  // Without its suffix a name is still one where the prefix is there; else it is a word.
  const std::string_view bare = without_suffix(metric.name);
  if (begins(bare, metric_prefixes_))
    if (const auto* found = find(bare)) return found;
  for (const std::string_view suffix : suffixes_of(metric.kind))
    if (const auto* found = find(metric.name + std::string(suffix))) return found;
  return nullptr;
}

sorted_names names_with(const name_book& book, const std::vector<std::string>& prefixes) {
  const auto begins = [&](std::string_view name) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const std::string& prefix) { return name.starts_with(prefix); });
  };
  sorted_names all;
  for (const auto& [name, place] : book.names()) {
    const std::string_view view = name;
    const bool is_a_family =
        view.find('*') != std::string_view::npos || view.ends_with('_') || view.ends_with(':');
    // A message that begins with a name is none: "SRV_PORT is not set".
    const bool is_a_name = std::all_of(view.begin(), view.end(), is_word);
    if (!is_a_family && is_a_name && begins(view)) all.emplace(view, &place);
  }
  return all;
}

}  // namespace assay::guard

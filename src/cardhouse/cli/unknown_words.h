// What to say of a command or an option that there is none of.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace cardhouse::cli {

/// Throws InputError unless the word is one of the app's commands; the message has the one that was meant, as far as
/// can be told, or all of them.
void check_command(const CLI::App& app, const std::string& word);

/// The message for words that the chosen command does not know.
std::string unexpected_words(const CLI::App& app);

}  // namespace cardhouse::cli

// Who may look and command: a secret token, and the Origin header that names the requesting page.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace cardhouse::viewer {

/// 128 random bits from the system, as 32 hex digits.
std::string random_token();

/// $XDG_STATE_HOME/cardhouse, else ~/.local/state/cardhouse. Throws InputError when neither variable is set.
std::filesystem::path state_folder();

/// The token of this user, the same from one start to the next, so that an open page finds its way back. Kept in a file
/// that only the user can read; made when it is missing, unreadable for the purpose, or when a new one is asked for.
std::string user_token(const std::filesystem::path& folder, bool renew);

/// Writes a file that only its owner can read. Throws std::runtime_error.
void write_private_file(const std::filesystem::path& file, std::string_view text);

/// Takes as long for a token that is nearly right as for one that is all wrong.
bool same_token(std::string_view given, std::string_view right);

/// Whether a Host header may be meant for us: an address in digits, localhost, or one of our own names, and a port or
/// none. Any other name may be one that a foreign site made point here (DNS rebinding).
bool allowed_host(std::string_view host_header, std::string_view own_name);

/// Whether a request comes from the page that the same host served.
bool same_origin(std::string_view origin, std::string_view host_header);

/// The value of `token` in a query such as "token=ab&x=1"; empty when there is none.
std::string_view token_of(std::string_view query);

}  // namespace cardhouse::viewer

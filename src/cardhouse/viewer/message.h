// Messages of the program to the page (docs/wire-format.md): a header in JSON, then arrays.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cardhouse::viewer {

using Json = nlohmann::ordered_json;

/// The bytes of a message. Shared, since several pages get the same ones.
using Message = std::shared_ptr<const std::string>;

/// Puts a message together.
class MessageBuilder {
 public:
  MessageBuilder(std::string_view type, int run);

  /// A field of the header. Numbers that are not finite become null.
  void set(const std::string& name, Json value) { header_[name] = std::move(value); }

  /// An array under its dataset's name. T is double, float, int64, int32, uint32 or uint8.
  template <typename T>
  void add(const std::string& name, const std::vector<std::int64_t>& shape, std::span<const T> values);

  Message finish() const;

 private:
  Json header_;
  std::string arrays_;
};

/// What could not be done. `field`: the one of a command whose value was refused, if it is about one.
Message error_message(const std::string& what, const std::string& field = "", int run = 0);

}  // namespace cardhouse::viewer

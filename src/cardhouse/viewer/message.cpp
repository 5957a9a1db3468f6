#include "cardhouse/viewer/message.h"

#include <bit>
#include <type_traits>
#include <utility>

namespace cardhouse::viewer {
namespace {

// Arrays go out as they lie in memory.
static_assert(std::endian::native == std::endian::little, "the wire format is little-endian");

constexpr std::size_t alignment = 8;

template <typename T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, double>) return "float64";
  if constexpr (std::is_same_v<T, float>) return "float32";
  if constexpr (std::is_same_v<T, std::int64_t>) return "int64";
  if constexpr (std::is_same_v<T, std::int32_t>) return "int32";
  if constexpr (std::is_same_v<T, std::uint32_t>) return "uint32";
  if constexpr (std::is_same_v<T, std::uint8_t>) return "uint8";
}

void pad(std::string& bytes, std::size_t offset, char with) {
  while ((bytes.size() + offset) % alignment != 0) bytes.push_back(with);
}

void append_uint32(std::string& bytes, std::uint32_t value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

MessageBuilder::MessageBuilder(std::string_view type, int run) {
  header_["type"] = type;
  if (run != 0) header_["run"] = run;
}

template <typename T>
void MessageBuilder::add(const std::string& name, const std::vector<std::int64_t>& shape, std::span<const T> values) {
  pad(arrays_, 0, '\0');
  header_["arrays"][name] = {{"type", type_name<T>()}, {"shape", shape}, {"offset", arrays_.size()}};
  arrays_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

template void MessageBuilder::add(const std::string&, const std::vector<std::int64_t>&, std::span<const double>);
template void MessageBuilder::add(const std::string&, const std::vector<std::int64_t>&, std::span<const float>);
template void MessageBuilder::add(const std::string&, const std::vector<std::int64_t>&, std::span<const std::int64_t>);
template void MessageBuilder::add(const std::string&, const std::vector<std::int64_t>&, std::span<const std::int32_t>);
template void MessageBuilder::add(const std::string&, const std::vector<std::int64_t>&, std::span<const std::uint32_t>);
template void MessageBuilder::add(const std::string&, const std::vector<std::int64_t>&, std::span<const std::uint8_t>);

Message MessageBuilder::finish() const {
  std::string header = header_.dump(-1, ' ', false, Json::error_handler_t::replace);
  pad(header, sizeof(std::uint32_t), ' ');
  auto bytes = std::make_shared<std::string>();
  bytes->reserve(sizeof(std::uint32_t) + header.size() + arrays_.size());
  append_uint32(*bytes, static_cast<std::uint32_t>(header.size()));
  *bytes += header;
  *bytes += arrays_;
  return bytes;
}

Message error_message(const std::string& what, const std::string& field, int run) {
  MessageBuilder message("error", run);
  message.set("message", what);
  if (!field.empty()) message.set("field", field);
  return message.finish();
}

}  // namespace cardhouse::viewer

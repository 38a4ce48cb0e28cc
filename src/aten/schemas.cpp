#include "aten/schemas.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "aten/schema_text.h"

namespace tonnx::aten {
namespace {

// One operator for each line, sorted by full name: the schema and, after " #", its tags. Written by
// scripts/update_schemas.
constexpr char kOwnText[] =
#include "aten/schemas.inc"
    ;
constexpr std::string_view kOwn(kOwnText, sizeof(kOwnText) - 1);

// Operators of other libraries that programs use, and those that passes create.
constexpr std::string_view kLibraries =
    "onnx::Attention.opset23(Tensor Q, Tensor K, Tensor V, Tensor? attn_mask=None, Tensor? past_key=None, Tensor? "
    "past_value=None, *, bool is_causal=False, SymInt kv_num_heads=0, SymInt q_num_heads=0, SymInt "
    "qk_matmul_output_mode=0, float? scale=None, float softcap=0., SymInt? softmax_precision=None) -> (Tensor, Tensor, "
    "Tensor, Tensor)\n"
    "onnx::RotaryEmbedding.opset23(Tensor x, Tensor cos_cache, Tensor sin_cache, Tensor? position_ids=None, *, bool "
    "interleaved=False, SymInt num_heads=0, SymInt rotary_embedding_dim=0) -> Tensor\n"
    "quantized_decomposed::choose_qparams.tensor(Tensor input, int quant_min, int quant_max, float eps, ScalarType "
    "dtype) -> (Tensor, Tensor)\n"
    "quantized_decomposed::choose_qparams_per_token(Tensor input, ScalarType dtype) -> (Tensor, Tensor)\n"
    "quantized_decomposed::choose_qparams_per_token_asymmetric(Tensor input, ScalarType dtype) -> (Tensor, Tensor)\n"
    "quantized_decomposed::choose_qparams_symmetric.tensor(Tensor input, int quant_min, int quant_max, float eps, "
    "ScalarType dtype) -> (Tensor, Tensor)\n"
    "quantized_decomposed::convert_element_type.no_fuse(Tensor input, ScalarType dtype) -> Tensor\n"
    "quantized_decomposed::dequantize_per_channel(Tensor input, Tensor scales, Tensor? zero_points, int axis, int "
    "quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor\n"
    "quantized_decomposed::dequantize_per_channel_group(Tensor input, Tensor scales, Tensor? zero_points, int "
    "quant_min, int quant_max, ScalarType dtype, int group_size, ScalarType output_dtype) -> Tensor\n"
    "quantized_decomposed::dequantize_per_tensor(Tensor input, float scale, int zero_point, int quant_min, int "
    "quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor\n"
    "quantized_decomposed::dequantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int "
    "quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor\n"
    "quantized_decomposed::dequantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, Tensor "
    "quant_min, Tensor quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor\n"
    "quantized_decomposed::dequantize_per_token(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int "
    "quant_max, ScalarType dtype, ScalarType output_dtype) -> Tensor\n"
    "quantized_decomposed::fake_quant_per_channel(Tensor input, Tensor scales, Tensor zero_points, int axis, int "
    "quant_min, int quant_max) -> Tensor\n"
    "quantized_decomposed::quantize_per_channel(Tensor input, Tensor scales, Tensor zero_points, int axis, int "
    "quant_min, int quant_max, ScalarType dtype) -> Tensor\n"
    "quantized_decomposed::quantize_per_channel_group(Tensor input, Tensor scales, Tensor zero_points, int "
    "quant_min, int quant_max, ScalarType dtype, int group_size) -> Tensor\n"
    "quantized_decomposed::quantize_per_tensor(Tensor input, float scale, int zero_point, int quant_min, int "
    "quant_max, ScalarType dtype) -> Tensor\n"
    "quantized_decomposed::quantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int quant_min, "
    "int quant_max, ScalarType dtype) -> Tensor\n"
    "quantized_decomposed::quantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, Tensor "
    "quant_min, Tensor quant_max, ScalarType dtype) -> Tensor\n"
    "quantized_decomposed::quantize_per_token(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int "
    "quant_max, ScalarType dtype) -> Tensor\n"
    "tonnx::quantized_gru(Tensor input, Tensor hx, Tensor[] params, int num_layers, bool bidirectional, bool "
    "batch_first, "
    "bool reduce_range) -> (Tensor, Tensor)\n"
    "tonnx::quantized_gru.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, int num_layers, bool "
    "bidirectional, bool reduce_range) -> (Tensor, Tensor)\n"
    "tonnx::quantized_lstm(Tensor input, Tensor[] hx, Tensor[] params, int num_layers, bool bidirectional, bool "
    "batch_first, bool reduce_range) -> (Tensor, Tensor, Tensor)\n"
    "tonnx::quantized_lstm.data(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, int num_layers, bool "
    "bidirectional, bool reduce_range) -> (Tensor, Tensor, Tensor)\n"
    "torchvision::deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, "
    "SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt "
    "offset_groups, bool use_mask) -> Tensor\n"
    "torchvision::nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor #dynamic_output_shape\n"
    "torchvision::ps_roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt "
    "pooled_width, int sampling_ratio) -> (Tensor, Tensor)\n"
    "torchvision::ps_roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt "
    "pooled_width) -> (Tensor, Tensor)\n"
    "torchvision::roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, "
    "int sampling_ratio, bool aligned) -> Tensor\n"
    "torchvision::roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width) "
    "-> (Tensor, Tensor)\n";

using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view table) {
  Lines lines;
  for (std::size_t begin = 0; begin < table.size(); begin += lines.back().size() + 1)
    lines.push_back(table.substr(begin, table.find('\n', begin) - begin));
  return lines;
}

// Both tables, in the order in which they are searched.
const std::array<Lines, 2>& tables() {
  static const auto& all = *new std::array<Lines, 2>{lines_of(kOwn), lines_of(kLibraries)};
  return all;
}

std::string_view name_of(std::string_view line) { return line.substr(0, line.find('(')); }

Lines::const_iterator lower_bound(const Lines& lines, std::string_view name) {
  return std::ranges::lower_bound(lines, name, {}, name_of);
}

SchemaLine read_line(std::string_view line) {
  SchemaLine out;
  out.full_name = name_of(line);
  std::size_t end = line.find(" #");
  out.text = line.substr(0, end);
  while (end != std::string_view::npos) {
    const std::size_t begin = end + 2;
    end = line.find(" #", begin);
    const std::string_view tag = line.substr(begin, end == std::string_view::npos ? end : end - begin);
    if (tag == "data_dependent_output") out.tags.data_dependent_output = true;
    if (tag == "dynamic_output_shape") out.tags.dynamic_output_shape = true;
    if (tag == "inplace_view") out.tags.inplace_view = true;
    if (tag == "nondeterministic_seeded") out.tags.nondeterministic_seeded = true;
  }
  return out;
}

}  // namespace

std::string_view SchemaLine::overload() const {
  const std::size_t dot = full_name.find('.');
  return dot == std::string_view::npos ? std::string_view() : full_name.substr(dot + 1);
}

std::optional<SchemaLine> find_line(std::string_view full_name) {
  for (const Lines& lines : tables()) {
    const auto at = lower_bound(lines, full_name);
    if (at != lines.end() && name_of(*at) == full_name) return read_line(*at);
  }
  return std::nullopt;
}

std::vector<SchemaLine> overloads_of(std::string_view name) {
  std::vector<SchemaLine> found;
  for (const Lines& lines : tables()) {
    for (auto at = lower_bound(lines, name); at != lines.end(); ++at) {
      const std::string_view full = name_of(*at);
      if (full.substr(0, full.find('.')) != name) break;
      found.push_back(read_line(*at));
    }
  }
  return found;
}

ir::SchemaPtr overload_for(std::string_view name, std::initializer_list<ir::Type> types) {
  for (const SchemaLine& line : overloads_of(name)) {
    const ir::SchemaPtr schema = find_schema(line.full_name);
    const auto takes = [](const ir::Type& type, const ir::Argument& argument) { return argument.type == type; };
    const auto& arguments = schema->arguments;
    if (arguments.size() >= types.size() && std::equal(types.begin(), types.end(), arguments.begin(), takes))
      return schema;
  }
  return nullptr;
}

void for_each_line(const std::function<void(const SchemaLine&)>& visit) {
  for (const Lines& lines : tables())
    for (const std::string_view line : lines) visit(read_line(line));
}

bool is_own(const SchemaLine& line) {
  const std::less_equal<> at_most;
  return at_most(kOwn.data(), line.full_name.data()) && at_most(line.full_name.data(), kOwn.data() + kOwn.size());
}

ir::SchemaPtr find_schema(std::string_view full_name) {
  static std::mutex mutex;
  static auto& parsed = *new std::map<std::string, ir::SchemaPtr, std::less<>>();
  const std::scoped_lock lock(mutex);
  if (const auto found = parsed.find(full_name); found != parsed.end()) return found->second;
  const auto line = find_line(full_name);
  if (!line) return nullptr;
  return parsed.emplace(full_name, std::make_shared<const ir::Schema>(parse_schema(line->text))).first->second;
}

bool is_own_domain(std::string_view domain) {
  const std::string prefix = std::string(domain) + "::";
  const Lines& own = tables().front();
  const auto at = lower_bound(own, prefix);
  return at != own.end() && at->starts_with(prefix);
}

}  // namespace tonnx::aten

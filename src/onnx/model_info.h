#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/attribute.h"
#include "ir/target.h"

namespace tonnx::onnx {

// Properties of an ONNX model besides its graph, and how much detail of the graph is written.
struct ModelInfo {
  int opset = 0;  // of the default domain
  ir::Target target = {};
  int ir_version = 0;  // 0: the lowest that the opset needs
  std::string producer_name;
  std::string producer_version;
  std::string domain;
  std::int64_t model_version = 0;
  std::string graph_name = "main_graph";
  std::string doc;
  // Custom domains and their versions. A domain that a node uses and this list lacks is imported at version 1.
  std::vector<std::pair<std::string, std::int64_t>> domains;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<std::string> functions;  // FunctionProto messages of the host or of a model that was read
  std::vector<std::string>
      module_functions;  // classes of modules whose calls become functions, from IR version 8 on; "*": all
  // Attributes of the calls of modules, by their paths.
  std::map<std::string, std::vector<ir::NamedAttribute>> module_attributes;
  bool initializers_as_inputs = false;  // weights are also graph inputs; always so below IR version 4
  bool doc_strings = false;             // a node's doc_string is its source line
  bool node_metadata = false;  // writes "source" and "module" of a node to metadata_props, from IR version 10 on
  bool node_names = true;      // writes names of nodes
  bool value_infos = false;    // writes types of intermediate values, and names for dims without a known size
};

}  // namespace tonnx::onnx

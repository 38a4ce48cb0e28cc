#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tonnx::onnx {

// What an ONNX model says beside its graph, and how much of the graph's detail is written.
struct ModelInfo {
  int opset = 0;       // of the default domain
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
  std::vector<std::string> functions;  // of a model that was read: FunctionProto messages, written as they are
  std::vector<std::string>
      module_functions;                 // classes of modules whose calls are functions, from IR version 8; "*": all
  bool initializers_as_inputs = false;  // weights are graph inputs as well; always so below IR version 4
  bool doc_strings = false;             // a node's doc_string is its source line
  bool node_metadata = false;           // "source" and "module" of a node as metadata_props, from IR version 10
  bool value_infos = false;             // types of intermediate values
};

}  // namespace tonnx::onnx

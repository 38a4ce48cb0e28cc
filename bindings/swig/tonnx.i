// tonnx for managed languages: the classes of values.h, reader.h, call.h and export.h, with names that start with Native, private
// to the hand-written facade of the language. Each language has its own file (java.i, csharp.i), which defines:
//   how tonnx::Error becomes that language's exception (%exception; tonnx::managed::Error carries its content),
//   std::string as UTF-8, std::vector of int32_t, int64_t, double and std::string,
//   (const void* data, int64_t size) and (void* into, int64_t size) as arrays of bytes.
%module(directors="1") Native

%{
#include "error.h"
#include "values.h"
#include "reader.h"
#include "call.h"
#include "export.h"
#include "trace.h"
%}

%include <stdint.i>

// int64_t is a 64-bit integer, even where SWIG maps `long` to a 32-bit one.
%apply long long { long, int64_t };
%apply const long long& { const long&, const int64_t& };

%rename(NativeError) tonnx::managed::Error;
%rename(NativeTensor) tonnx::managed::Tensor;
%rename(NativeArgs) tonnx::managed::Args;
%rename(NativeOptions) tonnx::managed::Options;
%rename(NativeAttributes) tonnx::managed::Attributes;
%rename(NativeReader) tonnx::managed::Reader;
%rename(NativeCall) tonnx::managed::Call;
%rename(NativeChunk) tonnx::managed::Chunk;
%rename(NativeHost) tonnx::managed::Host;
%rename(NativeRegistry) tonnx::managed::Registry;
%rename(NativeProgram) tonnx::managed::Program;
%rename(NativeModel) tonnx::managed::Model;
%rename(NativeContents) tonnx::managed::Contents;
%rename(NativeGroups) tonnx::managed::Groups;
%rename(NativeMismatch) tonnx::managed::Mismatch;
%rename(NativeOutputs) tonnx::managed::Outputs;
%rename(NativeTrace) tonnx::managed::Trace;
%rename(NativeTraceOptions) tonnx::managed::TraceOptions;
%rename(NativeResize) tonnx::managed::Resize;
%rename(NativeEvent) tonnx::managed::Event;
%rename(NativeObserver) tonnx::managed::Observer;
%rename(NativeVerifyOptions) tonnx::managed::VerifyOptions;
%rename(NativeSaveOptions) tonnx::managed::SaveOptions;

// Created only by native code.
%nodefaultctor tonnx::managed::Error;
%nodefaultctor tonnx::managed::Reader;
%nodefaultctor tonnx::managed::Call;
%nodefaultctor tonnx::managed::Resize;
%nodefaultctor tonnx::managed::Event;
%nodefaultctor tonnx::managed::Chunk;
%nodefaultctor tonnx::managed::Contents;
%nodefaultctor tonnx::managed::Program;
%nodefaultctor tonnx::managed::Model;
%nodefaultctor tonnx::managed::Mismatch;
%nodefaultctor tonnx::managed::Outputs;
%nodefaultdtor tonnx::managed::Reader;
%nodefaultdtor tonnx::managed::Call;
%nodefaultdtor tonnx::managed::Resize;
%nodefaultdtor tonnx::managed::Event;
%nodefaultdtor tonnx::managed::Chunk;

%newobject tonnx::managed::Tensor::from_torch;
%newobject tonnx::managed::Args::load;
%newobject tonnx::managed::Args::tensor;
%newobject tonnx::managed::Reader::to_tensor;
%newobject tonnx::managed::Program::contents;
%newobject tonnx::managed::Model::contents;
%newobject tonnx::managed::Mismatch::program_contents;
%newobject tonnx::managed::Mismatch::model_contents;
%newobject tonnx::managed::Program::load;
%newobject tonnx::managed::Program::load_bytes;
%newobject tonnx::managed::Program::with_weights;
%newobject tonnx::managed::Model::flat_inputs;
%newobject tonnx::managed::Model::flat_outputs;
%newobject tonnx::managed::export_program;
%newobject tonnx::managed::find_mismatch;
%newobject tonnx::managed::run_file;
%newobject tonnx::managed::Outputs::tensors;
%newobject tonnx::managed::Trace::end;

%feature("director") tonnx::managed::Host;

#if defined(SWIGJAVA)
%include "java.i"
#elif defined(SWIGCSHARP)
%include "csharp.i"
#endif

%include "error.h"
%include "values.h"
%include "reader.h"
%include "call.h"
%include "export.h"
%include "trace.h"

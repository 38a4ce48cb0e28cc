// The C# part of tonnx.i: internal classes, own exceptions, strings and arrays as packed bytes. The managed half is in
// Packed.cs and NativeRuntime.cs.

%pragma(csharp) moduleclassmodifiers="internal class"
%pragma(csharp) imclassclassmodifiers="internal class"
%typemap(csclassmodifiers) SWIGTYPE, SWIGTYPE&, SWIGTYPE*, SWIGTYPE[], SWIGTYPE (CLASS::*) "internal class"

// Addresses of pinned arrays.
%apply void* VOID_INT_PTR { const void* data, void* into };

%{
#include <atomic>
#include <cstring>
#include <new>
#include <stdexcept>

namespace {

using ErrorCallback = void(SWIGSTDCALL*)(void* error);

// Null before C# sets it, and again when the process is about to end.
std::atomic<ErrorCallback> error_callback{nullptr};

// Turns the current exception into a pending exception of C#.
void raise_current() noexcept {
  tonnx::managed::Error* made = tonnx::managed::current_error();
  if (const ErrorCallback raise = error_callback.load()) return raise(made);
  delete made;
}

// Input format: the payload's size in 8 bytes, then the payload.
std::string unpacked(const char* packed) {
  int64_t size = 0;
  std::memcpy(&size, packed, sizeof size);
  return std::string(packed + sizeof size, static_cast<std::size_t>(size));
}
void unpack(const char* packed, std::string& into) { into = unpacked(packed); }
void unpack(const char* packed, std::vector<std::string>& into) {
  const std::string payload = unpacked(packed);
  for (std::size_t at = 0; at < payload.size(); at += into.back().size() + 1) into.emplace_back(payload.c_str() + at);
}
template <class T>
void unpack(const char* packed, std::vector<T>& into) {
  const std::string payload = unpacked(packed);
  into.resize(payload.size() / sizeof(T));
  if (!into.empty()) std::memcpy(into.data(), payload.data(), payload.size());
}

// Output format: the payload, freed with tonnx_csharp_free.
void* pack(std::string payload) { return new std::string(std::move(payload)); }
void* pack(const std::vector<std::string>& texts) {
  std::string payload;
  for (const std::string& text : texts) payload.append(text.c_str(), std::strlen(text.c_str()) + 1);
  return pack(std::move(payload));
}
template <class T>
void* pack(const std::vector<T>& values) {
  return pack(std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
}

}  // namespace

extern "C" SWIGEXPORT void SWIGSTDCALL tonnx_csharp_on_error(ErrorCallback callback) { error_callback = callback; }
extern "C" SWIGEXPORT const void* SWIGSTDCALL tonnx_csharp_data(const void* packed) {
  return static_cast<const std::string*>(packed)->data();
}
extern "C" SWIGEXPORT int64_t SWIGSTDCALL tonnx_csharp_size(const void* packed) {
  return static_cast<int64_t>(static_cast<const std::string*>(packed)->size());
}
extern "C" SWIGEXPORT void SWIGSTDCALL tonnx_csharp_free(void* packed) { delete static_cast<std::string*>(packed); }
%}

%pragma(csharp) imclasscode=%{
  internal delegate void ErrorDelegate(global::System.IntPtr error);

  [global::System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="tonnx_csharp_on_error")]
  internal static extern void OnError(ErrorDelegate callback);
  [global::System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="tonnx_csharp_data")]
  internal static extern global::System.IntPtr PackedData(global::System.IntPtr packed);
  [global::System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="tonnx_csharp_size")]
  internal static extern long PackedSize(global::System.IntPtr packed);
  [global::System.Runtime.InteropServices.DllImport("$dllimport", EntryPoint="tonnx_csharp_free")]
  internal static extern void PackedFree(global::System.IntPtr packed);
%}

%feature("except:canthrow") "1";
%exception %{
  try {
    $action
  } catch (...) {
    raise_current();
    return $null;
  }
%}

namespace std {
class string;
template <class T> class vector;
}

%define TONNX_PACKED(TYPE, CSTYPE, UNPACK)
%typemap(ctype) const TYPE& "const char*"
%typemap(imtype) const TYPE& "byte[]"
%typemap(cstype) const TYPE& "CSTYPE"
%typemap(csin) const TYPE& "global::Tonnx.Packed.Pack($csinput)"
%typemap(in) const TYPE& (TYPE held) %{
  try {
    unpack($input, held);
  } catch (...) {
    raise_current();
    return $null;
  }
  $1 = &held;
%}

%typemap(ctype) TYPE "void*"
%typemap(imtype) TYPE "global::System.IntPtr"
%typemap(cstype) TYPE "CSTYPE"
%typemap(out) TYPE %{
  try {
    $result = pack(static_cast<const TYPE&>($1));
  } catch (...) {
    raise_current();
    return $null;
  }
%}
%typemap(csout, excode=SWIGEXCODE) TYPE {
    global::System.IntPtr packed = $imcall;$excode
    return global::Tonnx.Packed.UNPACK(packed);
  }
%enddef

TONNX_PACKED(std::string, string, TakeText)
TONNX_PACKED(std::vector<std::string>, string[], TakeTexts)
TONNX_PACKED(std::vector<int32_t>, int[], TakeInt32s)
TONNX_PACKED(std::vector<int64_t>, long[], TakeInt64s)
TONNX_PACKED(std::vector<double>, double[], TakeDoubles)

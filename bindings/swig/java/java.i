// The Java part of the interface: arrays for vectors and bytes, UTF-8 strings, TonnxException for tonnx::Error.

%rename("%(lowercamelcase)s", %$isfunction) "";

%{
#include <memory>
#include <utility>

namespace {

// Leaves a TonnxException pending, which owns the proxy of the error; without memory for it an OutOfMemoryError.
void throw_error(JNIEnv* env, std::unique_ptr<tonnx::managed::Error> error) noexcept {
  if (!error) {
    if (const jclass memory = env->FindClass("java/lang/OutOfMemoryError")) env->ThrowNew(memory, "native memory");
    return;
  }
  const jclass proxy = env->FindClass("org/tonnx/internal/NativeError");
  const jclass exception = proxy ? env->FindClass("org/tonnx/TonnxException") : nullptr;
  const jmethodID make = exception ? env->GetMethodID(proxy, "<init>", "(JZ)V") : nullptr;
  const jmethodID of = make ? env->GetStaticMethodID(exception, "of",
                                                     "(Lorg/tonnx/internal/NativeError;)Lorg/tonnx/TonnxException;")
                            : nullptr;
  const jobject carried = of ? env->NewObject(proxy, make, reinterpret_cast<jlong>(error.get()), JNI_TRUE) : nullptr;
  if (!carried) {
    // The error's destructor may call Java, which must not happen while an exception is pending.
    const jthrowable pending = env->ExceptionOccurred();
    env->ExceptionClear();
    error.reset();
    if (pending) env->Throw(pending);
    return;
  }
  error.release();
  const jobject thrown = env->CallStaticObjectMethod(exception, of, carried);
  if (!env->ExceptionCheck()) env->Throw(static_cast<jthrowable>(thrown));
}

// Throws the pending Java exception, or an error that Java is out of memory.
[[noreturn]] void throw_pending() {
  throw tonnx::Error(TONNX_STATUS_MEMORY, "the Java virtual machine is out of memory");
}

void check_present(JNIEnv* env, jobject object) {
  if (!object) throw tonnx::Error(TONNX_STATUS_ARGUMENT, "an object is null");
  static_cast<void>(env);
}

std::string string_from(JNIEnv* env, jbyteArray array) {
  check_present(env, array);
  std::string text(static_cast<std::size_t>(env->GetArrayLength(array)), '\0');
  env->GetByteArrayRegion(array, 0, static_cast<jsize>(text.size()), reinterpret_cast<jbyte*>(text.data()));
  if (text.find('\0') != std::string::npos) throw tonnx::Error(TONNX_STATUS_ARGUMENT, "a string contains a NUL character");
  return text;
}

jbyteArray array_of(JNIEnv* env, const std::string& text) {
  if (text.size() > 0x7fffffff - 8) throw tonnx::Error(TONNX_STATUS_ARGUMENT, "the text is too long for a Java string");
  const jbyteArray array = env->NewByteArray(static_cast<jsize>(text.size()));
  if (!array) throw_pending();
  env->SetByteArrayRegion(array, 0, static_cast<jsize>(text.size()), reinterpret_cast<const jbyte*>(text.data()));
  return array;
}

// Elements of primitive arrays, by type.
template <class T>
struct Elements;
template <>
struct Elements<int32_t> {
  using Array = jintArray;
  using Element = jint;
  static constexpr auto make = &JNIEnv::NewIntArray;
  static constexpr auto get = &JNIEnv::GetIntArrayRegion;
  static constexpr auto set = &JNIEnv::SetIntArrayRegion;
};
template <>
struct Elements<int64_t> {
  using Array = jlongArray;
  using Element = jlong;
  static constexpr auto make = &JNIEnv::NewLongArray;
  static constexpr auto get = &JNIEnv::GetLongArrayRegion;
  static constexpr auto set = &JNIEnv::SetLongArrayRegion;
};
template <>
struct Elements<double> {
  using Array = jdoubleArray;
  using Element = jdouble;
  static constexpr auto make = &JNIEnv::NewDoubleArray;
  static constexpr auto get = &JNIEnv::GetDoubleArrayRegion;
  static constexpr auto set = &JNIEnv::SetDoubleArrayRegion;
};

template <class T>
std::vector<T> vector_from(JNIEnv* env, typename Elements<T>::Array array) {
  using Element = typename Elements<T>::Element;
  static_assert(sizeof(T) == sizeof(Element));
  check_present(env, array);
  std::vector<T> values(static_cast<std::size_t>(env->GetArrayLength(array)));
  (env->*Elements<T>::get)(array, 0, static_cast<jsize>(values.size()), reinterpret_cast<Element*>(values.data()));
  return values;
}

template <class T>
typename Elements<T>::Array array_of(JNIEnv* env, const std::vector<T>& values) {
  using Element = typename Elements<T>::Element;
  if (values.size() > 0x7fffffff - 8) throw tonnx::Error(TONNX_STATUS_ARGUMENT, "a list is too long for a Java array");
  const auto array = (env->*Elements<T>::make)(static_cast<jsize>(values.size()));
  if (!array) throw_pending();
  (env->*Elements<T>::set)(array, 0, static_cast<jsize>(values.size()),
                           reinterpret_cast<const Element*>(values.data()));
  return array;
}

std::vector<std::string> strings_from(JNIEnv* env, jobjectArray array) {
  check_present(env, array);
  std::vector<std::string> texts;
  for (jsize i = 0; i < env->GetArrayLength(array); ++i) {
    const jobject item = env->GetObjectArrayElement(array, i);
    if (env->ExceptionCheck()) throw_pending();
    texts.push_back(string_from(env, static_cast<jbyteArray>(item)));
    env->DeleteLocalRef(item);
  }
  return texts;
}

jobjectArray array_of(JNIEnv* env, const std::vector<std::string>& texts) {
  const jclass bytes = env->FindClass("[B");
  if (!bytes) throw_pending();
  const jobjectArray array = env->NewObjectArray(static_cast<jsize>(texts.size()), bytes, nullptr);
  if (!array) throw_pending();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const jbyteArray item = array_of(env, texts[i]);
    env->SetObjectArrayElement(array, static_cast<jsize>(i), item);
    if (env->ExceptionCheck()) throw_pending();
    env->DeleteLocalRef(item);
  }
  return array;
}

// The bytes of a Java array during one call; written back if the callee may have changed them.
class HeldBytes {
 public:
  HeldBytes() = default;
  HeldBytes(const HeldBytes&) = delete;
  ~HeldBytes() {
    if (data_) env_->ReleaseByteArrayElements(array_, data_, mode_);
  }
  void hold(JNIEnv* env, jbyteArray array, jint mode) {
    check_present(env, array);
    env_ = env;
    array_ = array;
    mode_ = mode;
    data_ = env->GetByteArrayElements(array, nullptr);
    if (!data_) throw_pending();
  }
  jbyte* data() const { return data_; }
  int64_t size() const { return env_->GetArrayLength(array_); }

 private:
  JNIEnv* env_ = nullptr;
  jbyteArray array_ = nullptr;
  jint mode_ = 0;
  jbyte* data_ = nullptr;
};

// Runs code that may throw, and passes the exception to Java. Returns true if nothing was thrown.
template <class Body>
bool guarded(JNIEnv* env, Body&& body) noexcept {
  std::unique_ptr<tonnx::managed::Error> failed;
  try {
    body();
    return true;
  } catch (...) {
    if (!env->ExceptionCheck()) failed.reset(tonnx::managed::current_error());
  }
  // Not in the handler: the destructor of a C++ exception may call Java (Host::release), which clears a pending
  // exception.
  if (!env->ExceptionCheck()) throw_error(env, std::move(failed));
  return false;
}

}  // namespace
%}

%exception %{
  if (!guarded(jenv, [&] { $action })) return $null;
%}

// Strings.
%typemap(jni) const std::string&, std::string "jbyteArray"
%typemap(jtype) const std::string&, std::string "byte[]"
%typemap(jstype) const std::string&, std::string "String"
%typemap(javain) const std::string&, std::string
  "$javainput.getBytes(java.nio.charset.StandardCharsets.UTF_8)"
%typemap(javaout) const std::string&, std::string
  %{ { return new String($jnicall, java.nio.charset.StandardCharsets.UTF_8); } %}
%typemap(in) const std::string& (std::string text)
  %{ if (!guarded(jenv, [&] { text = string_from(jenv, $input); })) return $null;
     $1 = &text; %}
%typemap(out) std::string
  %{ if (!guarded(jenv, [&] { $result = array_of(jenv, $1); })) return $null; %}

// Lists of numbers and strings.
%define TONNX_JAVA_ARRAY(TYPE, JNI, JAVA)
%typemap(jni) const std::vector<TYPE>&, std::vector<TYPE> #JNI
%typemap(jtype) const std::vector<TYPE>&, std::vector<TYPE> #JAVA
%typemap(jstype) const std::vector<TYPE>&, std::vector<TYPE> #JAVA
%typemap(javain) const std::vector<TYPE>&, std::vector<TYPE> "$javainput"
%typemap(javaout) const std::vector<TYPE>&, std::vector<TYPE> { return $jnicall; }
%typemap(in) const std::vector<TYPE>& (std::vector<TYPE> values)
  %{ if (!guarded(jenv, [&] { values = vector_from<TYPE>(jenv, $input); })) return $null;
     $1 = &values; %}
%typemap(out) std::vector<TYPE>
  %{ if (!guarded(jenv, [&] { $result = array_of(jenv, $1); })) return $null; %}
%enddef

TONNX_JAVA_ARRAY(int32_t, jintArray, int[])
TONNX_JAVA_ARRAY(int64_t, jlongArray, long[])
TONNX_JAVA_ARRAY(double, jdoubleArray, double[])
TONNX_JAVA_ARRAY(std::string, jobjectArray, byte[][])
%typemap(in) const std::vector<std::string>& (std::vector<std::string> values)
  %{ if (!guarded(jenv, [&] { values = strings_from(jenv, $input); })) return $null;
     $1 = &values; %}

// Bytes.
%typemap(jni) (const void* data, int64_t size), (void* into, int64_t size) "jbyteArray"
%typemap(jtype) (const void* data, int64_t size), (void* into, int64_t size) "byte[]"
%typemap(jstype) (const void* data, int64_t size), (void* into, int64_t size) "byte[]"
%typemap(javain) (const void* data, int64_t size), (void* into, int64_t size) "$javainput"
%typemap(in) (const void* data, int64_t size) (HeldBytes held)
  %{ if (!guarded(jenv, [&] { held.hold(jenv, $input, JNI_ABORT); })) return $null;
     $1 = held.data();
     $2 = held.size(); %}
%typemap(in) (void* into, int64_t size) (HeldBytes held)
  %{ if (!guarded(jenv, [&] { held.hold(jenv, $input, 0); })) return $null;
     $1 = held.data();
     $2 = held.size(); %}

// The facade closes proxies; finalizers are not used.
%typemap(javafinalize) SWIGTYPE ""

%pragma(java) jniclassclassmodifiers="final class"

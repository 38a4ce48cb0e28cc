/* The shim for Java: class TorchShim of the binding's tests. */
#include <jni.h>

#include "torch_shim.h"

static void refuse(JNIEnv* env, const char* message) {
  (*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/ArithmeticException"), message);
}

JNIEXPORT jlongArray JNICALL Java_org_tonnx_TorchShim_run(JNIEnv* env, jclass shim, jstring name, jlongArray tensors,
                                                          jlongArray numbers) {
  enum { MOST = 16 };
  void *given[MOST], *made[TORCH_SHIM_RESULTS];
  jlong ints[MOST], results[TORCH_SHIM_RESULTS];
  const jsize tensor_count = (*env)->GetArrayLength(env, tensors), number_count = (*env)->GetArrayLength(env, numbers);
  (void)shim;
  if (tensor_count > MOST || number_count > MOST) {
    refuse(env, "too many tensors or numbers");
    return NULL;
  }
  (*env)->GetLongArrayRegion(env, tensors, 0, tensor_count, ints);
  for (jsize i = 0; i < tensor_count; ++i) given[i] = (void*)(intptr_t)ints[i];
  (*env)->GetLongArrayRegion(env, numbers, 0, number_count, ints);
  const char* text = (*env)->GetStringUTFChars(env, name, NULL);
  if (!text) return NULL;
  const int32_t count =
      torch_shim_run(text, given, (size_t)tensor_count, (const int64_t*)ints, (size_t)number_count, made);
  (*env)->ReleaseStringUTFChars(env, name, text);
  if (count < 0) {
    refuse(env, torch_shim_error());
    return NULL;
  }
  for (int32_t i = 0; i < count; ++i) results[i] = (jlong)(intptr_t)made[i];
  jlongArray out = (*env)->NewLongArray(env, count);
  if (out) (*env)->SetLongArrayRegion(env, out, 0, count, results);
  return out;
}

JNIEXPORT jlong JNICALL Java_org_tonnx_TorchShim_size(JNIEnv* env, jclass shim, jlong tensor, jlong dim) {
  (void)env, (void)shim;
  return torch_shim_size((const void*)(intptr_t)tensor, dim);
}

JNIEXPORT void JNICALL Java_org_tonnx_TorchShim_delete(JNIEnv* env, jclass shim, jlong tensor) {
  (void)env, (void)shim;
  torch_shim_delete((void*)(intptr_t)tensor);
}

/* network.h for Java: the native methods of Quadrants.java. */
#include <jni.h>

#include "network.h"

#define METHOD(result, name) JNIEXPORT result JNICALL Java_Quadrants_##name

METHOD(jlong, networkNew)(JNIEnv* env, jclass type, jlong seed) {
  (void)env, (void)type;
  return (jlong)(intptr_t)network_new(seed);
}

METHOD(jdouble, train)(JNIEnv* env, jclass type, jlong network, jlong steps) {
  (void)env, (void)type;
  return network_train((struct network*)(intptr_t)network, steps);
}

METHOD(jint, weightCount)(JNIEnv* env, jclass type, jlong network) {
  (void)env, (void)type;
  return (jint)network_weight_count((const struct network*)(intptr_t)network);
}

METHOD(jstring, weightName)(JNIEnv* env, jclass type, jlong network, jint index) {
  (void)type;
  const char* name = network_weight_name((const struct network*)(intptr_t)network, (size_t)index);
  return name ? (*env)->NewStringUTF(env, name) : NULL;
}

METHOD(jlong, weight)(JNIEnv* env, jclass type, jlong network, jint index) {
  (void)env, (void)type;
  return (jlong)(intptr_t)network_weight((const struct network*)(intptr_t)network, (size_t)index);
}

METHOD(jlong, forward)(JNIEnv* env, jclass type, jlong network, jlong images) {
  (void)env, (void)type;
  return (jlong)(intptr_t)network_forward((struct network*)(intptr_t)network, (const void*)(intptr_t)images);
}

METHOD(void, deleteTensor)(JNIEnv* env, jclass type, jlong tensor) {
  (void)env, (void)type;
  network_delete_tensor((void*)(intptr_t)tensor);
}

METHOD(void, networkFree)(JNIEnv* env, jclass type, jlong network) {
  (void)env, (void)type;
  network_free((struct network*)(intptr_t)network);
}

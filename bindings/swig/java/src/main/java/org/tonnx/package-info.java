/**
 * Exports LibTorch programs as ONNX models, without Python.
 *
 * <p>The road: {@link org.tonnx.Program#load}, {@link org.tonnx.Args}, {@link org.tonnx.Program#export},
 * {@link org.tonnx.Model#save}.
 *
 * <p>Errors. Failures of tonnx throw a {@link org.tonnx.TonnxException}. A null argument is a
 * {@link java.lang.NullPointerException}; the use of a closed object is an {@link java.lang.IllegalStateException}.
 *
 * <p>Freeing. {@code close} frees native memory at once; objects that
 * are not closed are freed after garbage collection. Objects may be closed in any order, twice, and while another
 * thread uses them: what an export or a model needs stays alive.
 *
 * <p>Threads. Objects may be read by several threads at once. Changing one while it is in use elsewhere is an
 * {@link java.lang.IllegalStateException}.
 */
package org.tonnx;

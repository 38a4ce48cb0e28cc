using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;
using Tonnx.Internal;

namespace Tonnx {

/// Format of strings and arrays passed to native code (the payload's size in 8 bytes, then
/// the payload) and back. Strings are UTF-8; in a list, each string is followed by NUL.
internal static class Packed {
  private static readonly Encoding Utf8 = new UTF8Encoding(false);

  internal static byte[] Pack(string text) {
    byte[] packed = Packet(Utf8.GetByteCount(Plain(text)));
    Utf8.GetBytes(text, 0, text.Length, packed, sizeof(long));
    return packed;
  }

  internal static byte[] Pack(IEnumerable<string> texts) {
    var payload = new MemoryStream();
    foreach (string text in texts) {
      byte[] bytes = Utf8.GetBytes(Plain(text));
      payload.Write(bytes, 0, bytes.Length);
      payload.WriteByte(0);
    }
    return Pack(payload.ToArray(), (int)payload.Length);
  }

  internal static byte[] Pack(int[] values) {
    return Pack(values, sizeof(int) * values.Length);
  }

  internal static byte[] Pack(long[] values) {
    return Pack(values, sizeof(long) * values.Length);
  }

  internal static byte[] Pack(double[] values) {
    return Pack(values, sizeof(double) * values.Length);
  }

  internal static string TakeText(IntPtr packed) {
    return Utf8.GetString(Take(packed));
  }

  internal static string[] TakeTexts(IntPtr packed) {
    string all = TakeText(packed);
    return all.Length == 0 ? new string[0] : all.Substring(0, all.Length - 1).Split('\0');
  }

  internal static int[] TakeInt32s(IntPtr packed) {
    byte[] payload = Take(packed);
    return Copy(payload, new int[payload.Length / sizeof(int)]);
  }

  internal static long[] TakeInt64s(IntPtr packed) {
    byte[] payload = Take(packed);
    return Copy(payload, new long[payload.Length / sizeof(long)]);
  }

  internal static double[] TakeDoubles(IntPtr packed) {
    byte[] payload = Take(packed);
    return Copy(payload, new double[payload.Length / sizeof(double)]);
  }

  private static string Plain(string text) {
    if (text == null)
      throw new ArgumentNullException(nameof(text));
    if (text.IndexOf('\0') >= 0)
      throw new ArgumentException("a string for tonnx contains a NUL character");
    return text;
  }

  private static byte[] Pack(Array values, int size) {
    byte[] packed = Packet(size);
    Buffer.BlockCopy(values, 0, packed, sizeof(long), size);
    return packed;
  }

  private static byte[] Packet(int size) {
    var packed = new byte[checked(sizeof(long) + size)];
    BitConverter.GetBytes((long)size).CopyTo(packed, 0);
    return packed;
  }

  private static byte[] Take(IntPtr packed) {
    // A failed call whose error could not be reported.
    if (packed == IntPtr.Zero)
      throw new InvalidOperationException("tonnx was called while the process was ending");
    try {
      var payload = new byte[NativePINVOKE.PackedSize(packed)];
      Marshal.Copy(NativePINVOKE.PackedData(packed), payload, 0, payload.Length);
      return payload;
    } finally {
      NativePINVOKE.PackedFree(packed);
    }
  }

  private static T[] Copy<T>(byte[] payload, T[] values) {
    Buffer.BlockCopy(payload, 0, values, 0, payload.Length);
    return values;
  }
}

}

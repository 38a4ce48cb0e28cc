package org.tonnx;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Texts as native code has them: UTF-8. */
final class Text {
  private Text() {}

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static List<String> list(byte[][] texts) {
    List<String> strings = new ArrayList<>(texts.length);
    for (byte[] text : texts) {
      strings.add(new String(text, StandardCharsets.UTF_8));
    }
    return Collections.unmodifiableList(strings);
  }
}

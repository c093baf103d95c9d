// Lower case and NFKC against recorded results of Python's unicodedata.

#include <doctest/doctest.h>

#include <clocale>
#include <string>

#include "data/text/lowercase.h"
#include "data/text/nfkc.h"

using namespace calque;

TEST_CASE("lower case covers many alphabets") {
  CHECK(lowercase("HELLO, World 42!") == "hello, world 42!");
  CHECK(lowercase("ÄÖÜ ẞ ß É ÇÀ Ł Ž Ÿ") == "äöü ß ß é çà ł ž ÿ");
  CHECK(lowercase("ΑΒΓ Σ Ω Ж Щ Ю Ѐ Ա Ⴀ") == "αβγ σ ω ж щ ю ѐ ա ⴀ");
  CHECK(lowercase("Ａ Ⅷ Ⓐ 𐐀") == "ａ ⅷ ⓐ 𐐨");
  CHECK(lowercase("İI") == "ii");
  CHECK(lowercase("中文 × ÷ ª º 1") == "中文 × ÷ ª º 1");
}

TEST_CASE("lower case is the same under Turkish and German locales") {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"tr_TR.UTF-8", "tr_TR.utf8", "de_DE.UTF-8"}) {
    std::setlocale(LC_ALL, name);  // if the machine has it
    CHECK(lowercase("TITLE I") == "title i");
  }
  std::setlocale(LC_ALL, before.c_str());
}

TEST_CASE("NFKC composes accents, splits ligatures and leaves the rest unchanged") {
  CHECK(nfkc("plain ascii  with   spaces ") == "plain ascii  with   spaces ");
  CHECK(nfkc("Größe, déjà vu, Œuvre, Łódź") == "Größe, déjà vu, Œuvre, Łódź");
  CHECK(nfkc("ﬁne") == "fine");
  CHECK(nfkc("x² + ½") == "x2 + 1⁄2");
  CHECK(nfkc("e\u0301 A\u030A u\u0308") == "é Å ü");
  CHECK(nfkc("Ａ１") == "A1");
  CHECK(nfkc("a\u00A0b\u3000c") == "a b c");
  CHECK(nfkc("ſ ŀ ŉ Ĳ") == "s l· ʼn IJ");
  CHECK(nfkc("\u1100\u1161") == "\uAC00");
  CHECK(nfkc("") == "");
}

TEST_CASE("NFKC preserves SentencePiece's symbol for a space") {
  CHECK(nfkc("\u2581a\u2581 ﬁ\u2581\u2581") == "\u2581a\u2581 fi\u2581\u2581");
}

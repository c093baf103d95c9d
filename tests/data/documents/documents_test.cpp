// Documents from files and memory, and as a dataset.

#include "data/documents/documents.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.h"
#include "data/documents/dataset.h"
#include "data/files/gzip_bytes.h"
#include "data/temporary_folder.h"
#include "data/tokenizers/training.h"
#include "support/message_of.h"
#include "support/threads.h"

using namespace calque;

namespace {

std::vector<std::string> texts_of(const DocumentSource& source) {
  const Documents documents(source);
  std::vector<std::string> texts;
  for (int64_t i = 0; i < documents.count(); ++i) texts.push_back(documents.text(i));
  return texts;
}

using Texts = std::vector<std::string>;

const Tokenizer& bytes() {
  static const Tokenizer tokenizer(ByteModel(), {.kind = TokenizerKind::bytes});
  return tokenizer;
}

std::vector<int32_t> ids_of(const Dataset& dataset, int64_t document) {
  Example example;
  dataset.tokens->read(document, example);
  REQUIRE(example.size() == 1);
  return example[0];
}

}  // namespace

TEST_CASE("a document is a line, a paragraph or a file, without its last line end") {
  const TemporaryFolder folder;
  const std::string one = folder.write("one", "a\nb\n\n \t\nc\r\n\n"),
                    two = folder.write("two", "d");
  const auto of = [&](DocumentUnit unit) { return texts_of({DocumentFiles{{one, two}, unit}}); };
  CHECK(of(DocumentUnit::lines) == Texts{"a", "b", "", " \t", "c", "", "d"});
  CHECK(of(DocumentUnit::paragraphs) == Texts{"a\nb", "c", "d"});
  CHECK(of(DocumentUnit::files) == Texts{"a\nb\n\n \t\nc\n", "d"});
}

TEST_CASE("documents are the same from plain files, gzip and memory") {
  const TemporaryFolder folder;
  const std::string text =
      "\xEF\xBB\xBF"
      "a\r\nb\r\n\r\n\r\n c \n";
  const Texts expected = {"a\nb", " c "};
  CHECK(texts_of({DocumentFiles{{folder.write("plain", text)}}}) == expected);
  CHECK(texts_of({DocumentFiles{{folder.write("packed", gzip_bytes(text))}}}) == expected);
  CHECK(texts_of({documents_in_memory("toy", expected)}) == expected);
}

TEST_CASE("a document and its lines may be of any length") {
  const TemporaryFolder folder;
  const std::string line(3 << 20, 'x');
  const std::string path = folder.write("long", line + "\n" + line + "\n\nend\n");
  CHECK(texts_of({DocumentFiles{{path}}}) == Texts{line + "\n" + line, "end"});
}

TEST_CASE("a document reports the file and line where it begins and where its text is invalid") {
  const TemporaryFolder folder;
  const std::string one = folder.write("one", "a\n\nb\nc\n"),
                    two = folder.write("two", "\n\nd\ne\xFCg\n");
  const Documents documents({DocumentFiles{{one, two}}});
  REQUIRE(documents.count() == 3);
  CHECK(documents.where(0) == one + ":1");
  CHECK(documents.where(1) == one + ":3");
  CHECK(documents.where(2) == two + ":3");
  CHECK(documents.problem(1).empty());
  CHECK(documents.problem(2) == two + ":4: not valid UTF-8 (byte 2)");
  const Documents memory({documents_in_memory("toy", {"a", "b\n\xFF"})});
  CHECK(memory.problem(1) == "toy:2: not valid UTF-8 (byte 3)");
}

TEST_CASE("files without a document are an error") {
  const TemporaryFolder folder;
  const std::string blank = folder.write("blank", "\n \n");
  CHECK(message_of([&] { Documents({DocumentFiles{{blank}}}); }) ==
        blank + ": contains no document");
  CHECK(message_of([&] { Documents({DocumentFiles{{folder.path("none")}}}); }) ==
        folder.path("none") + ": no such file; check the path");
}

TEST_CASE("the hash of documents depends on their bytes and unit, not on their path") {
  const TemporaryFolder folder;
  const std::string a = folder.write("a", "1\n\n2\n"), b = folder.write("b", "1\n\n2\n");
  const auto hash = [](const std::string& path, DocumentUnit unit) {
    return content_hash(DocumentSource{DocumentFiles{{path}, unit}});
  };
  CHECK(hash(a, DocumentUnit::lines) == hash(b, DocumentUnit::lines));
  CHECK(hash(a, DocumentUnit::lines) != hash(a, DocumentUnit::paragraphs));
  CHECK(content_hash(DocumentSource{documents_in_memory("x", {"ab", "c"})}) !=
        content_hash(DocumentSource{documents_in_memory("x", {"a", "bc"})}));
}

TEST_CASE("a sample of documents has the given size, keeps their order and depends on the seed") {
  Texts texts;
  for (int i = 0; i < 100; ++i) texts.push_back(std::to_string(1000 + i));
  const std::vector<DocumentSource> sources = {{documents_in_memory("a", texts)},
                                               {documents_in_memory("b", {"", "\xFF"})}};
  const Texts sample = sample_documents(sources, 30, 1);
  CHECK(std::ssize(sample) >= 28);  // the empty and the broken one may be among the 30
  CHECK(std::ssize(sample) <= 30);
  CHECK(std::ranges::is_sorted(sample));
  CHECK(sample == sample_documents(sources, 30, 1));
  CHECK(sample != sample_documents(sources, 30, 2));
  CHECK(sample_documents(sources, 1000, 1) == texts);
}

TEST_CASE("documents become a dataset of one column with the size of the kept text") {
  const std::vector<DocumentSource> sources = {
      {documents_in_memory("a", {"\u00e4b\nc", "", "x"}), {.weight = 2}},
      {documents_in_memory("b", {"x", "\u4e2d"})}};
  const Dataset dataset = load_documents(sources, bytes(), {.drop_duplicates = true});
  REQUIRE(dataset.examples() == 3);
  CHECK(ids_of(dataset, 0) == bytes().encode_document("\u00e4b\nc"));
  CHECK(ids_of(dataset, 2) == bytes().encode_document("\u4e2d"));
  CHECK(dataset.sizes == std::vector<TextSize>{{.characters = 6, .bytes = 9}});
  CHECK(dataset.parts[0].share.weight == 2);
  CHECK(dataset.parts[1].first_example == 2);
  CHECK(dataset.where(dataset.tokens->line(2)) == "b, document 2");
  CHECK(dataset.drops.text(1) == "1 empty (first: a:2), 1 seen before (first: b:1)");
  CHECK(message_of([&] {
          load_documents({{documents_in_memory("none", {"", ""})}}, bytes(), {});
        }) == "none: none of 2 documents is left after filtering: 2 empty (first: none:1)");
}

TEST_CASE("documents that are not UTF-8 are an error, or skipped and counted") {
  const TemporaryFolder folder;
  const std::string path = folder.write("t", "a\n\nb\nc\xFF\n\nd\n");
  const std::vector<DocumentSource> sources = {{DocumentFiles{{path}}}};
  CHECK(message_of([&] { load_documents(sources, bytes(), {}); }) ==
        path + ":4: not valid UTF-8 (byte 2); fix the line or set data.invalid_utf8: skip");
  const Dataset dataset = load_documents(sources, bytes(), {.invalid = InvalidText::skip});
  CHECK(dataset.examples() == 2);
  CHECK(dataset.drops.of(Drop::invalid).first == path + ":3");
  CHECK(dataset.sizes[0].bytes == 2);
  const std::vector<DocumentSource> nul = {
      {documents_in_memory("n", {std::string("a\0", 2), "b"})}};
  CHECK(load_documents(nul, bytes(), {.invalid = InvalidText::skip}).drops.text(1) ==
        "1 with a NUL (first: n:1)");
}

TEST_CASE("cached documents are the same, with their sizes") {
  const TemporaryFolder folder;
  const std::vector<DocumentSource> sources = {{documents_in_memory("a", {"\u00e4", "b c"})}};
  const DocumentOptions options{.cache_folder = folder.path("cache")};
  const Dataset made = load_documents(sources, bytes(), options),
                found = load_documents(sources, bytes(), options);
  CHECK_FALSE(made.from_cache);
  CHECK(found.from_cache);
  CHECK(found.hash == made.hash);
  CHECK(found.sizes == std::vector<TextSize>{{.characters = 4, .bytes = 5}});
  CHECK(ids_of(found, 1) == ids_of(made, 1));
  CHECK(found.noun == "document");
}

TEST_CASE("a long document tokenized in slices has the ids of the whole text") {
  const Threads as_before;
  set_threads(3);
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += "line " + std::to_string(i * 7919) + "\n";
  text += "\n\nend";
  const Tokenizer characters = train_tokenizer(
      {text.substr(0, 5000)}, {.kind = TokenizerKind::characters}, {.newline = true});
  for (const Tokenizer& tokenizer : {bytes(), characters}) {
    const Dataset dataset =
        load_documents({{documents_in_memory("long", {"a", text, "b"})}}, tokenizer, {});
    CHECK(ids_of(dataset, 1) == tokenizer.encode_document(text));
    CHECK(ids_of(dataset, 2) == tokenizer.encode_document("b"));
    CHECK(tokenizer.decode_document(ids_of(dataset, 1)) ==
          text.substr(0, text.size() - 3) +
              (tokenizer.options().kind == TokenizerKind::bytes ? "end" : "en<unk>"));
  }
}

TEST_CASE("the first invalid document is reported, whichever thread finds one first") {
  const Threads as_before;
  set_threads(2);
  Texts texts(4000, "a");
  for (size_t i = 0; i < 2000; ++i) texts[i] = std::string(2000, 'a');
  texts[1980] = "\xFF";  // late in the first thread's share, after much text
  for (size_t i = 2000; i < 4000; ++i) texts[i] = "\xFF";
  for (int trial = 0; trial < 5; ++trial) {
    CHECK(message_of([&] {
            load_documents({{documents_in_memory("t", texts)}}, bytes(), {});
          }).starts_with("t:1981: "));
  }
}

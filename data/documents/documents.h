#pragma once
// Plain text as documents for a language model, from files (plain, gzip or zstd) or from memory. A
// line ends at LF or CR LF; a document from a file has LF between its lines and none after the last
// line. The length of a document is not limited.

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/named.h"
#include "data/corpora/share.h"
#include "data/files/text_lines.h"

namespace calque {

// What a document is: a line, a paragraph (the lines between blank ones, which have at most spaces
// and tabs), or a whole file.
enum class DocumentUnit { lines, paragraphs, files };
inline constexpr Named<DocumentUnit> document_units[] = {{"lines", DocumentUnit::lines},
                                                         {"paragraphs", DocumentUnit::paragraphs},
                                                         {"files", DocumentUnit::files}};

struct DocumentFiles {
  std::vector<std::string> paths;
  DocumentUnit unit = DocumentUnit::paragraphs;
};

struct DocumentsInMemory {
  std::string name;  // for messages
  std::shared_ptr<const std::vector<std::string>> texts;
};

struct DocumentSource {
  std::variant<DocumentFiles, DocumentsInMemory> place;
  CorpusShare share = {};
};

DocumentsInMemory documents_in_memory(std::string name, std::vector<std::string> texts);

// Throws an Error if a file cannot be opened; reads nothing.
void require_files(const DocumentSource& source);

// "a.txt + b.txt", "a.txt + 7 more files", or the name of documents in memory.
std::string name_of(const DocumentSource& source);

// A hash of the content. Files are hashed as stored, with the unit.
uint64_t content_hash(const DocumentSource& source);

// The documents of a source, by index. Thread-safe.
class Documents {
 public:
  // Throws an Error for a file that cannot be read or is empty, and if there is no document.
  explicit Documents(const DocumentSource& source);

  const std::string& name() const { return name_; }
  int64_t count() const { return count_; }
  // The size of the document's text in bytes, or slightly more.
  int64_t bytes(int64_t index) const;

  // The text of a document; it may be empty (a blank line) and need not be UTF-8.
  std::string text(int64_t index) const;

  // The file and the line where the document begins, "book.txt:17".
  std::string where(int64_t index) const;
  // The first UTF-8 error in the document, "book.txt:18: not valid UTF-8 (byte 3)", or an empty
  // string.
  std::string problem(int64_t index) const;

 private:
  struct Range {
    int64_t begin, end;  // lines
  };
  struct TextFile {
    TextLines lines;
    std::vector<Range> paragraphs = {};  // if the unit is the paragraph
    int64_t first = 0;                   // index of its first document
  };
  struct Place {
    const TextFile* file;
    Range lines;
  };
  static void find_paragraphs(TextFile& file);
  int64_t documents_in(const TextFile& file) const;
  Place place_of(int64_t index) const;

  std::string name_;
  DocumentUnit unit_ = DocumentUnit::lines;
  std::vector<TextFile> files_;
  int64_t count_ = 0;
  DocumentsInMemory memory_;
};

// The texts of the documents of all sources, or of a sample of `most` without repetition, in order.
// Empty and invalid texts are left out. For training a tokenizer.
std::vector<std::string> sample_documents(const std::vector<DocumentSource>& sources, int64_t most,
                                          uint64_t seed);

}  // namespace calque

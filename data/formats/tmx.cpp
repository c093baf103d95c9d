#include "data/formats/tmx.h"

#include <optional>

#include "core/error.h"
#include "data/formats/languages.h"
#include "data/formats/xml.h"

namespace calque {
namespace {

class TmxReader {
 public:
  TmxReader(const PairLanguages& languages, const TakePair& take)
      : languages_(languages), take_(take) {}

  void start(std::string_view name, const XmlAttributes& attributes, int64_t line) {
    if (name == "tu") {
      source_.reset(), target_.reset();
      line_ = line;
    } else if (name == "tuv") {
      const bool xml = attributes.contains("xml:lang");
      const std::string language = value_of(attributes, xml ? "xml:lang" : "lang");
      const bool source = same_language(language, languages_.source);
      const bool target = same_language(language, languages_.target);
      into_ = source ? &source_ : target ? &target_ : nullptr;
      if (into_ && *into_) into_ = nullptr;  // the first of two stays
    } else if (name == "seg") {
      in_segment_ = true;
      if (into_) into_->emplace();
    } else if (is_code(name)) {
      ++codes_;
    }
  }

  void end(std::string_view name) {
    if (name == "seg") {
      in_segment_ = false;
    } else if (name == "tuv") {
      into_ = nullptr;
    } else if (is_code(name)) {
      --codes_;
    } else if (name == "tu") {
      ++units_;
      if (!source_ || !target_ || source_->empty() || target_->empty()) return;
      ++pairs_;
      take_(*std::move(source_), *std::move(target_), line_);
    }
  }

  void text(std::string_view text) {
    if (in_segment_ && codes_ == 0 && into_ && *into_) **into_ += text;
  }

  int64_t units() const { return units_; }
  int64_t pairs() const { return pairs_; }

 private:
  const PairLanguages& languages_;
  const TakePair& take_;
  std::optional<std::string> source_, target_;
  std::optional<std::string>* into_ = nullptr;
  bool in_segment_ = false;
  int codes_ = 0;
  int64_t line_ = 0, units_ = 0, pairs_ = 0;
};

}  // namespace

void read_tmx(const File& file, const std::string& name, const PairLanguages& languages,
              const TakePair& take) {
  TmxReader reader(languages, take);
  read_xml(file, name, events_of(reader));
  if (reader.units() > 0 && reader.pairs() == 0) {
    fail("{}: none of its {} units has both {} and {}; set the languages of the file", name,
         reader.units(), languages.source, languages.target);
  }
}

}  // namespace calque

#include "data/formats/xliff.h"

#include "core/error.h"
#include "data/formats/languages.h"
#include "data/formats/xml.h"

namespace calque {
namespace {

bool is_unit(std::string_view name) { return name == "trans-unit" || name == "segment"; }

class XliffReader {
 public:
  XliffReader(const std::string& name, const PairLanguages& languages, const TakePair& take)
      : name_(name), languages_(languages), take_(take) {}

  void start(std::string_view tag, const XmlAttributes& attributes, int64_t line) {
    if (tag == "xliff") {
      set_languages(value_of(attributes, "srcLang"), value_of(attributes, "trgLang"), line);
    } else if (tag == "file") {
      set_languages(value_of(attributes, "source-language"),
                    value_of(attributes, "target-language"), line);
    } else if (is_unit(tag)) {
      source_.clear(), target_.clear();
      line_ = line;
      done_ = value_of(attributes, "state") != "initial";
    } else if (tag == "alt-trans") {
      ++suggestions_;
    } else if (tag == "source" || tag == "target") {
      into_ = tag == "source" ? &source_ : &target_;
      const std::string state = value_of(attributes, "state");
      if (state == "new" || state == "needs-translation") done_ = false;
    } else if (is_code(tag)) {
      ++codes_;
    }
  }

  void end(std::string_view tag) {
    if (tag == "source" || tag == "target") {
      into_ = nullptr;
    } else if (tag == "alt-trans") {
      --suggestions_;
    } else if (is_code(tag)) {
      --codes_;
    } else if (is_unit(tag) && done_ && !source_.empty() && !target_.empty()) {
      backwards_ ? take_(target_, source_, line_) : take_(source_, target_, line_);
    }
  }

  void text(std::string_view text) {
    if (into_ && codes_ == 0 && suggestions_ == 0) *into_ += text;
  }

 private:
  void set_languages(const std::string& source, const std::string& target, int64_t line) {
    const auto fits = [](const std::string& own, const std::string& wanted) {
      return own.empty() || same_language(own, wanted);
    };
    backwards_ = !source.empty() && !target.empty() && fits(source, languages_.target) &&
                 fits(target, languages_.source);
    if (backwards_ || (fits(source, languages_.source) && fits(target, languages_.target))) return;
    fail("{}:{}: is from {} to {}, not from {} to {}; set the languages of the file", name_, line,
         source, target, languages_.source, languages_.target);
  }

  const std::string& name_;
  const PairLanguages& languages_;
  const TakePair& take_;
  bool backwards_ = false, done_ = true;
  std::string source_, target_;
  std::string* into_ = nullptr;
  int codes_ = 0, suggestions_ = 0;
  int64_t line_ = 0;
};

}  // namespace

void read_xliff(const File& file, const std::string& name, const PairLanguages& languages,
                const TakePair& take) {
  XliffReader reader(name, languages, take);
  read_xml(file, name, events_of(reader));
}

}  // namespace calque

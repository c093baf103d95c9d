#pragma once
// Models after a few steps of training, for tests of the commands.

#include <filesystem>
#include <string>

namespace calque {

// Trains for a few steps, with these additional settings; `folder` is quoted for a shell.
void train_briefly(const std::string& folder, const std::string& settings);

// A run of a few steps, trained once in each process. `run` and file() are quoted for a shell.
struct Trained {
  std::filesystem::path place;  // a folder for files, removed at the end
  std::string run;

  std::string file(const std::string& name) const { return "'" + (place / name).string() + "'"; }
};

// A translator.
const Trained& trained();
// A language model of characters, with a context of 32 and a validation text.
const Trained& trained_language_model();
// A masked language model.
const Trained& trained_masked_lm();
// A classifier of sentences in the languages `en` and `de`, by words.
const Trained& trained_classifier();
// A tagger of the languages `en` and `de` within a sentence, by words.
const Trained& trained_tagger();
// Word vectors of toy-analogies.
const Trained& trained_word2vec();
// A classifier of drawn shapes: images of 16 x 16 pixels, grey.
const Trained& trained_on_images();

}  // namespace calque

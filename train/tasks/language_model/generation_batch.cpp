#include "train/tasks/language_model/generation_batch.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/products/few_rows.h"
#include "core/threads/rows.h"
#include "decode/models/language_decoding.h"
#include "train/tasks/language_model/draft.h"

namespace calque {
namespace {

constexpr int64_t most_texts = 64;           // that are read and generated at once
constexpr int64_t fast_rows = 64;            // of a step
constexpr int64_t fast_prompt_tokens = 512;  // of a pass over prompts

int64_t most_positions(const LanguageModel& model) {
  const LayerOptions& layer = model.options.layer;
  return layer.positions == PositionKind::learned ? layer.max_positions
                                                  : std::numeric_limits<int64_t>::max();
}

}  // namespace

// One text of a request.
struct GenerationBatch::Text {
  Request* request;
  size_t prompt, sample;  // their numbers
  Draft draft;
  // Since the model last began to read:
  TextKeys keys = {};
  DecodingItem item = {};
  std::vector<int32_t> written = {};
  uint64_t round = 0;         // how many times it has begun anew, with the last half of its context
  int64_t cached_tokens = 0;  // of the prompt
  bool ready = false;         // the model has read all but the last token
  std::optional<NextToken> next = {};
  std::vector<NextToken> alternatives = {};

  int32_t last() const { return written.empty() ? item.first : written.back(); }
};

struct GenerationBatch::Request : GenerationRequest {
  explicit Request(GenerationRequest request) : GenerationRequest(std::move(request)) {}

  std::vector<std::unique_ptr<Text>> texts = {};
  bool begins = false;
  std::exception_ptr problem = {};

  bool ended() const {
    return problem ||
           std::ranges::all_of(texts, [](const auto& text) { return text->draft.done(); });
  }
  std::vector<std::vector<GeneratedText>> results() const {
    std::vector<std::vector<GeneratedText>> all(prompts.size());
    for (const auto& text : texts) {
      all[text->prompt].push_back(text->draft.result());
      all[text->prompt].back().cached_tokens = text->cached_tokens;
    }
    return all;
  }
};

// Tokens that the model reads before it continues texts.
struct GenerationBatch::Prompt {
  std::vector<Text*> texts;
  std::vector<int32_t> ids;  // the last one is read with the first step
  TextKeys keys = {};
  int64_t cached = 0;

  std::span<const int32_t> all() const { return std::span(ids).first(ids.size() - 1); }
  int64_t left() const { return std::ssize(ids) - 1 - keys.size(); }
  std::span<const int32_t> next(int64_t most) const {
    return all().subspan(static_cast<size_t>(keys.size()),
                         static_cast<size_t>(std::min(left(), most)));
  }
};

GenerationBatch::GenerationBatch(const LanguageModel& model, const Tokenizer& tokenizer,
                                 Sharing sharing, PrefixCache* cache)
    : model_(model),
      tokenizer_(tokenizer),
      sharing_(sharing),
      cache_(cache),
      most_positions_(most_positions(model)) {
  require(cache == nullptr || sharing == Sharing::like_alone,
          "GenerationBatch: a cache needs prompts that are read block by block");
}

GenerationBatch::~GenerationBatch() = default;

void GenerationBatch::add(GenerationRequest request) {
  GenerationOptions& options = request.options;
  require(options.samples >= 1 && options.max_tokens >= 1 && options.context >= 1,
          "generation: {} samples of {} tokens", options.samples, options.max_tokens);
  options.context = std::min(options.context, most_positions_);
  auto own = std::make_unique<Request>(std::move(request));
  for (size_t p = 0; p < own->prompts.size(); ++p) {
    require(!own->prompts[p].empty(), "generation: an empty prompt; begin with <s>");
    for (int64_t s = 0; s < own->options.samples; ++s) {
      own->texts.push_back(std::make_unique<Text>(
          Text{own.get(), p, static_cast<size_t>(s), {tokenizer_, own->prompts[p], own->options}}));
    }
  }
  requests_.push_back(std::move(own));
}

bool GenerationBatch::advance() {
  drop_cancelled();
  if (requests_.empty()) return false;
  try {
    begin_requests();
    read_prompts();
    const std::vector<Text*> texts = ready_texts();
    generate(texts);
    for (Text* text : texts) follow(*text);
  } catch (...) {
    fail_all(std::current_exception());
  }
  end_requests();
  return true;
}

void GenerationBatch::drop_cancelled() {
  std::erase_if(requests_, [&](const auto& request) {
    if (!request->cancelled || !request->cancelled()) return false;
    std::erase_if(prompts_, [&](const auto& prompt) {
      return prompt->texts.front()->request == request.get();
    });
    return true;
  });
}

// Begins requests in their order, while there is room for their texts.
void GenerationBatch::begin_requests() {
  int64_t begun = 0;
  for (const auto& request : requests_) {
    const int64_t texts = std::ssize(request->texts);
    if (!request->begins) {
      if (begun > 0 && begun + texts > most_texts) return;
      begin(*request);
    }
    begun += texts;
  }
}

void GenerationBatch::begin(Request& request) {
  request.begins = true;
  try {
    if (request.begun) request.begun();
  } catch (...) {
    request.problem = std::current_exception();
    return;
  }
  for (size_t p = 0; p < request.prompts.size(); ++p) {
    auto prompt = std::make_unique<Prompt>();
    for (const auto& text : request.texts) {
      if (text->prompt == p) prompt->texts.push_back(text.get());
    }
    queue_prompt(std::move(prompt));
  }
}

// Queues what the model reads of texts that have the same tokens.
void GenerationBatch::queue_prompt(std::unique_ptr<Prompt> prompt) {
  const Text& first = *prompt->texts.front();
  const GenerationOptions& options = first.request->options;
  prompt->ids = first.draft.visible(options.context);
  for (Text* text : prompt->texts) {
    text->ready = false;
    text->keys = {};
    text->written.clear();
    text->item = language_items({prompt->ids}, 1).front();
    text->item.longest = std::max<int64_t>(1, options.context - std::ssize(prompt->ids));
    text->item.number =
        static_cast<int64_t>(text->prompt) * options.samples + static_cast<int64_t>(text->sample);
  }
  prompts_.push_back(std::move(prompt));
}

// Reads a block of one prompt, or parts of several. A prompt with tokens left then waits behind
// the others.
void GenerationBatch::read_prompts() {
  std::vector<std::unique_ptr<Prompt>> taken;
  std::vector<TokensToRead> blocks;
  int64_t tokens = 0;
  const bool fast = sharing_ == Sharing::fast;
  const int64_t at_once = fast ? fast_prompt_tokens : KeyBlock::capacity;
  while (!prompts_.empty() && tokens < (fast ? at_once : 1)) {
    taken.push_back(std::move(prompts_.front()));
    prompts_.pop_front();
    Prompt& prompt = *taken.back();
    take_from_cache(prompt);
    if (prompt.left() == 0) continue;
    blocks.push_back({&prompt.keys, prompt.next(at_once)});
    tokens += std::ssize(blocks.back().ids);
  }
  if (!blocks.empty()) read_tokens(model_, blocks);
  for (auto& prompt : taken) {
    keep_in_cache(*prompt);
    if (prompt->left() == 0) {
      end_prompt(*prompt);
    } else {
      prompts_.push_back(std::move(prompt));
    }
  }
}

// Takes blocks that other texts have read, also those of a text that is being read now.
void GenerationBatch::take_from_cache(Prompt& prompt) const {
  if (cache_ == nullptr || prompt.texts.front()->round > 0) return;
  if (prompt.keys.size() % KeyBlock::capacity != 0) return;
  TextKeys known = cache_->find(prompt.all());
  if (known.size() <= prompt.keys.size()) return;
  prompt.cached += known.size() - prompt.keys.size();
  prompt.keys = std::move(known);
}

void GenerationBatch::keep_in_cache(const Prompt& prompt) const {
  const int64_t size = prompt.keys.size();
  if (cache_ == nullptr || prompt.texts.front()->round > 0) return;
  if (size == 0 || size % KeyBlock::capacity != 0) return;
  cache_->keep(prompt.all().first(static_cast<size_t>(size)),
               prompt.keys.full_block(size - KeyBlock::capacity));
}

void GenerationBatch::end_prompt(Prompt& prompt) {
  for (Text* text : prompt.texts) {
    text->keys = prompt.keys.fork();
    text->ready = true;
    if (text->round == 0) text->cached_tokens = prompt.cached;
  }
  if (cache_ && prompt.texts.front()->round == 0) cache_->count(prompt.cached);
}

std::vector<GenerationBatch::Text*> GenerationBatch::ready_texts() const {
  std::vector<Text*> ready;
  for (const auto& request : requests_) {
    for (const auto& text : request->texts) {
      if (text->ready && !text->draft.done()) ready.push_back(text.get());
    }
  }
  return ready;
}

// Draws the next token of each text, in groups of equal size.
void GenerationBatch::generate(const std::vector<Text*>& texts) {
  if (texts.empty()) return;
  const int64_t most = sharing_ == Sharing::fast ? fast_rows : most_few_rows();
  const int64_t count = std::ssize(texts), groups = (count + most - 1) / most;
  if (!packed_ && PackedWeights::worthwhile(count / groups)) {
    packed_ = std::make_unique<PackedWeights>(right_sides(model_));
  }
  for_groups(groups, [&](int64_t group) {
    std::optional<PackedWeights::Use> use;
    if (packed_) use.emplace(*packed_);
    const int64_t begin = count * group / groups, end = count * (group + 1) / groups;
    draw(std::span(texts).subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
  });
}

void GenerationBatch::draw(std::span<Text* const> texts) {
  std::vector<int32_t> last;
  for (const Text* text : texts) last.push_back(text->last());
  std::vector<TokensToRead> rows;
  for (size_t i = 0; i < texts.size(); ++i) rows.push_back({&texts[i]->keys, {&last[i], 1}});
  const Tensor scores = model_.logits(read_tokens(model_, rows));
  for_each_row(std::ssize(texts), scores.cols() * 4, [&](int64_t row) {
    Text& text = *texts[static_cast<size_t>(row)];
    const GenerationOptions& options = text.request->options;
    const std::span<real> own = scores.span().subspan(row * scores.cols(), scores.cols());
    if (options.alternatives > 0) {
      const ScoreRow sorted(own);
      text.alternatives = sorted.best(options.alternatives, sorted.finite_log_sum());
    }
    Sampling sampling = options.sampling;
    sampling.seed += text.round * 0x9E3779B97F4A7C15;  // other draws in each round
    text.next = draw_next(own, text.item, {}, text.draft.constraint(), sampling, 0, text.written);
  });
}

// Adds the next token to a text, sends what has become final, and begins a new round if the context
// is full.
void GenerationBatch::follow(Text& text) {
  Request& request = *text.request;
  if (request.problem) return;
  try {
    if (text.next) {
      text.draft.append(*text.next, std::move(text.alternatives));
      text.written.push_back(text.next->id);
    } else {
      text.draft.end(FinishReason::length);  // no token is allowed
    }
    if (request.sink) {
      const std::string part = text.draft.take_final_text(text.draft.done());
      if (!part.empty()) request.sink(text.prompt, text.sample, part);
    }
  } catch (...) {
    request.problem = std::current_exception();
  }
  if (text.draft.done()) {
    text.keys = {};
  } else if (std::ssize(text.written) >= text.item.longest) {
    ++text.round;
    auto prompt = std::make_unique<Prompt>();
    prompt->texts = {&text};
    queue_prompt(std::move(prompt));
  }
}

void GenerationBatch::end_requests() {
  Requests ended;
  for (auto at = requests_.begin(); at != requests_.end();) {
    const auto next = std::next(at);
    if ((*at)->ended()) ended.splice(ended.end(), requests_, at);
    at = next;
  }
  for (const auto& request : ended) {
    std::erase_if(prompts_, [&](const auto& prompt) {
      return prompt->texts.front()->request == request.get();
    });
    if (!request->problem) {
      try {
        request->done(request->results());
      } catch (...) {
        request->problem = std::current_exception();
      }
    }
    if (request->problem) request->failed(request->problem);
  }
}

void GenerationBatch::fail_all(const std::exception_ptr& why) {
  for (const auto& request : requests_) {
    if (request->begins) request->problem = why;
  }
}

}  // namespace calque

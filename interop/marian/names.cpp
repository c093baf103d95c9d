#include "interop/marian/format.h"
#include "interop/model.h"

namespace calque {
namespace {

class MarianNames {
 public:
  MarianNames(ParameterWalk& walk, const Transformer& model) : walk_(walk), model_(model) {
    pre_ = model.options.layer.norm_placement == NormPlacement::pre;
  }

  void visit() {
    visit_tables();
    visit_stack("encoder", model_.encoder);
    visit_stack("decoder", model_.decoder);
    const OutputProjection& output = model_.output;
    if (model_.options.tying == Tying::none) {
      walk_.table("decoder_ff_logit_out_Wt", output.weight, Side::target);
    }
    if (output.bias) walk_.table("decoder_ff_logit_out_b", output.bias, Side::target);
  }

 private:
  void visit_tables() {
    if (model_.options.tying == Tying::all) {
      return walk_.table("Wemb", model_.source_embedding.weight, Side::target);
    }
    walk_.table("encoder_Wemb", model_.source_embedding.weight, Side::source);
    walk_.table("decoder_Wemb", model_.target_embedding.weight, Side::target);
  }

  template <class Layers>
  void visit_stack(const std::string& side, const Layers& stack) {
    for (size_t i = 0; i < stack.layers.size(); ++i) {
      visit_layer(fmt::format("{}_l{}", side, i + 1), stack.layers[i]);
    }
    if (stack.norm) visit_norm(side + "_top", *stack.norm, "");
  }

  void visit_layer(const std::string& name, const SelfAttentionLayer& layer) {
    visit_self_attention(name + "_self", layer.self_attention, layer.self_attention_residual);
    visit_feed_forward(name + "_ffn", layer.feed_forward, layer.feed_forward_residual);
  }
  void visit_layer(const std::string& name, const DecoderLayer& layer) {
    visit_self_attention(name + "_self", layer.self_attention, layer.self_attention_residual);
    const std::string context = name + "_context";
    const CrossAttention& attention = layer.cross_attention;
    const int64_t d = attention.output.weight.cols();
    visit_linear(context, "q", attention.query, {});
    visit_linear(context, "k", attention.key_value, column_range(0, d));
    visit_linear(context, "v", attention.key_value, column_range(d, 2 * d));
    visit_output(context, attention.output, layer.cross_attention_residual);
    visit_feed_forward(name + "_ffn", layer.feed_forward, layer.feed_forward_residual);
  }

  void visit_self_attention(const std::string& name, const SelfAttention& attention,
                            const Residual& residual) {
    const int64_t d = attention.output.weight.cols();
    visit_linear(name, "q", attention.qkv, column_range(0, d));
    visit_linear(name, "k", attention.qkv, column_range(d, 2 * d));
    visit_linear(name, "v", attention.qkv, column_range(2 * d, 3 * d));
    visit_output(name, attention.output, residual);
  }
  void visit_output(const std::string& name, const Linear& output, const Residual& residual) {
    visit_linear(name, "o", output, {});
    visit_norm(name + "_Wo", residual.norm, inner_suffix());
  }
  void visit_feed_forward(const std::string& name, const TokenNetwork& own,
                          const Residual& residual) {
    const FeedForward& network = dense(own);
    visit_linear(name, "1", network.inner, {});
    visit_linear(name, "2", network.outer, {});
    visit_norm(name + "_ffn", residual.norm, inner_suffix());
  }

  // NAME_W and NAME_b, [in, out] and [out].
  void visit_linear(const std::string& name, const char* which, const Linear& linear,
                    const std::vector<int64_t>& columns) {
    walk_.tensor(fmt::format("{}_W{}", name, which), linear.weight, {columns, false});
    walk_.tensor(fmt::format("{}_b{}", name, which), linear.bias, {columns, false});
  }
  void visit_norm(const std::string& name, const Norm& norm, const char* suffix) {
    if (!norm.bias) return walk_.tensor(name + "_rms_scale" + suffix, norm.gain.stored);
    walk_.tensor(name + "_ln_scale" + suffix, norm.gain.stored);
    walk_.tensor(name + "_ln_bias" + suffix, norm.bias);
  }
  const char* inner_suffix() const { return pre_ ? "_pre" : ""; }

  ParameterWalk& walk_;
  const Transformer& model_;
  bool pre_ = false;
};

}  // namespace

void walk_marian(ParameterWalk& walk, const Transformer& model) {
  MarianNames(walk, model).visit();
}

}  // namespace calque

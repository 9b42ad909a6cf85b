"""Architectures of transformers with random weights: what they give, and the gradients of their parameters."""

import torch
import transformers

SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "vocab_size": 64}
CAUSAL = {**SMALL, "max_position_embeddings": 32}
GROUPED = {**CAUSAL, "num_key_value_heads": 2, "head_dim": 8}
IMAGES = {"image_size": 16, "patch_size": 8, "num_labels": 3}
WIDTH = {key: value for key, value in SMALL.items() if key != "vocab_size"}
T5 = {
    "d_model": 32,
    "d_kv": 8,
    "d_ff": 64,
    "num_layers": 2,
    "num_heads": 4,
    "vocab_size": 64,
    "decoder_start_token_id": 0,
}
BART = {"d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 4}
BART |= {"decoder_attention_heads": 4, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "vocab_size": 64}

CASES = {
    "GPT2LMHeadModel": {"n_embd": 32, "n_layer": 2, "n_head": 4, "vocab_size": 64, "n_positions": 32},
    "GPTNeoXForCausalLM": CAUSAL,
    "OPTForCausalLM": {**CAUSAL, "ffn_dim": 64, "word_embed_proj_dim": 32},
    "LlamaForCausalLM": GROUPED,
    "MistralForCausalLM": {**GROUPED, "sliding_window": 4},
    "MixtralForCausalLM": {**GROUPED, "num_local_experts": 4},
    "Qwen2ForCausalLM": GROUPED,
    "Qwen3ForCausalLM": GROUPED,
    "GemmaForCausalLM": GROUPED,
    "Gemma2ForCausalLM": GROUPED,
    "PhiForCausalLM": CAUSAL,
    "FalconForCausalLM": SMALL,
    "BloomForCausalLM": {"hidden_size": 32, "n_layer": 2, "n_head": 4, "vocab_size": 64},
    "MambaForCausalLM": {"hidden_size": 32, "num_hidden_layers": 2, "vocab_size": 64, "state_size": 4},
    "BertForMaskedLM": SMALL,
    "RobertaForMaskedLM": {**SMALL, "max_position_embeddings": 40},
    "DistilBertForMaskedLM": {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64, "vocab_size": 64},
    "AlbertForMaskedLM": {**SMALL, "embedding_size": 16},
    "ElectraForMaskedLM": {**SMALL, "embedding_size": 16},
    "DebertaV2ForMaskedLM": {**SMALL, "relative_attention": True, "pos_att_type": ["p2c", "c2p"]},
    "T5ForConditionalGeneration": T5,
    "BartForConditionalGeneration": BART,
    "ViTForImageClassification": {**WIDTH, **IMAGES},
    "DeiTForImageClassification": {**WIDTH, **IMAGES},
    "SwinForImageClassification": {"embed_dim": 16, "depths": [1, 1], "num_heads": [2, 4], "window_size": 2, **IMAGES},
    "ConvNextForImageClassification": {"hidden_sizes": [8, 16], "depths": [1, 1], "num_stages": 2, "num_labels": 3},
}
CASES["SwinForImageClassification"] |= {"patch_size": 4}


def run(name, options):
    """What a model gives, and the gradients of all its parameters, one after another."""
    torch.manual_seed(0)
    model_class = getattr(transformers, name)
    model = model_class(model_class.config_class(**options, attn_implementation="eager")).eval()
    if "Image" in name:
        found = model(torch.rand(2, 3, 16, 16), labels=torch.tensor([0, 2]))
    else:
        ids = torch.arange(3, 19).reshape(2, 8)
        found = model(input_ids=ids, labels=ids)
    found.loss.backward()
    gradients = [p.grad.flatten() for p in model.parameters() if p.grad is not None]
    return found.logits.detach().flatten(), torch.cat(gradients)


if __name__ == "__main__":
    import sys

    results = {}
    for name, options in CASES.items():
        results[name] = run(name, options)
        print(name, len(results[name][1]), flush=True)
    torch.save(results, sys.argv[1])

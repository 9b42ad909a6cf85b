"""One step with segment-anything, on random weights."""

import torch
from segment_anything.modeling import ImageEncoderViT, MaskDecoder, PromptEncoder, Sam, TwoWayTransformer

torch.manual_seed(0)
encoder = ImageEncoderViT(
    img_size=64, embed_dim=16, depth=2, num_heads=2, out_chans=8, global_attn_indexes=(1,), window_size=2
)
prompts = PromptEncoder(embed_dim=8, image_embedding_size=(4, 4), input_image_size=(64, 64), mask_in_chans=4)
transformer = TwoWayTransformer(depth=1, embedding_dim=8, mlp_dim=16, num_heads=2)
model = Sam(encoder, prompts, MaskDecoder(transformer_dim=8, transformer=transformer))
points = {"point_coords": torch.tensor([[[20.0, 30.0]]]), "point_labels": torch.tensor([[1]])}
found = model([{"image": 255 * torch.rand(3, 64, 64), "original_size": (64, 64), **points}], multimask_output=True)[0]
print(found["low_res_logits"].mean().item(), found["iou_predictions"].sum().item(), int(found["masks"].sum()))

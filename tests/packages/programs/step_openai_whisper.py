"""One step with openai-whisper, on random weights."""

import torch
import whisper
from whisper.model import ModelDimensions, Whisper

torch.manual_seed(0)
sizes = ModelDimensions(
    n_mels=16,
    n_audio_ctx=20,
    n_audio_state=16,
    n_audio_head=2,
    n_audio_layer=1,
    n_vocab=32,
    n_text_ctx=8,
    n_text_state=16,
    n_text_head=2,
    n_text_layer=1,
)
model = Whisper(sizes)
torch.nn.init.normal_(model.decoder.positional_embedding)  # memory as it was found
mel = whisper.log_mel_spectrogram(torch.randn(1600), n_mels=80)
logits = model(torch.randn(1, 16, 40), torch.tensor([[1, 2, 3, 4]]))
torch.nn.functional.cross_entropy(logits[0], torch.tensor([2, 3, 4, 5])).backward()
print(mel.mean().item(), logits.mean().item(), model.encoder.conv1.weight.grad.abs().sum().item())

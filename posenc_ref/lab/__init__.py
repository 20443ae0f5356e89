"""The lab: a small GPT in NumPy, trained with and without positions.

It is read from small to large: `functions`, `schemes`, `layer`, `gpt`, `train`. A
model with any scheme of positions, its hand-written gradients and its training
take about 600 lines and nothing but NumPy and this package.
"""

from posenc_ref.lab.config import POSITIONS, Config
from posenc_ref.lab.generate import generate
from posenc_ref.lab.gpt import GPT
from posenc_ref.lab.measure import estimate_loss, losses_by_place
from posenc_ref.lab.text import Corpus, corpus, grammar_text, read_text, text_batches
from posenc_ref.lab.train import Settings, Trained, train
from posenc_ref.lab.vocabulary import Vocabulary

__all__ = [
    "GPT",
    "POSITIONS",
    "Config",
    "Corpus",
    "Settings",
    "Trained",
    "Vocabulary",
    "corpus",
    "estimate_loss",
    "generate",
    "grammar_text",
    "losses_by_place",
    "read_text",
    "text_batches",
    "train",
]

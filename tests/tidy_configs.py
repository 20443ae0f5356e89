"""Make `configs.json` from a folder of real config files and their answers.

    python -m tests.tidy_configs FOLDER

FOLDER holds `NAME.json` (a `config.json` as published), `expected.json` (the answers, recorded
from released code or worked by hand) and `sources.json`. Kept of each file are the keys that bear
on positions, not the files themselves.
"""

import json
import re
import sys
from pathlib import Path

OUT = Path(__file__).parent / "configs.json"
SIZES = (
    r"d_model|dim|hidden_size|n_embe?d?|embedding_size|model_type|depth|image_size|patch_size"
    r"|.*head.*|.*layers?|n_layer|num_layers|layer_types|kv_channels|n_ctx|num_queries|num_patches"
    r"|seq_length|.*length.*|.*window.*|.*chunk.*|.*interval|.*period|.*offset|.*pattern|.*scalar"
    r"|scale_embedding|model_max_length|untie_r|clamp_len|attn_type|norm_rel_ebd|share_att_key"
    r"|dense_attention_every_n_layers|full_attn_idxs|feat_extract_activation|max_seq_len"
    r"|max_window_layers|init_pos_emb_.*|attn_config|floor_scale|attn_scale"
)
POSITIONS = r".*(rope|rotary|position|alibi|relative|yarn|pos_|_pos|mscale|temperature).*"
NOISE = re.compile(r".*(drop|token_id|generation|penalty|summary|classif|moe|expert|mlp).*")
KEPT = re.compile(f"({SIZES}|{POSITIONS})")
CONFIGS = re.compile(r"(text|vision|audio|language|encoder|decoder)_config")


def kept(config):
    """The keys that bear on positions, in configs nested in this one too."""
    given = {}
    for key, value in config.items():
        if CONFIGS.fullmatch(key) and isinstance(value, dict):
            given[key] = kept(value)
        elif KEPT.fullmatch(key) and not NOISE.fullmatch(key):
            given[key] = value
    return given


def answers(parts):
    """The answers, without what follows from others or says how they were made."""
    dropped = ("f32_vs_f64", "inv_freq_first3", "inv_freq_last", "slopes_first3", "slopes_last")
    if isinstance(parts, dict):
        return {key: answers(item) for key, item in parts.items() if key not in dropped}
    if isinstance(parts, list):
        return [answers(item) for item in parts]
    return parts


def main():
    folder = Path(sys.argv[1])
    record = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    sources = json.loads((folder / "sources.json").read_text(encoding="utf-8"))
    lines = []
    for name, entry in sorted(record["configs"].items()):
        config = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        source = sources[name]
        line = {
            "model": source["model"],
            "source": {
                key: source[key]
                for key in ("repository", "package", "path", "commit", "certainty", "note")
                if key in source
            },
            "how": entry["how"],
            "traps": entry["traps"],
            "doubts": entry["doubts"],
            "config": kept(config),
            "answers": answers(entry["parts"]),
        }
        lines.append(f"{json.dumps(name)}: {json.dumps(line, ensure_ascii=False)}")
    head = {
        "about": "Real config files: the keys that bear on positions, and the right answers. "
        "Made by tests/tidy_configs.py.",
        "versions": {"transformers": record["transformers"], "torch": record["torch"]},
    }
    text = json.dumps(head, indent=1)[:-2] + ',\n "configs": {\n' + ",\n".join(lines) + "\n}}\n"
    json.loads(text)
    OUT.write_text(text, encoding="utf-8")
    print(f"{OUT.name}: {len(lines)} configs, {len(text) / 1000:.0f} kB")


if __name__ == "__main__":
    main()

"""What every model type of the installed transformers does with positions, found by running it.

    PEERS -m tests.model_survey OUT.json [MODEL_TYPE ...]

PEERS is a Python with torch and transformers. No weights, no network. Each default config (with
GIVEN where the class would not build) makes its whole model: weights on the meta device, tables
that are computed (inverse frequencies, sinusoids) on the CPU. One JSON line for each type:

    fields, attributes   defaults and other attributes as the config class states them
    saved                the config with all of them filled in, nested configs too
    seen.rotary          inverse frequencies (first three and last), their rule for unscaled RoPE
    seen.stored, tables  other computed tables, and learned ones, with shapes
    seen.attention       what attention modules and layers say of themselves, by layer
    seen.turns           calls that turn queries and keys, from the syntax tree, with conditions
    seen.layout          pairs that the functions turn, by one-hot queries: of text attention, and
    seen.layouts         by class
    seen.ran             a forward pass of eight tokens on the meta device: who turned what, and
                         the scale and window that reached the attention function; `stopped` is
                         the error that ended it (models that need pixels or sound, mostly)
    seen.patterns        words in the source of the classes built: hints, not findings
"""

import ast
import collections
import contextlib
import copy
import dataclasses
import functools
import importlib
import inspect
import itertools
import json
import logging
import math
import os
import pathlib
import re
import select
import signal
import sys
import time
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "error"
import torch
import transformers
from torch.overrides import TorchFunctionMode
from transformers import AttentionInterface, PreTrainedConfig, initialization
from transformers.models.auto import modeling_auto
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES

SECONDS = 40  # for one model on a busy machine; what takes longer is recorded as an error
WORKERS = 2
CHUNK = 60
ROOT = pathlib.Path(transformers.__file__).parent
NOISE = re.compile(
    r"id2label|label2id|architectures|.*token.*|.*vocab.*|.*dropout.*|.*drop_path.*|initializer.*|"
    r".*_initializer.*|.*_act|.*activation.*|use_cache|transformers_version|dtype|return_dict|"
    r"output_.*|problem_type|pruned_heads|chunk_size_feed_forward|_name_or_path|.*_eps|.*loss.*|"
    r"mask_time.*|mask_feature.*|apply_spec_augment|base_model_.*|keys_to_ignore.*|base_config_key|"
    r"_commit_hash|_attn_implementation.*|_experts_implementation.*"
)
# Some default configs leave out what their own model needs to be built or run.
GIVEN = {
    "aya_vision": {"vision_config": {"model_type": "siglip_vision_model"}},
    "bamba": {"attn_layer_indices": [9, 18, 27]},
    "chameleon": {"vocabulary_map": {"<image>": 1}},
    "cohere_compass_text": {"rope_parameters": {"full_attention": {"rope_theta": 10000.0}}},
    "dbrx": {"attn_config": {"rope_theta": 500000.0, "clip_qkv": 8.0}},
    "deepseek_ocr2_text": {"mlp_layer_types": ["dense"] * 64},
    "deepseek_v2": {"num_experts_per_tok": 6},
    "diffusion_gemma_text": {"num_experts": 8, "top_k_experts": 2, "moe_intermediate_size": 64},
    "dots1": {"n_routed_experts": 8, "n_shared_experts": 1, "num_experts_per_tok": 2},
    "emu3": {"vocabulary_map": {"<image>": 1}},
    "esm": {"vocab_size": 33, "pad_token_id": 1, "position_embedding_type": "rotary"},
    "glm4v_text": {"partial_rotary_factor": 0.5},
    "glm4v_moe_text": {"head_dim": 128},
    "glm_image_text": {"partial_rotary_factor": 0.5},
    "granitemoehybrid": {"position_embedding_type": "rope", "layer_types": ["full_attention"] * 32},
    "hunyuan_v1_dense": {"head_dim": 128},
    "hunyuan_v1_moe": {"head_dim": 128},
    "hunyuan_vl_text": {
        "head_dim": 128,
        "rope_parameters": {"rope_type": "default", "mrope_section": [16, 16, 16, 16]},
    },
    "lfm2_moe": {"layer_types": ["conv", "full_attention"] * 16},
    "ministral": {"head_dim": 128},
    "moonshine_streaming": {"num_key_value_heads": 8},
    "nemotron": {"num_key_value_heads": 8},
    "qwen3_omni_moe_talker_text": {"shared_expert_intermediate_size": 768},
    "qwen3_omni_moe_text": {"head_dim": 128},
    "qwen4_exp_text": {
        **{"indexer_n_heads": 8, "indexer_kv_heads": 1, "indexer_head_dim": 256},
        **{"indexer_budget": 2048, "indexer_compress_ratio": 4},
    },
    "step3p5": {"sliding_window": 512},
    "t5gemma2_decoder": {"dropout_rate": 0.0},
    "t5gemma2_text": {"dropout_rate": 0.0},
    "zamba2": {"use_mem_rope": True},
}
for _type in (
    "cohere_compass",
    "deepseek_ocr2",
    "diffusion_gemma",
    "glm4v",
    "glm4v_moe",
    "glm_image",
):
    GIVEN[_type] = {"text_config": GIVEN[f"{_type}_text"]}
for _type in ("hunyuan_vl", "qwen4_exp"):
    GIVEN[_type] = {"text_config": GIVEN[f"{_type}_text"]}
GIVEN["t5gemma2_encoder"] = {"text_config": GIVEN["t5gemma2_text"]}
GIVEN["gemma4_assistant"] = {
    "text_config": {"hidden_size_per_layer_input": 0, "vocab_size_per_layer_input": 0}
}
TELLING = re.compile(  # attributes of attention modules and layers that bear on positions
    r"rope|rotary|nope|sliding|window|layer_type|attention_type|attn_type|scal|head_dim|head_size|"
    r"temperature|alibi|local|norm_factor|max_pos|position|bucket|distance|chunk|offset|is_cross"
)
TABLE = re.compile(r"pos|wpe|relative|rel_|_rel\b|bias_table|attention_biases|embeddings?_[xyhw]\b")
TURNS = re.compile(r"_?apply\w*rot|_?apply\w*rope|_?rotate|rotary_fn|rotary_emb")
PATTERNS = {
    "alibi": r"alibi",
    "t5_buckets": r"relative_position_bucket|RelativePositionBias1D|compute_bias\(",
    "disentangled": r"[Dd]isentangled",
    "transformer_xl": r"rel_shift|relative_shift|linear_pos\b|relative_k_proj|r_r_bias|bias_u\b",
    "shaw": r"distance_embedding|relative_key\b|emb_rel_k|EmbeddingRelative|rel_pos_emb\b",
    "window_bias": r"relative_position_bias_table|relative_position_index|attention_biases",
    "continuous_bias": r"continuous_position_bias_mlp",
    "decomposed": r"rel_pos_h|decomposed_rel",
    "convolution": r"PositionalConv|pos_conv_embed|conv_position",
    "fourier": r"fourier",
    "sinusoidal": r"[sS]inusoid|sincos|SinePosition|timing_signal|inv_timescales|"
    r"RelPositionalEncoding|div_term",
    "padding_idx": r"padding_idx \+ 1|cumsum",
    "query_temperature": r"attn_temperature|llama_4_scal|llama4_attn_scale|log_scaling|logn",
}


# ------------------------------------------------------------------ configs


def plain(value):
    """Whether JSON can hold the value without loss."""
    try:
        return json.loads(json.dumps(value)) == value
    except (TypeError, ValueError):
        return False


def quiet(value):
    """A config without the keys that never bear on positions."""
    if isinstance(value, dict):
        return {str(k): quiet(v) for k, v in value.items() if not NOISE.fullmatch(str(k))}
    return value if plain(value) else repr(value)


def raw_defaults(config_class):
    """The defaults as the class states them, before __post_init__ fills in the rest."""
    generic = {field.name for field in dataclasses.fields(PreTrainedConfig)}
    fields = {}
    for field in dataclasses.fields(config_class):
        if field.name in generic or NOISE.fullmatch(field.name):
            continue
        value = field.default
        if field.default_factory is not dataclasses.MISSING:
            value = field.default_factory()
        if plain(value):
            fields[field.name] = value
    return fields


def class_attributes(config_class):
    """Plain class attributes of the model's own config classes that are not fields."""
    fields = {field.name for field in dataclasses.fields(config_class)}
    found = {"default_theta": config_class.default_theta}
    for owner in reversed(config_class.__mro__):
        if not owner.__module__.startswith("transformers.models"):
            continue
        for name, value in vars(owner).items():
            if name in fields or name.startswith("__") or NOISE.fullmatch(name) or not value:
                continue
            value = sorted(value) if isinstance(value, set) else value
            if name == "sub_configs":
                value = {k: getattr(v, "model_type", str(v)) for k, v in value.items()}
            if plain(value):
                found[name] = value
    return found


# ------------------------------------------------------------------ models


class Sparse(TorchFunctionMode):
    """Weights go to the meta device; what is computed stays on the CPU, so tables have values."""

    WEIGHTS = (torch.empty, torch.randn, torch.rand, torch.empty_strided)
    FILLED = (torch.zeros, torch.ones)  # small ones join in computations

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if kwargs.get("device") is None:
            size = args[0] if args and isinstance(args[0], tuple | list) else args
            large = func in self.FILLED and all(isinstance(x, int) for x in size)
            if func in self.WEIGHTS or (large and math.prod(size) > 1e6):
                kwargs["device"] = "meta"
        try:
            return func(*args, **kwargs)
        except NotImplementedError:  # a large table on its way back from the meta device
            return args[0]


def modeling_module(config_class):
    """The modeling module beside the config's."""
    name = config_class.__module__.replace(".configuration_", ".modeling_")
    with contextlib.suppress(ModuleNotFoundError):
        return importlib.import_module(name)
    folder = ROOT.joinpath(*name.split(".")[1:-1])
    for path in sorted(folder.glob("modeling_*.py")):
        return importlib.import_module(name.rsplit(".", 1)[0] + "." + path.stem)
    return None


def model_classes(model_type, config_class):
    """Candidates for the class that this config builds, the likeliest first."""
    tables = [modeling_auto.MODEL_MAPPING_NAMES, modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES]
    tables += [v for k, v in vars(modeling_auto).items() if k.endswith("_MAPPING_NAMES")]
    for table in tables:
        names = dict(table).get(model_type) or ()
        for name in [names] if isinstance(names, str) else names:
            found = getattr(transformers, name, None)
            if getattr(found, "config_class", None) is config_class:
                yield found
    for table in tables[:2]:  # a type may borrow another's class
        if isinstance(name := dict(table).get(model_type), str) and hasattr(transformers, name):
            yield getattr(transformers, name)
    module = modeling_module(config_class)
    for name, found in vars(module).items() if module else ():
        if getattr(found, "config_class", None) is config_class and "PreTrainedModel" not in name:
            yield found
    for name, found in vars(module).items() if module else ():
        if re.search("Model|Encoder|Decoder|Tower|Transformer", name) and inspect.isclass(found):
            notes = getattr(found.__init__, "__annotations__", {}).values()
            module_class = issubclass(found, torch.nn.Module)
            if module_class and (config_class in notes or config_class.__name__ in notes):
                yield found


def built(model_class, config):
    config = copy.deepcopy(config)
    make = getattr(model_class, "_from_config", model_class)
    with Sparse(), initialization.no_init_weights():
        return make(config)


# ------------------------------------------------------------------ what the modules hold


def digits(value):
    """The shortest decimals of a float32."""
    value = torch.tensor(value, dtype=torch.float32).item()
    return next(x for x in (float(f"{value:.{n}g}") for n in range(1, 18)) if f32(x) == value)


def f32(value):
    return torch.tensor(value, dtype=torch.float32).item()


def collapsed(name):
    return re.sub(r"(^|\.)\d+(?=\.|$)", r"\1*", name)


def joined(items):
    """Equal records under other layer indices become one with a count."""
    found = {}
    for item in items:
        key = json.dumps({**item, "module": collapsed(item["module"])}, sort_keys=True)
        found.setdefault(key, {**item, "count": 0})["count"] += 1
    for item in found.values():
        if item["count"] == 1:
            del item["count"]
        else:
            item["module"] = collapsed(item["module"])
    return list(found.values())


def buffers(model):
    rotary, stored = [], []
    for name, module in model.named_modules():
        for key, value in module.named_buffers(recurse=False):
            about = {"module": name, "class": type(module).__name__, "buffer": key}
            if "inv_freq" in key and "original" not in key and value.device.type == "cpu":
                numbers = value.flatten().tolist()
                about |= {
                    "n": len(numbers),
                    "values": [digits(x) for x in numbers[:3] + numbers[-1:]],
                    "zeros": numbers.count(0.0),
                }
                scalings = {k: v for k, v in vars(module).items() if "attention_scaling" in k}
                prefix = key.removesuffix("inv_freq")
                about["attention_scaling"] = scalings.get(f"{prefix}attention_scaling")
                about["rope_type"] = getattr(module, "rope_type", None)
                if isinstance(about["rope_type"], dict):
                    about["rope_type"] = about["rope_type"].get(prefix.rstrip("_"))
                about |= {"rule": width_rule(type(module)), "config": config_of(module)}
                rotary.append(about)
            elif re.search("inv_freq", key) and "original" in key:
                continue
            elif re.search("freq|sin|cos|pos|rel|alibi|slope|weights$|timescale", key):
                stored.append(about | {"shape": list(value.shape)})
    return joined(rotary), joined(stored)


def config_of(module):
    return type(vars(module)["config"]).__name__ if "config" in vars(module) else None


def width_rule(found):
    """How a rotary class makes its unscaled frequencies, from the text of its own function.

    ROPE_INIT_FUNCTIONS, for every other rope type, always honour partial_rotary_factor.
    """
    node = next(
        (
            item
            for item in ast.walk(syntax(found))
            if isinstance(item, ast.FunctionDef) and re.match("compute_(default|axial)", item.name)
        ),
        None,
    )
    if node is None:
        return None
    text = ast.unparse(node)
    width = "axial" if "axial" in node.name else "head_dim"
    partial = re.search(r"get\('partial_rotary_factor', ([\d.]+)\)", text)
    if partial:
        width += f" * partial_rotary_factor (or {partial[1]})"
    if not re.search(
        r"getattr\(config, 'head_dim', None\) or config.hidden_size // config.num_att", text
    ):
        width = "other: " + "; ".join(re.findall(r"(?<= )dim = .*|head_dim = .*|base = .*", text))
    return width + (", by layer type" if "[layer_type]" in text else "")


def tables(model):
    """Parameters that speak of positions by their own name or by that of their embedding."""
    found = []
    for name, module in model.named_modules():
        embedding = isinstance(module, torch.nn.Embedding)
        kind = type(module).__name__
        for key, value in module.named_parameters(recurse=False):
            speaks = TABLE.search(name.rsplit(".", 1)[-1] if embedding else key)
            if not (speaks or (embedding and re.search("Position|Relative", kind))):
                continue
            item = {"module": f"{name}.{key}".lstrip("."), "class": kind}
            for extra in ("offset", "padding_idx"):
                if isinstance(vars(module).get(extra), int):
                    item[extra] = vars(module)[extra]
            found.append(item | {"shape": list(value.shape)})
    return joined(found)


def layers(model):
    """Attention modules and layers by their place, with what they say about positions."""
    groups = collections.defaultdict(list)
    for name, module in model.named_modules():
        kind = type(module).__name__
        if re.search("Attention|Attn|Mixer|Layer$|Block$", kind) and not re.search(
            "Norm|MLP", kind
        ):
            index = vars(module).get("layer_idx", vars(module).get("layer_id"))
            if not isinstance(index, int):
                numbers = re.findall(r"\.(\d+)(?=\.|$)", name)
                index = int(numbers[-1]) if numbers else 0
            says = {
                k: v
                for k, v in vars(module).items()
                if TELLING.search(k) and isinstance(v, int | float | str | bool | None)
            }
            groups[collapsed(name), kind].append((index, says))
    found = []
    for (name, kind), members in groups.items():
        keys = sorted({key for _, says in members for key in says})
        attention = re.search("Attention|Attn|Mixer", kind)
        if not keys and not attention:
            continue
        item = {"module": name, "class": kind, "indices": ranges([i for i, _ in members])}
        for key in keys:
            values = [says.get(key) for _, says in members]
            if all(v == values[0] for v in values):
                item[key] = values[0]
            else:  # value -> the layers that hold it
                item[key] = {
                    str(v): ranges([i for i, says in members if says.get(key) == v])
                    for v in dict.fromkeys(values)
                }
        found.append(item)
    return found


def ranges(indices):
    """[0, 1, 2, 5] as "0-2,5"."""
    parts = []
    for _, run in itertools.groupby(enumerate(indices), lambda pair: pair[1] - pair[0]):
        run = [index for _, index in run]
        parts.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
    return ",".join(parts)


# ------------------------------------------------------------------ which function turns, and how


@functools.cache
def definitions(module):
    """Syntax trees of a module's classes and functions, without docstrings.

    Docstrings go because they mention what other models do. inspect.getsource would parse the
    whole file again for each class.
    """
    tree = ast.parse(pathlib.Path(sys.modules[module].__file__).read_text())
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            first.value.value = ""
    return {node.name: node for node in tree.body if hasattr(node, "name")}


def syntax(found):
    return definitions(found.__module__).get(found.__name__, ast.Pass())


def calls(found):
    """Calls in a class to functions that turn queries and keys: name, text and conditions."""
    out = []

    def walk(node, conditions):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else None
            name = node.func.id if isinstance(node.func, ast.Name) else name
            if name and TURNS.match(name) and name not in ("rotary_emb",):
                out.append({"function": name, "call": ast.unparse(node), "if": conditions})
        for field, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    extra = conditions
                    if isinstance(node, ast.If | ast.IfExp) and field in ("body", "orelse"):
                        test = ast.unparse(node.test)
                        extra = [*conditions, test if field == "body" else f"not ({test})"]
                    walk(child, extra)

    for owner in reversed(found.__mro__):
        if owner.__module__.startswith("transformers.models"):
            walk(syntax(owner), [])
    return out


D = 8  # width of the probe; its four angles differ, so every pair can be told
ANGLES = torch.tensor([0.3, 0.5, 0.7, 1.1])
HALF = [(i, i + D // 2) for i in range(D // 2)]
NEXT = [(2 * i, 2 * i + 1) for i in range(D // 2)]


def rotation(sources, targets, sign):
    matrix = torch.zeros(D, D)
    for angle, (x, y), (u, v) in zip(ANGLES.tolist(), sources, targets, strict=True):
        matrix[u, x], matrix[u, y] = math.cos(angle), -sign * math.sin(angle)
        matrix[v, x], matrix[v, y] = sign * math.sin(angle), math.cos(angle)
    return matrix


def layout(function):
    """Which pairs a function turns: one-hot queries, four angles, every usual form of the table."""
    names = list(inspect.signature(function).parameters)
    forms = [torch.cat([ANGLES, ANGLES]), ANGLES.repeat_interleave(2), ANGLES]
    for angles, extra in itertools.product(forms, ((1, 1), (1, 1, 1))):
        cos, sin = angles.cos().view(*extra, -1), angles.sin().view(*extra, -1)
        turn = torch.polar(torch.ones(D // 2), ANGLES).view(*extra, -1)

        def run(x, cos=cos, sin=sin, turn=turn):
            if any(name.startswith("freqs_ci") for name in names):
                return function(x, x, turn)[0]
            if names[:3] == ["tensor", "sin", "cos"]:
                return function(x, sin, cos)
            if names[0] == "sinusoidal_pos":
                return function(torch.cat([ANGLES.sin(), ANGLES.cos()]).view(1, 1, 1, D), x, x)[0]
            if names[:3] == ["q", "k", "v"]:
                return function(x, x, x, cos[0], sin[0], torch.zeros(1, 1, dtype=torch.long))[0]
            if names[0] in ("x", "hidden_states"):
                return function(x, cos, sin)
            out = function(x, x, cos, sin)
            return out[0] if isinstance(out, tuple) else out

        try:
            columns = [run(row.view(1, 1, 1, D)).reshape(-1) for row in torch.eye(D)]
            matrix = torch.stack(columns, 1)
        except Exception:
            continue
        if matrix.shape != (D, D):
            continue
        for sign, word in ((1, ""), (-1, ", turned backwards")):
            for name, sources, targets in (
                ("half", HALF, HALF),
                ("interleaved", NEXT, NEXT),
                ("interleaved input, halves out", NEXT, HALF),
            ):
                if torch.allclose(matrix, rotation(sources, targets, sign), atol=1e-5):
                    return name + word
    return "other"


def turning(classes):
    """For each built class that calls a turning function: the calls and the layout of each."""
    found = {}
    for one in classes:
        told = calls(one)
        if not told:
            continue
        scope = vars(sys.modules[one.__module__])
        for call in told:
            function = scope.get(call["function"]) or getattr(one, call["function"], None)
            call["layout"] = layout(function) if callable(function) else None
        found[one.__name__] = told
    return found


# ------------------------------------------------------------------ a forward pass without numbers


ANSWERS = {"__bool__": False, "__contains__": False, "__float__": 1.0}
ANSWERS |= dict.fromkeys(("item", "__int__", "__index__"), 1)


class Guessing(TorchFunctionMode):
    """Answers for questions that a meta tensor cannot answer, so that a forward pass goes on."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", "")
        if args and isinstance(args[0], torch.Tensor) and args[0].is_meta:
            if name in ANSWERS:
                return ANSWERS[name]
            if name == "nonzero":  # as if one place were not zero
                return args[0].new_zeros(1, args[0].ndim, dtype=torch.long)
            if name == "tolist":
                return torch.ones(args[0].shape, dtype=args[0].dtype).tolist()
        return func(*args, **(kwargs or {}))


def ran(model):
    """Which modules really turn queries and keys, and how attention is called, on eight tokens.

    The whole model goes to the meta device: shapes flow, numbers do not, so that size costs
    nothing. Experts hand on what they get; where a text goes is the same without them.
    """
    model = model.to("meta").eval()
    names = {id(module): name for name, module in model.named_modules()}
    stack, turned, attended, replaced = [], {}, {}, []
    for module in model.modules():
        if type(module).__name__.endswith("Experts"):
            module.forward = lambda states, *_, **__: states
        module.register_forward_pre_hook(lambda module, *_: stack.append(module))
        module.register_forward_hook(lambda *_: [stack.pop(), None][1])

    def watched(name, function):
        def watch(*args, **kwargs):
            shapes = [list(x.shape) for x in [*args, *kwargs.values()] if torch.is_tensor(x)]
            turned.setdefault(names[id(stack[-1])], []).append([name, shapes])
            return function(*args, **kwargs)

        return watch

    def attention(module, query, key, value, *_, **kwargs):
        told = {k: v for k, v in kwargs.items() if type(v) in (int, float) and k != "dropout"}
        told |= {"query": list(query.shape), "key": list(key.shape), "value": list(value.shape)}
        told |= {k: list(v.shape) for k, v in kwargs.items() if torch.is_tensor(v)}
        attended[names.get(id(module), type(module).__name__)] = told
        batch, heads, length = query.shape[:3]
        return query.new_empty(batch, length, heads, value.shape[-1]), None

    for name in {type(module).__module__ for module in model.modules()}:
        if name.startswith("transformers.models"):
            for key, value in list(vars(sys.modules[name]).items()):
                if TURNS.match(key) and inspect.isroutine(value) and "apply" in key:
                    replaced.append((sys.modules[name], key, value))
                    setattr(sys.modules[name], key, watched(key, value))
    for kind in {type(module) for module in model.modules()}:
        for key, value in list(vars(kind).items()):
            if TURNS.match(key) and "apply" in key:
                still = isinstance(value, staticmethod)
                replaced.append((kind, key, value))
                watch = watched(key, value.__func__ if still else value)
                setattr(kind, key, staticmethod(watch) if still else watch)
    replaced.append(
        (AttentionInterface, "get_interface", vars(AttentionInterface)["get_interface"])
    )
    AttentionInterface.get_interface = lambda *_: attention
    tokens = torch.zeros(1, 8, dtype=torch.long, device="meta")
    takes = inspect.signature(model.forward).parameters
    inputs = {k: tokens for k in ("input_ids", "decoder_input_ids") if k in takes}
    error = None
    with torch.no_grad(), Guessing():
        try:
            model(**inputs, **({"use_cache": False} if "use_cache" in takes else {}))
        except Exception as problem:
            error = f"{type(problem).__name__}: {problem}"[:200]
    for place, key, value in replaced:
        setattr(place, key, value)
    return {"turned": by_place(turned), "attended": by_place(attended), "stopped": error}


def by_place(found):
    """Equal findings at the same place of several layers, joined."""
    groups = collections.defaultdict(list)
    for name, value in found.items():
        numbers = re.findall(r"(?:^|\.)(\d+)(?=\.|$)", name)
        groups[collapsed(name), json.dumps(value)].append(int(numbers[0]) if numbers else 0)
    return [
        {"module": name, "indices": ranges(indices), "is": json.loads(value)}
        for (name, value), indices in groups.items()
    ]


def pairs(turns, turned):
    """Layouts by class, of the functions that ran where any did; and the one of text attention."""
    ran = {name for place in turned for name, _ in place["is"]}
    layouts = {}
    for kind, told in turns.items():
        called = [call for call in told if call["function"] in ran] or told
        layouts[kind] = sorted({call["layout"] or "other" for call in called})
    other = re.compile("Vision|Visual|Audio|ViT|Indexer|Compressor")
    text = {k: v for k, v in layouts.items() if not other.search(k)} or layouts
    found = sorted({layout for several in text.values() for layout in several})
    return layouts, found[0] if len(found) == 1 else found or None


def seen(model_type, config):
    errors = []
    for model_class in dict.fromkeys(model_classes(model_type, type(config))):
        try:
            model = built(model_class, config)
            break
        except Exception as error:
            errors.append(f"{model_class.__name__}: {type(error).__name__}: {error}"[:300])
    else:
        return {"error": errors or ["no model class found"]}
    classes = list(dict.fromkeys(type(module) for module in model.modules()))
    classes = [one for one in classes if one.__module__.startswith("transformers.models")]
    source = "\n".join(ast.unparse(syntax(one)) for one in classes)
    rotary, stored = buffers(model)
    turns = turning(classes)
    found = {
        "built": type(model).__name__,
        "built_file": os.path.relpath(sys.modules[type(model).__module__].__file__, ROOT),
        "rotary": rotary,
        "stored": stored,
        "tables": tables(model),
        "attention": layers(model),
        "calls_rotary": bool(turns),
        "turns": turns,
        "patterns": [name for name, word in PATTERNS.items() if re.search(word, source)],
    }
    found["ran"] = ran(model)  # last: it takes the model apart
    found["layouts"], found["layout"] = pairs(found["turns"], found["ran"]["turned"])
    return found


def record(model_type):
    """All that is known about one model type; what fails is written down as an error."""
    out = {}
    try:
        config_class = CONFIG_MAPPING[model_type]
        out["class"] = config_class.__name__
        out["fields"] = raw_defaults(config_class)
        out["attributes"] = class_attributes(config_class)
        module = modeling_module(config_class)
        out["file"] = os.path.relpath(module.__file__, ROOT) if module else None
        given = GIVEN.get(model_type, {})
        if given:
            out["given"] = given
        config = config_class(**copy.deepcopy(given))
        out["saved"] = quiet(config.to_dict())
        out["seen"] = seen(model_type, config)
    except Exception as error:
        out["seen"] = {"error": [f"{type(error).__name__}: {error}"[:300]]}
    return out


def answers(wanted):
    """(model type, record) of each, from child processes: a crash or a hang costs one row only.

    A child goes on until it dies or says nothing for SECONDS; the next begins after the row that
    was lost. A new one after CHUNK models keeps memory small.
    """
    wanted = list(wanted)
    while wanted:
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(reader)
            with os.fdopen(writer, "w") as stream:
                for model_type in wanted[:CHUNK]:
                    stream.write(json.dumps(record(model_type)) + "\n")
                    stream.flush()
            os._exit(0)
        os.close(writer)
        text = b""
        for model_type in wanted[:CHUNK]:
            end = time.monotonic() + SECONDS
            while b"\n" not in text:
                left = max(0.0, end - time.monotonic())
                part = os.read(reader, 1 << 20) if select.select([reader], [], [], left)[0] else b""
                if not part:
                    break
                text += part
            line, found, text = text.partition(b"\n")
            wanted.pop(0)
            if not found:
                yield model_type, {"seen": {"error": [f"dead, or no answer within {SECONDS} s"]}}
                break
            yield model_type, json.loads(line)
        os.close(reader)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def main(out, *wanted):
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    wanted = sorted(wanted or CONFIG_MAPPING_NAMES)
    parts = [pathlib.Path(f"{out}.part{worker}") for worker in range(WORKERS)]
    workers = []
    for worker, part in enumerate(parts):
        workers.append(os.fork())
        if not workers[-1]:
            with part.open("w") as stream:
                for answer in answers(wanted[worker::WORKERS]):
                    stream.write(json.dumps(answer) + "\n")
                    stream.flush()
                os._exit(0)
    for worker in workers:
        os.waitpid(worker, 0)
    records = dict(json.loads(line) for part in parts for line in part.read_text().splitlines())
    about = {
        "transformers": transformers.__version__,
        "torch": torch.__version__.split("+")[0],
        "about": __doc__,
    }
    lines = [f"{json.dumps(k)}: {json.dumps(records[k])}" for k in sorted(records)]
    text = '{"about": ' + json.dumps(about) + ',\n"models": {\n' + ",\n".join(lines) + "\n}}\n"
    parts[0].write_text(text)
    parts[0].replace(out)
    for part in parts[1:]:
        part.unlink()
    failed = [k for k, v in records.items() if "error" in v["seen"]]
    print(len(records), "model types,", len(failed), "not built:", *sorted(failed))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Public bug reports about positions, each as a small input with its right value.

`cases.json` holds, for each report, its addresses, what was seen, the input, the right value
(computed apart from this package, in float64) and the wrong one that was seen. Most of them were
silent: a wrong number, no error. Here each gives the right number, or an error that says why not.
Reports about reading a `config.json` go through the reader.
"""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from posenc_ref import (
    ConfigError,
    alibi_bias,
    alibi_bias_at,
    alibi_slopes,
    apply_rotary,
    attention_weights,
    causal_mask,
    config_frequencies,
    convert_rotary_weights,
    deberta_scores,
    lookup_positions,
    mrope_cos_sin,
    mrope_positions,
    next_positions,
    offset_positions,
    packed_positions,
    packed_segments,
    positions_from_mask,
    read_config,
    relative_positions,
    resize_grid,
    rotary_cos_sin,
    rotary_inv_freq,
    rotary_permutation,
    scale_dynamic,
    scale_linear,
    scale_llama3,
    scale_longrope,
    scale_yarn,
    segment_mask,
    sinusoidal_table,
    t5_bias,
    t5_buckets,
    window_index,
    yarn_bounds,
    yarn_mscale,
)
from tests.conftest import DOCS

CASES = {
    case["id"]: case
    for case in json.loads((DOCS / "practice/cases.json").read_text(encoding="utf-8"))
}


def read(number):
    """Input, right value and wrong value of a case."""
    case = CASES[f"PE-{number:02}"]
    return case["input"], case["expected"], case["wrong"]


def close(ours, expected, atol=1e-8):
    np.testing.assert_allclose(ours, expected, rtol=0, atol=atol)


def turned(x, position, *, layout, base=10000.0, inv_freq=None):
    """One vector, as if it stood at that position."""
    x = np.asarray(x, float)
    if inv_freq is None:
        inv_freq = rotary_inv_freq(x.shape[-1], base)
    return apply_rotary(x[..., None, :], rotary_cos_sin([position], inv_freq), layout=layout)[
        ..., 0, :
    ]


def llama3_of(given):
    block = given["rope_scaling"]
    return scale_llama3(
        rotary_inv_freq(given["head_dim"], given["base"]),
        factor=block["factor"],
        low_freq_factor=block["low_freq_factor"],
        high_freq_factor=block["high_freq_factor"],
        trained_length=block["original_max_position_embeddings"],
    ).inv_freq


def dynamic_base(given, seq_len):
    """The base, read back from the second frequency."""
    width = given["head_dim"]
    scaled = scale_dynamic(
        width,
        given["base"],
        factor=given["factor"],
        trained_length=given["max_position_embeddings"],
        seq_len=seq_len,
    )
    return scaled.inv_freq[1] ** (-width / 2)


def rope_of(config):
    """The first rotation of a config's text, as read; a width where the case has none."""
    return read_config({"head_dim": 64, **config}).part("text").ropes[0]


def warned(config, kind, *words):
    """Whether the reader says something of that kind, with these words in it."""
    return any(
        found.kind == kind and all(word in found.text for word in words)
        for found in read_config(config).warnings
    )


def test_every_case_has_a_test_of_its_number():
    numbers = re.findall(r"^def test_pe_(\d\d)_", Path(__file__).read_text("utf-8"), re.MULTILINE)

    assert sorted(f"PE-{number}" for number in numbers) == sorted(CASES)


# Layouts of a rotation


def test_pe_01_each_layout_has_its_own_numbers():
    given, right, _ = read(1)

    for layout in ("half", "interleaved"):
        for position, expected in zip(given["positions"], right[layout], strict=True):
            close(turned(given["x"], position, layout=layout), expected)


def test_pe_02_scores_agree_after_the_permutation_and_only_then():
    given, right, wrong = read(2)
    order = rotary_permutation(given["head_dim"], source="interleaved", target="half")

    def score(q, k, layout):
        return turned(q, given["q_pos"], layout=layout) @ turned(k, given["k_pos"], layout=layout)

    q, k = np.array(given["q"]), np.array(given["k"])
    assert order.tolist() == right["permutation_interleaved_to_half"]
    close(score(q, k, "interleaved"), right["score_interleaved"])
    close(score(q[order], k[order], "half"), right["score_half_after_permutation"])
    close(score(q, k, "half"), wrong["score_half_without_permutation"])


def test_pe_03_rows_move_within_their_head():
    given, right, _ = read(3)
    rows = np.array(given["rows"])[:, None]
    of_eight = rotary_permutation(8, source="interleaved", target="half").tolist()

    def converted(weight, **layouts):
        return convert_rotary_weights(weight, n_heads=given["n_heads"], **layouts)

    there = converted(rows, source="interleaved", target="half")
    close(there[:, 0], right["original_to_hf"])
    close(converted(rows, source="half", target="interleaved")[:, 0], right["hf_to_original"])
    close(converted(there, source="half", target="interleaved"), rows)
    assert f"original_to_hf(8)={of_eight}" in right["note"]


def test_pe_05_no_layout_changes_the_length_of_a_vector():
    given, right, _ = read(5)

    angles = given["position"] * rotary_inv_freq(given["head_dim"], given["base"])
    close(np.tile(angles, 2), right["table_angles_half"])
    close(np.repeat(angles, 2), right["table_angles_interleaved"])
    for layout in ("half", "interleaved"):
        out = turned(given["x"], given["position"], layout=layout)
        close(np.linalg.norm(out), right["norm_preserved"])


def test_pe_06_de_interleaving_first_gives_other_elements_and_the_same_scores():
    given, right, _ = read(6)
    x, position = given["x"], given["position"]

    neighbours = turned(x, position, layout="interleaved")
    halves = turned(x, position, layout="interleaved_to_half")
    close(neighbours, right["interleaved"])
    close(halves, right["deinterleaved_then_half"])
    close(halves @ halves, neighbours @ neighbours)


def test_pe_09_the_page_puts_every_name_under_its_layout():
    given, right, _ = read(9)
    page = (DOCS / "lessons" / "rope-layouts.md").read_text("utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in re.search(r"^\| where \| half \|.*\n.*\n((?:\|.*\n)+)", page, re.MULTILINE)[1]
        .strip()
        .split("\n")
    ]
    engines = {
        "mlx": "MLX",
        "flash-attn": "FlashAttention",
        "vLLM": "SGLang, after vLLM",
        "ggml": "llama.cpp",
        "GPT-J": "Transformers, GPT-J",
        "HF": "Transformers, Llama",
        "ONNX": "ONNX",
    }

    for place, layout in enumerate(("half", "interleaved"), 1):
        for name in right[layout]:
            engine, _, flag = name.partition(" ")
            (row,) = (row for row in rows if row[0].startswith(engines[engine]))
            assert f"`{flag}" in row[place], name
            assert f"`{flag}`" not in row[3 - place], name
    assert sorted(right["half"] + right["interleaved"]) == sorted(given["names"])


# Sinusoidal tables


def test_pe_10_the_three_published_tables_differ():
    given, right, _ = read(10)

    def row(**convention):
        return sinusoidal_table(1, given["d_model"], start=given["position"], **convention)[0]

    close(row(), right["paper_interleaved"])
    close(row(layout="concatenated"), right["concatenated"])
    close(row(layout="concatenated", exponent="tensor2tensor"), right["tensor2tensor"])


def test_pe_11_sine_and_cosine_of_a_pair_share_their_angle():
    given, right, _ = read(11)
    row = sinusoidal_table(1, given["d_model"], start=given["position"])[0]

    close(row, right["row"])
    close(row[0::2] ** 2 + row[1::2] ** 2, 1)


def test_pe_79_a_table_is_added_along_time_in_every_row_of_a_batch():
    given, right, _ = read(79)
    batch, length, width = given["x_shape"]

    out = np.zeros((batch, length, width)) + sinusoidal_table(length, width)

    for row in out:
        close(row, right["out_b0"])


def test_pe_80_a_table_needs_no_batch_axis():
    given, right, _ = read(80)
    table = sinusoidal_table(*given["x_shape"][1:])

    assert list(table.shape) == right["table_shape"]
    assert list((np.zeros(given["x_shape"]) + table).shape) == right["sum_shape"]


def test_pe_81_an_odd_width_is_refused_by_name():
    given, _, _ = read(81)

    with pytest.raises(ValueError, match="d_model must be even"):
        sinusoidal_table(2, given["d_model"])


# Frequencies and their scaling


def test_pe_13_interpolation_divides_every_frequency_alike():
    given, right, _ = read(13)
    inv_freq = rotary_inv_freq(given["head_dim"], given["base"])

    close(scale_linear(inv_freq, factor=given["factor"]).inv_freq, right["inv_freq_interpolation"])


def test_pe_14_the_low_bound_comes_from_beta_fast():
    given, right, _ = read(14)

    low, high = yarn_bounds(
        given["head_dim"],
        given["base"],
        trained_length=given["original_max_position_embeddings"],
        beta_fast=given["beta_fast"],
        beta_slow=given["beta_slow"],
        truncate=given["truncate"],
    )

    close((low, high), (right["low"], right["high"]))


def test_pe_15_llama_3_blends_frequencies_not_wavelengths():
    given, right, _ = read(15)
    pair = given["pair"]
    inv_freq = llama3_of(given)[pair]

    close(inv_freq, right["inv_freq_pair"], atol=1e-15)
    plain = rotary_inv_freq(given["head_dim"], given["base"])[pair]
    close(inv_freq / plain, right["ratio_to_unscaled"])


def test_pe_16_llama_3_keeps_blends_and_divides():
    given, right, _ = read(16)
    ratio = llama3_of(given) / rotary_inv_freq(given["head_dim"], given["base"])

    close(ratio[: right["unchanged_pairs"][1] + 1], 1)
    first, last = right["interpolated_pairs"]
    close(ratio[first : last + 1], right["ratios_15_16_17"])
    close(ratio[right["divided_pairs"][0] :], 1 / given["rope_scaling"]["factor"])


def yarn(factor, trained_length, width=128, base=10000.0, **options):
    return scale_yarn(width, base, factor=factor, trained_length=trained_length, **options)


def test_pe_18_an_attention_factor_that_is_given_is_kept():
    given, right, wrong = read(18)
    block = given["rope_scaling"]
    args = block["factor"], block["original_max_position_embeddings"]

    given_one = yarn(*args, attention_factor=block["attention_factor"])
    assert given_one.attention_factor == right["attention_factor"]
    close(yarn(*args).attention_factor, wrong["attention_factor"])


def test_pe_19_a_final_attention_factor_is_not_scaled_again():
    given, right, _ = read(19)

    for case, expected in zip(given["cases"], right["attention_factor"], strict=True):
        factor, given_factor = case["factor"], case["attention_factor"]
        close(yarn(factor, 4096, attention_factor=given_factor).attention_factor, expected)
        close(yarn(factor, 4096).attention_factor, expected)


def test_pe_20_a_key_that_is_not_read_is_named():
    given, right, _ = read(20)
    config = {"head_dim": 128, "max_position_embeddings": 131072, **given}
    scaled = given["rope_scaling"]["attn_factor"] * right["value_if_key_ignored"]

    assert right["must_not_be_silent"]
    assert read_config(config).unknown_keys == ("rope_scaling.attn_factor",)
    assert warned(config, "note", "attn_factor", "transformers does not read it")
    close(rope_of(config).attention_factor, right["value_if_key_ignored"])
    close(scaled, right["value_if_attn_factor_is_multiplier"])


def test_pe_21_two_equal_mscales_leave_cosines_alone_and_scale_the_softmax():
    given, right, wrong = read(21)
    block, mla = given["rope_scaling"], given["mla"]
    args = block["factor"], block["original_max_position_embeddings"]

    both = yarn(*args, mscale=block["mscale"], mscale_all_dim=block["mscale_all_dim"])
    assert both.attention_factor == right["cos_sin_factor"]
    close(yarn(*args).attention_factor, wrong["cos_sin_factor"])
    softmax = yarn_mscale(mla["factor"], mla["mscale_all_dim"]) ** 2
    close(softmax, right["mla_softmax_scale_multiplier_factor40"])


def test_pe_22_the_factor_that_is_given_counts():
    given, right, wrong = read(22)
    block = given["rope_scaling"]

    explicit = yarn(block["factor"], block["original_max_position_embeddings"])
    from_lengths = yarn(wrong["factor"], block["original_max_position_embeddings"])
    close(explicit.attention_factor, right["attention_factor"])
    close(from_lengths.attention_factor, wrong["attention_factor"])
    rope = rope_of(given)
    assert rope.factor == right["factor"]
    close(rope.attention_factor, right["attention_factor"])
    told = warned(given, "contradiction", "factor is 4", "40960 / 32768 = 1.25")
    assert told == right["warn_ratio_mismatch"]


def test_pe_23_bounds_that_are_not_truncated_move_the_frequencies():
    given, right, wrong = read(23)
    block = given["rope_scaling"]
    args = block["factor"], block["original_max_position_embeddings"]

    def bounds(truncate):
        block_of = {key: block[key] for key in ("beta_fast", "beta_slow")}
        length = {"trained_length": args[1], "truncate": truncate}
        return yarn_bounds(given["head_dim"], given["rope_theta"], **block_of, **length)

    close(bounds(False), (right["low"], right["high"]))
    close(bounds(True), (wrong["low"], wrong["high"]))

    def twelfth(truncate):
        options = {"width": given["head_dim"], "base": given["rope_theta"], "truncate": truncate}
        return yarn(*args, **options).inv_freq[12]

    close(twelfth(False), right["inv_freq_pair_12"], atol=1e-12)
    close(twelfth(True), wrong["inv_freq_pair_12"], atol=1e-12)


def test_pe_24_the_upper_bound_is_clamped_at_the_width_not_at_the_pairs():
    given, right, wrong = read(24)
    block = given["rope_scaling"]
    args = block["factor"], block["original_max_position_embeddings"]
    last = yarn(*args, width=given["head_dim"], base=given["base"]).inv_freq[-1]

    close(last, right["inv_freq_last_pair"], atol=1e-13)
    assert abs(last - wrong["inv_freq_last_pair_with_half_clamp"]) > 1e-6


def longrope(**options):
    ones = np.ones(4)
    return scale_longrope(8, 10000.0, **{"short_factor": ones, "long_factor": 2 * ones, **options})


def test_pe_25_longrope_stretches_cosines_at_every_length():
    given, right, _ = read(25)
    lengths = {
        "trained_length": given["original_max_position_embeddings"],
        "max_length": given["max_position_embeddings"],
    }

    for seq_len in (1, 4096, 4097):
        factor = longrope(**lengths, seq_len=seq_len).attention_factor
        close(factor, right["attention_factor"])


def test_pe_26_the_dynamic_base_grows_with_the_length():
    given, right, _ = read(26)

    bases = [dynamic_base(given, seq_len) for seq_len in given["seq_lens"]]

    np.testing.assert_allclose(bases, right["bases"], rtol=1e-9)


def test_pe_27_a_length_below_the_trained_one_leaves_the_base_alone():
    given, right, _ = read(27)
    scaled = scale_dynamic(
        given["head_dim"],
        given["base"],
        factor=given["factor"],
        trained_length=given["max_position_embeddings"],
        seq_len=given["seq_len"],
    )

    close(scaled.inv_freq[1], right["inv_freq_1"])


def test_pe_28_a_linear_factor_divides_the_angle():
    given, right, _ = read(28)
    inv_freq = rotary_inv_freq(given["head_dim"], given["base"])
    scaled = scale_linear(inv_freq, factor=given["rope_scaling"]["factor"]).inv_freq

    close(given["position"] * scaled, right["angles"])
    close(scaled / inv_freq, right["freq_scale"])


def test_pe_29_frequencies_know_no_maximum_length():
    given, right, _ = read(29)

    close(rotary_inv_freq(given["head_dim"], given["rope_theta"])[1], right["inv_freq_1"])


def test_pe_30_a_block_of_five_fields_is_read():
    given, right, _ = read(30)
    plain = rotary_inv_freq(given["head_dim"], given["rope_theta"])
    ratio = rope_of(given).inv_freq / plain

    assert right["accepted"]
    assert rope_of(given).rope_type == right["rope_type"]
    kept, divided = right["unchanged_last_pair"], right["divided_first_pair"]
    close(ratio[: kept + 1], 1)
    close(ratio[divided:], 1 / given["rope_scaling"]["factor"])
    assert np.all((ratio[kept + 1 : divided] < 1) & (ratio[kept + 1 : divided] > 1 / 8))


def test_pe_31_linear_scaling_divides_by_its_factor():
    given, right, _ = read(31)
    inv_freq = rotary_inv_freq(8)

    for block, factor in zip(given["variants"], right["factor"], strict=True):
        np.testing.assert_array_equal(
            scale_linear(inv_freq, factor=block["factor"]).inv_freq, inv_freq / factor
        )
    read_types = [rope_of({"rope_scaling": block}).rope_type for block in given["variants"]]
    assert read_types == right["rope_type"]
    for block, factor in zip(given["variants"], right["factor"], strict=True):
        rope = rope_of({"head_dim": 8, "rope_scaling": block})
        assert rope.factor == factor
        np.testing.assert_array_equal(rope.inv_freq, inv_freq / factor)
    both = {"head_dim": 8, "rope_scaling": {"type": "yarn", "rope_type": "linear", "factor": 4}}
    assert rope_of(both).rope_type == "linear"
    assert warned(both, "contradiction", "'linear'", "'yarn'", "rope_type")


def test_pe_32_the_base_of_the_file_makes_the_frequencies():
    given, right, wrong = read(32)
    width = given["variants"][0]["head_dim"]

    close(rotary_inv_freq(width, right["rope_theta"][0])[1], right["inv_freq_1"])
    close(rotary_inv_freq(width)[1], wrong["inv_freq_1"])
    for config, base in zip(given["variants"], right["rope_theta"], strict=True):
        assert rope_of(config).base == base
        close(rope_of(config).inv_freq[1], right["inv_freq_1"])


def test_pe_33_a_block_that_says_default_scales_nothing():
    given, right, _ = read(33)
    ropes = [rope_of(config) for config in given["variants"]]

    assert [rope.rope_type != "default" for rope in ropes] == right["scaled"]
    assert [rope.attention_factor for rope in ropes] == right["attention_factor"]
    np.testing.assert_array_equal(ropes[0].inv_freq, ropes[1].inv_freq)


def test_pe_34_a_base_is_taken_as_given():
    given, right, wrong = read(34)
    width = given["config"]["head_dim"]

    close(rotary_inv_freq(width, right["rope_theta"])[1], right["inv_freq_1"])
    close(rotary_inv_freq(width, wrong["rope_theta"])[1], wrong["inv_freq_1"])
    assert rope_of(given["config"]).base == right["rope_theta"]
    close(rope_of(given["config"]).inv_freq[1], right["inv_freq_1"])


def test_pe_36_each_block_of_a_kind_of_layer_is_complete_in_itself():
    given, right, _ = read(36)
    model = read_config(given)
    block = given["rope_parameters"]
    scaled, plain = (
        rotary_inv_freq(given["head_dim"], block[kind]["rope_theta"])
        for kind in ("full_attention", "sliding_attention")
    )

    sliding = config_frequencies(model, layer=0)
    assert right["sliding_scaled"] is False
    np.testing.assert_array_equal(sliding.inv_freq, plain)
    assert sliding.attention_factor == 1

    # The ramp rises by one step from pair to pair, so two pairs on it give both its ends.
    full = config_frequencies(model, layer=1)
    ramp = (1 - full.inv_freq / scaled) / (1 - 1 / block["full_attention"]["factor"])
    step = (ramp[17] - ramp[9]) / (17 - 9)
    low = 9 - ramp[9] / step
    close((low, low + 1 / step), right["full_low_high"])


def test_pe_37_a_base_of_zero_is_refused():
    given, _, _ = read(37)

    with pytest.raises(ValueError, match=r"base must be at least 1, got 0\.0"):
        rotary_inv_freq(given["head_dim"], given["rope_theta"])
    with pytest.raises(ConfigError, match=r"rope_theta must be a finite number above 1 .* 0\.0"):
        read_config(given)


def test_pe_39_the_exponent_counts_the_rotated_width():
    given, right, wrong = read(39)
    inv_freq = rotary_inv_freq(given["rotary_dim"], given["rope_theta"])

    assert len(inv_freq) == right["n_freqs"]
    close(inv_freq[1], right["inv_freq_1"])
    close(rotary_inv_freq(given["head_dim"], given["rope_theta"])[1], wrong["inv_freq_1"])
    assert rope_of(given).rotary_dim == right["rotary_dim"]
    close(rope_of(given).inv_freq, inv_freq)


def test_pe_40_a_share_that_the_class_brings_counts_as_if_it_were_written():
    given, right, wrong = read(40)
    widths = [rope_of(config).rotary_dim for config in given["variants"]]

    assert widths == right["rotary_dim"]
    assert wrong["rotary_dim"] not in widths


def test_pe_42_an_odd_or_empty_rotary_width_is_refused():
    given, _, _ = read(42)

    for variant in given["variants"]:
        width = int(variant["head_dim"] * variant.get("partial_rotary_factor", 1))
        with pytest.raises(ValueError, match="rotary_dim must be even and at least 2"):
            rotary_inv_freq(width)
        key = "partial_rotary_factor" if "partial_rotary_factor" in variant else "head_dim"
        with pytest.raises(ConfigError, match=f"^{key} must"):
            read_config(variant)


def test_pe_44_longrope_lists_have_one_factor_for_each_rotated_pair():
    given, right, wrong = read(44)
    lengths = {"trained_length": 4096, "max_length": 131072, "seq_len": 1}

    def scaled(n):
        factors = {"short_factor": np.ones(n), "long_factor": np.ones(n)}
        return scale_longrope(right["rotary_dim"], 10000.0, **factors, **lengths)

    assert len(scaled(right["required_list_length"]).inv_freq) == 48
    with pytest.raises(ValueError, match="short_factor must have one entry for each of 48 pairs"):
        scaled(wrong["required_list_length"])
    assert given["rope_scaling"]["long_factor_len"] == 48

    def config(n):
        block = {"short_factor": [1.0] * n, "long_factor": [1.0] * n}
        return {**given, "rope_scaling": {**given["rope_scaling"], **block}}

    assert rope_of(config(right["required_list_length"])).rotary_dim == right["rotary_dim"]
    with pytest.raises(ConfigError, match="short_factor must have one entry for each of 48 pairs"):
        read_config(config(wrong["required_list_length"]))


# Layers of one model


def test_pe_46_a_factor_is_for_the_layers_that_it_was_made_for():
    given, right, _ = read(46)
    model = read_config(given)
    kinds = {"sliding_attention": right["sliding"], "full_attention": right["full"]}

    assert list(model.part("text").layers.types) == right["layer_types"]
    for layer, kind in enumerate(right["layer_types"]):
        close(config_frequencies(model, layer=layer).inv_freq[0], kinds[kind]["inv_freq_0"])
    for rope in model.part("text").ropes:
        assert rope.base == kinds[rope.applies_to]["rope_theta"]
        assert (rope.factor or 1.0) == kinds[rope.applies_to]["factor"]


def test_pe_47_a_one_in_no_rope_layers_means_that_the_layer_rotates():
    given, right, _ = read(47)
    layers = read_config(given).part("text").layers

    assert list(layers.unpositioned) == right["nope_layers"]
    assert [int(layer in layers.rotated) for layer in range(8)] == right["no_rope_layers_first8"]
    written = {**given, "no_rope_layers": right["no_rope_layers_first8"], "num_hidden_layers": 8}
    assert read_config(written).part("text").layers.unpositioned == (3, 7)


# Several axes


def test_pe_48_time_is_scaled_before_it_is_cut_to_whole_numbers():
    given, right, _ = read(48)
    frames, height, width = given["grid_thw"]

    time_step = given["second_per_grid"] * given["tokens_per_second"]
    segments = [("text", given["start"]), ("video", frames, height, width, time_step)]
    positions = mrope_positions(segments, advance="largest")

    assert positions[0, given["start"] :].tolist() == right["temporal"]


def test_pe_50_the_two_maps_of_axes_differ():
    given, right, _ = read(50)
    axes = np.array([[0.1], [0.2], [0.3]])  # one position an axis, so that an angle tells its axis

    def owners(order):
        ones = np.ones(given["n_freqs"])
        turn = mrope_cos_sin(axes, ones, sections=given["mrope_section"], order=order)
        return ["THW"[round(10 * angle) - 1] for angle in np.arctan2(turn.sin, turn.cos)[0]]

    assert owners("interleaved") == right["interleaved_axis"]
    assert owners("chunked") == right["blocked_axis"]


# Caches


def test_pe_52_a_second_offset_gets_its_own_angles():
    given, right, _ = read(52)

    for call, expected in zip(given["calls"], right["out"], strict=True):
        close(turned(given["x"], call["offset"], layout=given["layout"]), expected)


def test_pe_53_a_long_prompt_leaves_no_trace():
    given, right, _ = read(53)

    bases = [dynamic_base(given, seq_len) for seq_len in given["seq_lens"]]

    np.testing.assert_allclose(bases, right["bases"], rtol=1e-9)


def test_pe_54_scores_depend_on_distance_only_under_one_base():
    given, right, wrong = read(54)

    def scores(key_base):
        return [
            turned(given["q"], at, layout="half", base=given["query_base"])
            @ turned(given["k"], key_at, layout="half", base=key_base)
            for at, key_at in given["pairs"]
        ]

    close(scores(given["query_base"]), right["same_base"], atol=1e-6)
    close(scores(given["key_base"]), wrong["mixed"], atol=1e-6)


def test_pe_55_one_set_of_longrope_factors_serves_a_sequence():
    given, right, wrong = read(55)

    def factors(seq_len):
        return scale_longrope(
            given["head_dim"],
            given["base"],
            short_factor=given["short_factor"],
            long_factor=given["long_factor"],
            trained_length=given["original_max_position_embeddings"],
            max_length=131072,
            seq_len=seq_len,
        ).inv_freq

    long, short = factors(given["q_pos"] + 1), factors(given["k_pos"] + 1)
    q = turned(given["q"], given["q_pos"], layout="half", inv_freq=long)
    fresh = turned(given["k"], given["k_pos"], layout="half", inv_freq=long)
    stale = turned(given["k"], given["k_pos"], layout="half", inv_freq=short)
    close(q @ fresh, right["score_all_long"], atol=1e-6)
    close(q @ stale, wrong["score_query_long_key_short"], atol=1e-6)


def test_pe_57_every_row_of_a_batch_is_turned():
    given, right, _ = read(57)
    x = np.tile(np.array(given["x"], float), (given["batch"], 1))

    for row in turned(x, given["offset"], layout=given["layout"]):
        close(row, right["row"])


def test_pe_67_the_long_factors_start_past_the_trained_length():
    given, right, _ = read(67)
    lengths = {"trained_length": given["original_max_position_embeddings"], "max_length": 8192}

    first = [longrope(**lengths, seq_len=n).inv_freq[0] for n in given["seq_lens"]]

    assert [{1.0: "short", 0.5: "long"}[value] for value in first] == right["factors"]


# Padding, packing, offsets


def test_pe_58_padding_at_the_left_takes_no_positions():
    given, right, _ = read(58)

    close(positions_from_mask(given["attention_mask"]), right["full_with_fill_0"])


def test_pe_59_a_shift_of_both_leaves_the_score_alone():
    given, right, _ = read(59)

    def score(start):
        q = turned(given["q"], start + 9, layout="half")
        return q @ turned(given["k"], start + 2, layout="half")

    assert abs(score(given["shift"]) - score(0)) < right["max_abs_change_float64_below"]


def test_pe_61_positions_restart_with_each_document_and_attention_stays_inside():
    given, right, _ = read(61)
    lengths = given["doc_lens"]
    mask = segment_mask(packed_segments(lengths)) & causal_mask(sum(lengths), sum(lengths))

    assert packed_positions(lengths).tolist() == right["positions"]
    assert mask.sum(axis=1).tolist() == [position + 1 for position in right["positions"]]


def test_pe_63_padding_reads_the_padding_row():
    given, right, _ = read(63)

    close(
        offset_positions(given["input_ids"], padding_idx=given["padding_idx"]), right["positions"]
    )


def test_pe_65_alibi_counts_real_tokens():
    given, right, _ = read(65)
    positions = positions_from_mask(given["attention_mask"])[0]
    slopes = alibi_slopes(given["num_heads"])

    last_query = alibi_bias_at(slopes, positions[-1:], positions)[:, 0]

    # The reported form adds slope * key position: our last row and a constant of the row.
    close(last_query + slopes[:, None] * positions[-1], right["bias"])


def test_pe_66_a_fairseq_table_has_two_more_rows_than_tokens():
    given, right, _ = read(66)
    ids = np.full(given["max_tokens"], 5)
    positions = offset_positions(ids, padding_idx=given["padding_idx"])

    assert (positions[0], positions[-1]) == (right["first_position"], right["last_position"])
    assert lookup_positions(np.zeros((right["rows"], 1)), positions).shape == (512, 1)
    with pytest.raises(ValueError, match=r"512 rows\), got position 512"):
        lookup_positions(np.zeros((512, 1)), positions)


def test_pe_68_the_first_new_token_stands_just_after_the_prompt():
    given, right, _ = read(68)
    mask = np.ones((1, given["prompt_len"]), int)

    found = []
    for _ in range(given["new_tokens"]):
        found += next_positions(mask).tolist()
        mask = np.ones((1, mask.shape[1] + 1), int)

    assert found == right["positions"]


def test_pe_71_a_grid_is_resized_to_the_size_asked_for():
    given, right, _ = read(71)

    for case, size in zip(given["cases"], right["target"], strict=True):
        table = np.ones((case["source_grid"] ** 2, 1))
        resized = resize_grid(table, (size, size), prefix_tokens=0, method="bicubic")
        assert resized.shape == (size**2, 1)


def test_pe_77_a_position_past_the_table_is_named():
    given, right, _ = read(77)
    table = np.zeros((given["rows"], 2))

    assert lookup_positions(table, given["positions"][:2]).shape == (2, 2)
    with pytest.raises(ValueError, match="positions must be") as refused:
        lookup_positions(table, given["positions"])
    for words in right["error_must_name"]:
        assert words in str(refused.value)


# Precision


def test_pe_73_angles_are_not_made_in_float16():
    given, right, wrong = read(73)
    inv_freq = rotary_inv_freq(given["head_dim"], given["base"])[given["pair"]]

    turn = rotary_cos_sin([given["position"]], [inv_freq], dtype=np.float32)
    # Seven digits of an angle of a thousand: its cosine is known to 1e-4.
    close(turn.cos[0, 0], math.cos(right["angle_float32"]), atol=1e-4)
    assert abs(turn.cos[0, 0] - math.cos(wrong["angle_float16"])) > 0.1


def test_pe_74_positions_stay_whole_numbers():
    given, right, _ = read(74)

    assert (
        positions_from_mask(np.ones(4096)[None].astype(int))[0, given["positions"]].tolist()
        == (right["exact"])
    )


def test_pe_75_even_float32_angles_are_off_by_less_than_bfloat16_by_far():
    given, right, _ = read(75)
    inv_freq = rotary_inv_freq(given["head_dim"], given["base"])
    positions = np.arange(max(given["lengths"]))

    exact = rotary_cos_sin(positions, inv_freq)
    for angles, bound in [
        (np.float64, 2e-7),
        (np.float32, right["max_phase_error_rad_float32_below"]),
    ]:
        ours = rotary_cos_sin(positions, inv_freq, dtype=np.float32, angles=angles)
        assert np.abs(ours.cos - exact.cos).max() < bound


# Biases


def test_pe_69_slopes_start_at_one_half_for_eight_heads():
    given, right, _ = read(69)

    np.testing.assert_array_equal(alibi_slopes(given["num_heads"]), right["slopes"])


def test_pe_82_slopes_of_twelve_heads_follow_the_released_rule():
    given, right, _ = read(82)

    close(alibi_slopes(given["num_heads"]), right["slopes"], atol=1e-10)


def test_pe_83_slopes_are_not_sorted():
    given, right, _ = read(83)

    for n_heads in given["num_heads"]:
        close(alibi_slopes(n_heads), right[f"slopes_{n_heads}"], atol=1e-10)


def weights_of(scores, bias, mask=None):
    """Softmax of scores that are given as they are."""
    zeros = np.zeros((len(scores), 1))
    return attention_weights(zeros, zeros, bias=np.array(scores) + bias, mask=mask)


def key_index_form(slope, n):
    return np.broadcast_to(slope * np.arange(n), (n, n))


def test_pe_84_the_key_index_form_has_the_same_softmax_under_a_causal_mask():
    given, right, _ = read(84)
    n, slope = len(given["scores"]), given["slope"]
    ours = slope / alibi_slopes(1)[0] * alibi_bias(1, n, n)[0]

    weights = weights_of(given["scores"], ours, causal_mask(n, n))
    other = weights_of(given["scores"], key_index_form(slope, n), causal_mask(n, n))
    close(weights, other, atol=1e-15)
    close(weights[3], right["row3"])


def test_pe_85_without_a_causal_mask_the_key_index_form_is_another_bias():
    given, right, wrong = read(85)
    n, slope = len(given["scores"]), given["slope"]
    ours = slope / alibi_slopes(1)[0] * alibi_bias(1, n, n)[0]

    close(weights_of(given["scores"], ours)[0], right["row0_symmetric"])
    close(weights_of(given["scores"], key_index_form(slope, n))[0], wrong["row0_key_index"])


def test_pe_87_buckets_are_logarithmic_and_know_the_sign():
    given, right, _ = read(87)

    buckets = t5_buckets(
        np.array(given["key_minus_query"]),
        bidirectional=given["bidirectional"],
        n_buckets=given["num_buckets"],
        max_distance=given["max_distance"],
    )

    assert buckets.tolist() == right["buckets"]


def test_pe_88_half_of_each_side_is_exact():
    given, right, wrong = read(88)

    buckets = t5_buckets(np.array(given["key_minus_query"]), bidirectional=True)

    assert buckets.tolist() == right["buckets"]
    assert buckets.tolist() != wrong["buckets_if_16_exact"]


def test_pe_89_t5_has_no_bias_across_and_ours_speaks_of_one_sequence():
    """Five queries of their own stand on no key, so the bias refuses more queries than keys."""
    given, right, _ = read(89)
    relative = np.arange(given["key_len"]) - (given["query_len"] - 1)

    row = t5_buckets(relative, bidirectional=False)

    assert row.tolist() == right["causal_buckets_if_self_attention_row4"]
    with pytest.raises(ValueError, match=r"n_queries must be in 1\.\.5"):
        t5_bias(np.zeros((32, 1)), given["key_len"], given["query_len"], bidirectional=False)


def test_pe_70_the_row_stride_of_a_window_index_keeps_offsets_apart():
    given, right, _ = read(70)

    index = window_index(*given["window"])

    assert index.tolist() == right["index"]
    assert len(np.unique(index)) == right["distinct"]


def test_pe_91_both_terms_of_released_deberta_take_one_index():
    """The query table counts its rows, and a key of 1 reads them: so scores show the index."""
    given, right, wrong = read(91)
    n, span = given["n"], given["span"]
    rows = np.arange(2.0 * span)[:, None]

    def index(convention):
        scores = deberta_scores(
            np.zeros((n, 1)), np.ones((n, 1)), None, rows, index=convention, max_distance=None
        )
        return scores * math.sqrt(2)  # two terms, of width 1

    close(index("code"), right["effective_index"])
    close(index("paper"), 2 * span - np.array(right["effective_index"]))
    close(relative_positions(n, n), span - np.array(right["effective_index"]))
    assert np.array(wrong["without_transpose"])[0, 1] == 5

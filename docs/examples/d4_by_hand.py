# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The d = 4 table, cell by cell
#
# The smallest table that shows everything: four numbers a position, so two pairs.
# We fill it with `math.sin` and `math.cos` alone, then add the word “dog” to it.
#
# The formula, for position $p$ and pair $i$:
#
# $$
# PE_{p,2i} = \sin\frac{p}{10000^{2i/d}}, \qquad PE_{p,2i+1} = \cos\frac{p}{10000^{2i/d}}
# $$
#
# ## Two pairs, two speeds
#
# The divisor of a pair depends on the pair alone, never on the position.

# %%
d = 4
for pair in range(d // 2):
    divisor = 10000 ** (2 * pair / d)
    print(f"pair {pair}: position divided by {divisor:.0f}")

# %% [markdown]
# So pair 0 turns one radian a token, and pair 1 a hundred times more slowly.
#
# ## Every cell, with its expression

# %%
import math

for position in range(3):
    for dimension in range(d):
        pair = dimension // 2
        divisor = 10000 ** (2 * pair / d)
        name = "sin" if dimension % 2 == 0 else "cos"
        value = getattr(math, name)(position / divisor)
        cell = f"{name}({position} / {divisor:.0f}) = {value:.3f}"
        print(f"position {position}, dimension {dimension}: {cell}")

# %% [markdown]
# Position 0 alternates 0 and 1 at any width: every sine starts at 0 and every cosine at 1.
#
# ## The same table in one go
#
# NumPy does all cells at once: positions down, pairs across, sine and cosine side by side.

# %%
import numpy as np

positions = np.arange(3)[:, None]
divisors = 10000 ** (np.arange(0, d, 2) / d)
angles = positions / divisors
pairs = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
table = pairs.reshape(3, d)
print(table.round(3))

# %% [markdown]
# ## Add “dog”
#
# Say “dog” has the vector [1, 0, 1, 0]: a toy, but of the right width.
# In “dog bites man” it sits at position 0, in “man bites dog” at position 2.

# %%
dog = np.array([1, 0, 1, 0])
print("dog at position 0:", (dog + table[0]).round(3))
print("dog at position 2:", (dog + table[2]).round(3))

# %% [markdown]
# One word, two inputs. That difference is all that attention without a mask gets to see of the order.
#
# ## What the slow pair is for
#
# The fast pair repeats itself: after 44 tokens it has made seven turns, almost exactly, and is back
# where it started. The slow pair has moved on by 44 hundredths of a radian, and tells the two
# positions apart.

# %% alt="Two pairs of waves over 64 positions. The fast sine and cosine swing about ten times; the slow sine climbs steadily past half its height while the slow cosine sinks to about four fifths."
import matplotlib.pyplot as plt

p = np.arange(64)
fig, axes = plt.subplots(2, 1, sharex=True, figsize=(5, 3.4))
for pair, ax in enumerate(axes):
    angle = p / 10000 ** (2 * pair / d)
    ax.plot(p, np.sin(angle), label="sine")
    ax.plot(p, np.cos(angle), label="cosine", linestyle="--")
    ax.set_ylabel(f"pair {pair}")
axes[1].legend(loc="center left")
axes[1].set_xlabel("position")
plt.show()

# %% [markdown]
# ## Check yourself
#
# How far apart are the rows of position 44 and position 0, in each pair? Work it out before you
# read on. Two points on a circle of radius 1 have distance $2\,|\sin(\Delta/2)|$ if they are an
# angle $\Delta$ apart.


# %%
def row(position):
    angle = position / divisors
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1)


measured = np.linalg.norm(row(44) - row(0), axis=1)
by_hand = np.abs(2 * np.sin(44 / divisors / 2))
for pair in range(2):
    print(f"pair {pair}: {measured[pair]:.3f}, by hand {by_hand[pair]:.3f}")

# %% [markdown]
# The fast pair alone would take position 44 for position 0; the slow pair alone hardly sees a step
# of one token. The lesson [Sinusoidal positions](../../lessons/sinusoidal/) shows what many of them
# do together.

# %% [markdown]
# # A notebook
#
# Two cells, one namespace.

# %%
import math

# %% alt="a tag that a cell may carry"
print(math.hypot(3, 4))

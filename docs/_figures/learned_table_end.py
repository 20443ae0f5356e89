"""Stepper: a learned table ends at row 7; position 8 has no row until the table is stretched."""

from typing import Any

import numpy as np

from _figures._end_of_table import N_POSITIONS, N_ROWS, QUARTERS, TABLE, mixture
from _figures.past_the_end import strip
from _hooks.draw import Frame, text
from posenc_ref import resize_table

LEFT, TOP, STEP, PITCH, HEIGHT = 96, 20, 15, 43, 12


def data() -> dict[str, Any]:
    return {
        "table": np.array(TABLE).tolist(),
        "stretched": resize_table(TABLE, N_POSITIONS).tolist(),
        "mixture": [mixture(position) for position in range(N_POSITIONS)],
    }


def frames(data: dict[str, Any]) -> list[Frame]:
    slots = "".join(
        f'<rect class="slot" y="{STEP * p}" width="169" height="{HEIGHT}" rx="2"/>'
        for p in range(N_POSITIONS)
    )
    ruler = "".join(text(0, STEP * p, p, "small end") for p in (0, 3, 7, 8, 15))

    def picture(alt: str, pick: int | None, says: str, stretched: bool = False) -> Frame:
        frame = Frame(alt, 264).put("slots", LEFT, TOP, slots)
        frame.put("ruler", LEFT - 14, TOP + 10, ruler)
        if stretched:  # old row r is now the two rows 2r and 2r + 1, each moved a quarter
            for p, row in enumerate(data["stretched"]):
                key, enter = (f"row{p // 2}", "") if p % 2 == 0 else (f"twin{p}", f"row{p // 2}")
                frame.put(key, LEFT, TOP + STEP * p, strip(row, PITCH, HEIGHT), enter=enter)
        else:
            for r, row in enumerate(data["table"]):
                frame.put(f"row{r}", LEFT, TOP + STEP * r, strip(row, PITCH, HEIGHT))
        if pick is not None:
            mark = '<rect class="line" width="177" height="18" rx="4"/>'
            frame.put("pick", LEFT - 4, TOP - 3 + STEP * pick, mark)
        place = N_ROWS // 2 if pick is None else pick
        frame.put("says", LEFT + 182, TOP + 10 + STEP * place, text(0, 0, says, "strong"))
        return frame

    def mixed(before: str, position: int) -> Frame:
        """The stretched table with a frame around a row, and in words what that is made of."""
        parts = data["mixture"][position]
        (row, share), *_ = parts
        old = " and ".join(str(row) for row in sorted(row for row, _ in parts))
        return picture(
            f"{before} a row mixed from old rows {old}.",
            position,
            f"{QUARTERS[share][1]} of {row}",
            stretched=True,
        )

    return [
        picture("A table with rows 0 to 7; the places 8 to 15 are empty.", None, "trained"),
        picture("A frame around row 3: it is the row that position 3 reads.", 3, "row 3"),
        picture("The frame is around row 7, the last one: position 7 reads it.", 7, "row 7"),
        picture("The frame is around the empty place 8: position 8 has no row.", 8, "no row"),
        mixed("Each row has become two. Position 8 has", 8),
        mixed("Position 7 no longer has row 7, but", 7),
    ]

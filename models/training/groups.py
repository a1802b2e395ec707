"""
What `garment-parse` tells apart: groups of garments, the regions they belong to, and what labels
of photos say of them. The order of the groups is that of the network's answers.
"""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Group:
    id: str
    # As the labels of the street photos are called.
    labels: tuple[str, ...]
    # What is worn: the region of the garment dictionary, its small things apart.
    part: str = ""


def read_groups() -> tuple[Group, ...]:
    rows = json.loads(Path(__file__).with_name("groups.json").read_text())
    return tuple(Group(row["id"], tuple(row["labels"]), row.get("part", "")) for row in rows)


GROUPS = read_groups()
IDS = tuple(group.id for group in GROUPS)
WORN = tuple(i for i, group in enumerate(GROUPS) if group.part)
# What answers are summed by before they are judged: parts, and what nobody wears by itself.
PARTS = tuple(dict.fromkeys(group.part or group.id for group in GROUPS))

# What the label of a photo of one laid-out garment allows.
ANY = tuple(IDS[i] for i in WORN)
LAID_OUT = {
    "Blazer": ("jacket_blazer",),
    "Blouse": ("shirt_blouse",),
    "Body": ("dress_onepiece", "top"),
    "Dress": ("dress_onepiece",),
    "Hat": ("hat",),
    "Hoodie": ("knit_sweat",),
    "Longsleeve": ("top", "shirt_blouse", "knit_sweat"),
    "Outwear": ("jacket_blazer", "coat", "vest", "knit_sweat"),
    "Pants": ("trousers_jeans",),
    "Polo": ("top",),
    "Shirt": ("shirt_blouse",),
    "Shoes": ("shoes", "boots"),
    "Shorts": ("shorts",),
    "Skirt": ("skirt",),
    "T-Shirt": ("top",),
    "Top": ("top",),
    "Undershirt": ("top",),
}

# Tokens: what one pixel is labelled. First each group by itself, then sets of groups, one of which
# it is.
SETS = (ANY, *dict.fromkeys(allowed for allowed in LAID_OUT.values() if len(allowed) > 1))
TOKENS = (*((id,) for id in IDS), *SETS)
# No label: not learnt from.
UNKNOWN = 255


def token_of(allowed: tuple[str, ...]) -> int:
    return TOKENS.index(allowed)


def group_of_label() -> dict[str, int]:
    """The group of each label of the street photos, by its number."""
    return {label: i for i, group in enumerate(GROUPS) for label in group.labels}

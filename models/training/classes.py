"""
What the classifier tells apart, and what the labels of photos say of it. A label that says less than
the classes do allows several of them.
"""

import numpy as np

# In the order of the network's answers; the same list is in src/taxonomy/photo/image-classes.ts.
CLASS_NAMES = (
    *("t-shirt", "longsleeve", "tank-top", "polo", "shirt", "blouse", "bodysuit", "sweater"),
    *("hoodie", "vest", "blazer", "outwear", "coat", "dress", "skirt", "pants", "jeans"),
    *("leggings", "shorts", "tights", "shoes", "boots", "heels", "sandals", "flats", "hat"),
    *("scarf", "belt", "socks", "bag", "sunglasses", "other"),
)

# Of the first classifier; new ones begin as the nearest of them.
TEN = ("dress", "hat", "longsleeve", "outwear", "pants", "shirt", "shoes", "shorts", "skirt", "t-shirt")
NEAREST_OF_TEN = {
    **dict.fromkeys(("tank-top", "polo", "bodysuit"), "t-shirt"),
    **dict.fromkeys(("sweater", "hoodie"), "longsleeve"),
    **dict.fromkeys(("blazer", "coat", "vest"), "outwear"),
    **dict.fromkeys(("jeans", "leggings", "tights"), "pants"),
    **dict.fromkeys(("boots", "heels", "sandals", "flats", "socks"), "shoes"),
    **dict.fromkeys(("scarf", "bag"), "hat"),
    "blouse": "shirt",
}

ANY_SHOES = ("shoes", "boots", "heels", "sandals", "flats")
ANY_TOP = ("t-shirt", "tank-top", "blouse", "longsleeve")

# Labels of laid-out garments; others ("Not sure", "Other") say nothing.
OF_CLOTHES = {
    "T-Shirt": ("t-shirt",),
    "Longsleeve": ("longsleeve", "sweater"),
    "Pants": ("pants", "jeans", "leggings"),
    "Shoes": ("shoes",),
    "Shirt": ("shirt",),
    "Dress": ("dress",),
    "Outwear": ("outwear", "coat"),
    "Shorts": ("shorts",),
    "Skirt": ("skirt",),
    "Hat": ("hat",),
    "Polo": ("polo",),
    "Undershirt": ("tank-top",),
    "Blazer": ("blazer",),
    "Hoodie": ("hoodie",),
    "Body": ("bodysuit",),
    "Top": ANY_TOP,
    "Blouse": ("blouse",),
}

# Labels of pixels of street photos.
OF_STREET = {
    **{name: (name,) for name in CLASS_NAMES},
    "shoes": ANY_SHOES,
    "top": (*ANY_TOP, "sweater"),
    **dict.fromkeys(("jumper", "cardigan"), ("sweater",)),
    "sweatshirt": ("hoodie",),
    "jacket": ("outwear",),
    "suit": ("blazer",),
    "cape": ("coat",),
    **dict.fromkeys(("romper", "bodysuit"), ("dress",)),
    "stockings": ("tights",),
    "sneakers": ("shoes",),
    "loafers": ("flats",),
    **dict.fromkeys(("pumps", "wedges"), ("heels",)),
    **dict.fromkeys(("purse", "wallet"), ("bag",)),
    "glasses": ("sunglasses",),
    **dict.fromkeys(("watch", "bracelet", "necklace"), ("other",)),
}
# The label "suit" is both halves of one; the parse network says which.
SUIT_TROUSERS = ("suit", "trousers_jeans")

# Categories of the dictionary that a shop's products have; no category is no garment.
OF_CATEGORY = {
    "hoodie": ("hoodie",),
    "sweatshirt": ("hoodie",),
    "light_jacket": ("outwear",),
    "windbreaker": ("outwear",),
    "fleece_jacket": ("outwear", "hoodie"),
    "rain_jacket": ("outwear",),
    "down_jacket": ("outwear",),
    "sweater": ("sweater",),
    "turtleneck": ("sweater",),
    "overshirt": ("shirt",),
    "joggers": ("pants",),
    "trousers": ("pants",),
    "t_shirt": ("t-shirt",),
    "long_sleeve_tee": ("longsleeve",),
    "shorts": ("shorts",),
    "tank_top": ("tank-top",),
    "camisole": ("tank-top",),
    "bra": ("tank-top",),
    "leggings": ("leggings",),
    "capri": ("leggings",),
    "bag": ("bag",),
}


def allowed(names: tuple[str, ...]) -> np.ndarray:
    """True for each class that a label may mean."""
    return np.array([name in names for name in CLASS_NAMES])


def of_product(product: dict) -> tuple[str, ...]:
    """Classes of an entry of store-products.json."""
    if product["notAGarment"]:
        return ("other",)
    return tuple(name for leaf in product["truthLeaves"] for name in OF_CATEGORY[leaf])

"""Variables and the objects that own them."""

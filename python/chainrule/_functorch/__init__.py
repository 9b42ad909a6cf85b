"""torch._functorch: where packages look for the parts of vmap."""

"""Other people's packages, run on chainrule: one program each."""

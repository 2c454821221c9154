"""Near duplicates: I-Match with randomised lexicons (METHODS.md section 3; Kołcz, Chowdhury, Alspector 2004)."""

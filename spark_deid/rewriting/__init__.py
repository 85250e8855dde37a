"""From spans to edits, and from edits to text: techniques, the rules that choose them, and what is decided."""

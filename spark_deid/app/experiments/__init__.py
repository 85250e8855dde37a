"""The experiments of the papers: what is measured, and the figures and plots it gives; only commands run them."""

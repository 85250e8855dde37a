"""Token classification by neural models of one's own: transformers that were exported to ONNX, as a detector."""

"""From mentions to people and back: values of attributes, the identifier view, and its values in each mention."""

"""From mentions to persons and back: values of attributes, the identifier view, and what each mention shows of it."""

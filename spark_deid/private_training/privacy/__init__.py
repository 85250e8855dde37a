"""Whether vectors can be read: pairs, templates and intervals, in code apart from the training's."""

"""All that touches an engine beyond the DataFrame API: sessions, tasks, shared values, folders, failures."""

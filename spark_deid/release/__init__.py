"""The only writer of releases: the workspace, the manifest, the leak scan, and one commit."""

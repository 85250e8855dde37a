"""The only writer of releases: store, lock, manifest, gate."""

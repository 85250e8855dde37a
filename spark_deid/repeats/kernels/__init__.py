"""Compiled loops over UTF-8 bytes and over characters."""

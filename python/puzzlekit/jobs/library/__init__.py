"""A library of finished work: a folder, or a host, in which states are looked up before they are searched."""

"""The experiments of Jiang, Murugesan, Clifton and Si, section 6."""

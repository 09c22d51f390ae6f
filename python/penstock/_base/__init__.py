"""What knows nothing of tensors: files, the environment, nested structures, missing names."""

"""What commands do on a Ray cluster (``--ray``)."""

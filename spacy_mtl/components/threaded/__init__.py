"""Components that predict a stream of documents on several threads."""

"""The experiments of Mao & Tsang on chains: template weights, p, and the rivals of their tables."""

"""Decoding of trees and sums over them, from scores alone."""

"""Ray clusters (extra ``ray``): how they are joined, and how work is given to them. Nothing of Ray is imported before it is asked for."""

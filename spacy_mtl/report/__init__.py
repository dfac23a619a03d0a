"""A report on a trained pipeline: one HTML file with scores, training, templates, errors and how sure the components are."""

from .make import make_report, reportable
from .page import Report

__all__ = ["Report", "make_report", "reportable"]

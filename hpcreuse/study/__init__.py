"""The papers' validation experiments (TR 5, CCR 6): each drives the methods on a site that it copies or changes."""

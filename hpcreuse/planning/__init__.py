"""What a job will take before it is run: a sample of the input, measured rates, and a model of the stages."""

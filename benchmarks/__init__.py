"""What the claims about speed are measured with. Not part of the package or of the tests."""

"""What components tell about how sure they are."""

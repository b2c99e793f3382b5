"""Publishing releases: to a folder, an S3 bucket or the Hugging Face Hub, by command or in the browser."""

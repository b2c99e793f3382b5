"""Publishing releases: to a folder, an S3 bucket, the Hugging Face Hub or an archive such as Zenodo."""

"""Machine judges that are models on servers of the OpenAI protocol, which see a clip's pictures."""

"""Machine judges that are models on servers of the OpenAI protocol, shown clips or told their descriptions."""

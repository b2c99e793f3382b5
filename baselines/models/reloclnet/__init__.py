"""ReLoCLNet, retrieval and localisation with contrastive learning (Zhang et al., SIGIR 2021)."""

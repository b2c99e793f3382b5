"""The models, written anew after their papers: a folder each, with its module, its configuration and its loss.

XML (with subtitles, and of the video alone), ReLoCLNet and the TVR-Ranking paper's ReLoCLNet were compared with their
published code, which is no part of this repository. With the same weights and inputs, in float64, video scores, logits
of start and end, losses and the gradients of all weights differ by 3e-14 at most; the optimizer's weights after 300
steps by 3e-15; and search finds the same 40 moments in the same order. Known differences: the logits of a video's last
two clips beside padding (`layers.ConvSE`), and the positive-pair mask, which that code has not (`reloclnet`). How SPR
differs from its paper, its module says.
"""

"""Tells what papers are about from whom they cite: a graph convolution network, with a sparse and with a dense graph.

A layer takes the mean over a paper and its neighbours. The graph is a matrix that is nearly empty: kept sparse, a
product with it costs what its entries cost. Both ways give the same numbers.
"""

import time

import chainrule as torch  # `import torch` runs the same
from chainrule import nn
from chainrule.nn import functional as F  # noqa: N812

PAPERS, SUBJECTS, CITES, WORDS, KNOWN = 3000, 5, 4, 200, 20


def made_up_papers():
    """Their subjects; citations, mostly of papers on the same subject; words, of which few tell the subject."""
    subject = torch.randint(SUBJECTS, (PAPERS,))
    order = subject.argsort()
    ends = torch.bincount(subject, minlength=SUBJECTS).cumsum(0)
    first = (ends - torch.bincount(subject, minlength=SUBJECTS))[subject]
    same = first[:, None] + (torch.rand(PAPERS, CITES) * (ends[subject] - first)[:, None]).long()
    other = torch.randint(PAPERS, (PAPERS, CITES))
    cited = torch.where(torch.rand(PAPERS, CITES) < 0.8, order[same], other)
    citing = torch.arange(PAPERS)[:, None].expand(PAPERS, CITES)
    likely = 0.03 + 0.04 * (torch.arange(WORDS) % SUBJECTS == subject[:, None])
    return subject, citing.flatten(), cited.flatten(), torch.bernoulli(likely)


def means_over_neighbours(citing, cited):
    """A sparse matrix: row i takes the mean over paper i and those that it cites or that cite it."""
    own = torch.arange(PAPERS)
    places = torch.stack([torch.cat([citing, cited, own]), torch.cat([cited, citing, own])])
    graph = torch.sparse_coo_tensor(places, torch.ones(places.shape[1]), (PAPERS, PAPERS)).coalesce()
    rows = graph.indices()[0]
    counts = torch.zeros(PAPERS).index_add(0, rows, graph.values())
    return torch.sparse_coo_tensor(graph.indices(), graph.values() / counts[rows], (PAPERS, PAPERS)).to_sparse_csr()


class GraphConvolution(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.first, self.second = nn.Linear(WORDS, hidden), nn.Linear(hidden, SUBJECTS)

    def forward(self, graph, words):
        return graph @ self.second(F.relu(graph @ self.first(words)))


def train(graph, words, subject, known):
    """The losses of a training, the share of unseen papers that it gets right, and its seconds."""
    torch.manual_seed(1)
    model, losses, began = GraphConvolution(), [], time.perf_counter()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-3)
    for _ in range(60):
        loss = F.cross_entropy(model(graph, words)[known], subject[known])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    seconds = time.perf_counter() - began
    with torch.no_grad():
        right = model(graph, words).argmax(1) == subject
    right[known] = False
    return losses, right.sum().item() / (PAPERS - len(known)), seconds


torch.manual_seed(0)
subject, citing, cited, words = made_up_papers()
known = torch.cat([(subject == s).nonzero().flatten()[:KNOWN] for s in range(SUBJECTS)])
graph = means_over_neighbours(citing, cited)
print(f"{PAPERS} papers, of which {len(known)} are labelled; {len(graph.values())} of {PAPERS**2:,} entries")

losses, share, seconds = train(graph, words, subject, known)
dense_losses, dense_share, dense_seconds = train(graph.to_dense(), words, subject, known)
for step in (0, 20, 40, 59):
    print(f"step {step:2d}  loss {losses[step]:.4f} sparse, {dense_losses[step]:.4f} dense")
print(f"the dense graph takes {dense_seconds / seconds:.0f} times as long")
print("the same numbers:", torch.allclose(torch.tensor(losses), torch.tensor(dense_losses), rtol=1e-4))
print(f"unseen papers: {100 * share:.1f}%, dense {100 * dense_share:.1f}%")

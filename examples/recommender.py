"""Recommends films: ratings are factorised into a vector per person and one per film, learned as embeddings.

People have a row each in a table of ten million. A step touches a few hundred of them: with sparse=True their gradient
is a sparse tensor of these rows, and SparseAdam changes nothing else.
"""

import chainrule as torch  # `import torch` runs the same
from chainrule import nn

ROWS, PEOPLE, FILMS, TASTES, RATINGS = 10_000_000, 300, 120, 4, 9000


def made_up_ratings():
    """People and films have hidden tastes; a rating is how well they fit, with noise. Nobody rated everything."""
    taste, style = torch.randn(PEOPLE, TASTES), torch.randn(FILMS, TASTES)
    kindness, quality = 0.3 * torch.randn(PEOPLE, 1), 0.5 * torch.randn(FILMS)
    full = 3 + (taste @ style.t()) / TASTES**0.5 + kindness + quality
    chosen = torch.randperm(PEOPLE * FILMS)[:RATINGS]
    person, film = chosen // FILMS, chosen % FILMS
    return person, film, full[person, film] + 0.2 * torch.randn(RATINGS)


class Recommender(nn.Module):
    """A rating is the product of two vectors, plus what the person and the film always add: the last numbers."""

    def __init__(self):
        super().__init__()
        self.person = nn.Embedding(ROWS, TASTES + 1, sparse=True)
        self.film = nn.Embedding(FILMS, TASTES + 1, sparse=True)
        self.mean = nn.Parameter(torch.zeros(()))
        for table in (self.person, self.film):
            nn.init.normal_(table.weight, std=0.1)

    def forward(self, person, film):
        person, film = self.person(person), self.film(film)
        fit = (person[:, :TASTES] * film[:, :TASTES]).sum(dim=1)
        return self.mean + fit + person[:, TASTES] + film[:, TASTES]


torch.manual_seed(0)
account = torch.randint(ROWS, (PEOPLE,))  # where each person's row is
person, film, rating = made_up_ratings()
train, test = slice(0, 8000), slice(8000, RATINGS)
model = Recommender()
tables = torch.optim.SparseAdam([model.person.weight, model.film.weight], lr=0.1)
others = torch.optim.Adam([model.mean], lr=0.03)
best = torch.inf
for epoch in range(11):
    order, total = torch.randperm(8000), 0.0
    for rows in order.split(500):
        loss = nn.functional.mse_loss(model(account[person[rows]], film[rows]), rating[rows])
        for optimizer in (tables, others):
            optimizer.zero_grad()
        loss.backward()
        for optimizer in (tables, others):
            optimizer.step()
        total += loss.item() * len(rows)
    if epoch == 0:
        touched = model.person.weight.grad.coalesce().indices().numel()
        print(f"a step changes {touched} of {ROWS:,} rows")
    if epoch % 2 == 0:
        print(f"epoch {epoch:2d}  mean squared error {total / 8000:.3f}")

with torch.no_grad():
    error = (model(account[person[test]], film[test]) - rating[test]).square().mean().sqrt()
    guess = (rating[train].mean() - rating[test]).square().mean().sqrt()
    unseen = torch.ones(FILMS, dtype=torch.bool)
    unseen[film[person == 0]] = False
    scores = model(account[0].expand(FILMS), torch.arange(FILMS)).masked_fill(~unseen, -torch.inf)
print(f"error on unseen ratings {error.item():.3f}; guessing the mean gives {guess.item():.3f}")
print("person 0 should watch films", scores.topk(5).indices.tolist())

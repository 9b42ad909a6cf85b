"""Recommends films: ratings are factorised into a vector per person and one per film, learned as embeddings."""

import chainrule as torch  # `import torch` runs the same
from chainrule import nn

PEOPLE, FILMS, TASTES, RATINGS = 300, 120, 4, 9000


def made_up_ratings():
    """People and films have hidden tastes; a rating is how well they fit, with noise. Nobody rated everything."""
    taste, style = torch.randn(PEOPLE, TASTES), torch.randn(FILMS, TASTES)
    kindness, quality = 0.3 * torch.randn(PEOPLE, 1), 0.5 * torch.randn(FILMS)
    full = 3 + (taste @ style.t()) / TASTES**0.5 + kindness + quality
    chosen = torch.randperm(PEOPLE * FILMS)[:RATINGS]
    person, film = chosen // FILMS, chosen % FILMS
    return person, film, full[person, film] + 0.2 * torch.randn(RATINGS)


class Recommender(nn.Module):
    """A rating is the product of two vectors, plus what the person and the film always add."""

    def __init__(self):
        super().__init__()
        self.person, self.film = nn.Embedding(PEOPLE, TASTES), nn.Embedding(FILMS, TASTES)
        self.person_bias, self.film_bias = nn.Embedding(PEOPLE, 1), nn.Embedding(FILMS, 1)
        self.mean = nn.Parameter(torch.zeros(()))
        for table in (self.person, self.film, self.person_bias, self.film_bias):
            nn.init.normal_(table.weight, std=0.1)

    def forward(self, person, film):
        fit = (self.person(person) * self.film(film)).sum(dim=1)
        return self.mean + fit + self.person_bias(person).squeeze(1) + self.film_bias(film).squeeze(1)


torch.manual_seed(0)
person, film, rating = made_up_ratings()
train, test = slice(0, 8000), slice(8000, RATINGS)
model = Recommender()
optimizer = torch.optim.Adam(model.parameters(), lr=0.03, weight_decay=1e-4)
for epoch in range(21):
    order, total = torch.randperm(8000), 0.0
    for rows in order.split(500):
        loss = nn.functional.mse_loss(model(person[rows], film[rows]), rating[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(rows)
    if epoch % 5 == 0:
        print(f"epoch {epoch:2d}  mean squared error {total / 8000:.3f}")

with torch.no_grad():
    error = (model(person[test], film[test]) - rating[test]).square().mean().sqrt()
    guess = (rating[train].mean() - rating[test]).square().mean().sqrt()
    unseen = torch.ones(FILMS, dtype=torch.bool)
    unseen[film[person == 0]] = False
    scores = model(torch.zeros(FILMS, dtype=torch.long), torch.arange(FILMS)).masked_fill(~unseen, -torch.inf)
print(f"error on unseen ratings {error.item():.3f}; guessing the mean gives {guess.item():.3f}")
print("person 0 should watch films", scores.topk(5).indices.tolist())

"""A graph convolutional network that finds the communities of a small graph, without further packages."""

import argparse
import math
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true", default=False, help="Disables CUDA training.")
parser.add_argument("--fastmode", action="store_true", default=False, help="Validate during training pass.")
parser.add_argument("--seed", type=int, default=42, help="Random seed.")
parser.add_argument("--epochs", type=int, default=40, help="Number of epochs to train.")
parser.add_argument("--lr", type=float, default=0.05, help="Initial learning rate.")
parser.add_argument("--weight_decay", type=float, default=5e-4, help="Weight decay (L2 loss on parameters).")
parser.add_argument("--hidden", type=int, default=16, help="Number of hidden units.")
parser.add_argument("--dropout", type=float, default=0.5, help="Dropout rate (1 - keep probability).")
args = parser.parse_args()
args.cuda = not args.no_cuda and torch.cuda.is_available()
torch.manual_seed(args.seed)
if args.cuda:
    torch.cuda.manual_seed(args.seed)


class GraphConvolution(Module):
    """Simple GCN layer: sums the messages along the edges"""

    def __init__(self, in_features, out_features, bias=True):
        super(GraphConvolution, self).__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(torch.FloatTensor(in_features, out_features))
        if bias:
            self.bias = Parameter(torch.FloatTensor(out_features))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        stdv = 1.0 / math.sqrt(self.weight.size(1))
        self.weight.data.uniform_(-stdv, stdv)
        if self.bias is not None:
            self.bias.data.uniform_(-stdv, stdv)

    def forward(self, input, edges, norm):
        support = torch.mm(input, self.weight)
        source, target = edges
        messages = support[source] * norm.unsqueeze(1)
        output = torch.zeros_like(support).index_add_(0, target, messages)
        return output + self.bias if self.bias is not None else output

    def __repr__(self):
        return self.__class__.__name__ + " (" + str(self.in_features) + " -> " + str(self.out_features) + ")"


class AttentionPool(nn.Module):
    """Softmax over the edges that arrive at a node"""

    def __init__(self, features):
        super().__init__()
        self.score = nn.Linear(2 * features, 1, bias=False)

    def forward(self, x, edges):
        source, target = edges
        e = F.leaky_relu(self.score(torch.cat([x[source], x[target]], dim=1)), 0.2).squeeze(1)
        e = (e - e.max()).exp()
        total = torch.zeros(x.size(0)).scatter_add(0, target, e)
        alpha = e / total[target].clamp(min=1e-9)
        return torch.zeros_like(x).index_add(0, target, alpha.unsqueeze(1) * x[source])


class GCN(nn.Module):
    def __init__(self, nfeat, nhid, nclass, dropout):
        super(GCN, self).__init__()
        self.gc1 = GraphConvolution(nfeat, nhid)
        self.pool = AttentionPool(nhid)
        self.gc2 = GraphConvolution(nhid, nclass)
        self.dropout = dropout

    def forward(self, x, edges, norm):
        x = F.relu(self.gc1(x, edges, norm))
        x = x + self.pool(x, edges)
        x = F.dropout(x, self.dropout, training=self.training)
        x = self.gc2(x, edges, norm)
        return F.log_softmax(x, dim=1)


def load_data(nodes=60, classes=3):
    labels = torch.arange(nodes) % classes
    same = labels[:, None] == labels[None, :]
    probability = torch.where(same, torch.tensor(0.3), torch.tensor(0.03))
    adj = torch.triu((torch.rand(nodes, nodes) < probability).float(), diagonal=1)
    adj = adj + adj.T + torch.eye(nodes)
    edges = adj.nonzero(as_tuple=True)
    degree = adj.sum(1)
    norm = (degree[edges[0]] * degree[edges[1]]).pow(-0.5)
    features = torch.randn(nodes, 8) + 0.5 * F.one_hot(labels, 8).float()
    return edges, norm, features, labels, torch.LongTensor(range(20)), torch.LongTensor(range(20, 60))


def accuracy(output, labels):
    preds = output.max(1)[1].type_as(labels)
    correct = preds.eq(labels).double()
    return correct.sum() / len(labels)


edges, norm, features, labels, idx_train, idx_val = load_data()
model = GCN(nfeat=features.shape[1], nhid=args.hidden, nclass=labels.max().item() + 1, dropout=args.dropout)
print(model)
optimizer = optim.Adam(model.parameters(), lr=args.lr, weight_decay=args.weight_decay)
scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=20, gamma=0.5)


def train(epoch):
    t = time.time()
    model.train()
    optimizer.zero_grad()
    output = model(features, edges, norm)
    loss_train = F.nll_loss(output[idx_train], labels[idx_train])
    acc_train = accuracy(output[idx_train], labels[idx_train])
    loss_train.backward()
    optimizer.step()
    scheduler.step()
    if not args.fastmode:
        model.eval()
        output = model(features, edges, norm)
    loss_val = F.nll_loss(output[idx_val], labels[idx_val])
    acc_val = accuracy(output[idx_val], labels[idx_val])
    if epoch % 8 == 0:
        print(
            "Epoch: {:04d}".format(epoch + 1),
            "loss_train: {:.3f}".format(loss_train.item()),
            "acc_train: {:.3f}".format(acc_train.item()),
            "loss_val: {:.3f}".format(loss_val.item()),
            "acc_val: {:.3f}".format(acc_val.item()),
        )
    return time.time() - t


total = sum(train(epoch) for epoch in range(args.epochs))
print("Optimization Finished!", total < 60)

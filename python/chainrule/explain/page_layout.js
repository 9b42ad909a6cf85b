"use strict";
// Layout of the page: layers by depth, few crossings, no overlap (the same idea as layout.py).

function layered(items, edges) {
  const at = new Map(items.map((item, i) => [item.id, i]));
  const out = items.map(() => []), into = items.map(() => 0);
  let links = edges.map(([a, b]) => [at.get(a), at.get(b)]);
  links = withoutCycles(items.length, links);
  for (const [a, b] of links) { out[a].push(b); into[b]++; }
  const depth = items.map(() => 0), sources = items.map((_, i) => i).filter((i) => !into[i]), ready = [...sources];
  while (ready.length) {
    const a = ready.pop();
    for (const b of out[a]) {
      depth[b] = Math.max(depth[b], depth[a] + 1);
      if (!--into[b]) ready.push(b);
    }
  }
  for (const a of sources) if (out[a].length) depth[a] = Math.min(...out[a].map((b) => depth[b])) - 1;
  const layers = [], near = items.map(() => [[], []]);
  depth.forEach((d, i) => (layers[d] ??= []).push(i));
  for (let d = 0; d < layers.length; d++) layers[d] ??= [];
  const shared = new Map(), chains = new Map();
  for (const [a, b] of links) {
    const chain = []; let last = a;
    for (let d = depth[a] + 1; d < depth[b]; d++) {
      const key = `${a}/${d}`;
      let dummy = shared.get(key);
      if (dummy === undefined) {
        dummy = near.length; shared.set(key, dummy); near.push([[last], []]); near[last][1].push(dummy);
        layers[d].push(dummy);
      }
      chain.push(dummy); last = dummy;
    }
    near[last][1].push(b); near[b][0].push(last); chains.set(`${a}/${b}`, chain);
  }
  const place = [], number = (layer) => layer.forEach((n, i) => (place[n] = i));
  layers.forEach(number);
  const mean = (list, of, otherwise) => (list.length ? list.reduce((s, m) => s + of[m], 0) / list.length : otherwise);
  for (let sweep = 0; sweep < 8; sweep++) {
    const side = sweep % 2, order = side ? [...layers].reverse() : layers;
    for (const layer of order) {
      const wish = new Map(layer.map((n) => [n, mean(near[n][side], place, place[n])]));
      layer.sort((a, b) => wish.get(a) - wish.get(b)); number(layer);
    }
  }
  const width = (n) => (n < items.length ? items[n].width : 4), x = [], gap = 26;
  for (const layer of layers) { let left = 0; for (const n of layer) { x[n] = left + width(n) / 2; left += width(n) + gap; } }
  const pulling = (n, side) => {  // what is computed pulls its results along; parameters follow them
    const computed = side ? near[n][1] : near[n][0].filter((m) => near[m][0].length);
    return computed.length ? computed : near[n][side];
  };
  for (let sweep = 0; sweep < 6; sweep++) {
    const side = sweep % 2;
    for (const layer of side ? [...layers].reverse() : layers)
      settle(layer, layer.map((n) => mean(pulling(n, side), x, x[n])), (n) => width(n) + gap, (n) => (near[n][0].length ? 1 : 0.05), x);
  }
  const y = [], half = []; let top = 0;
  for (const layer of layers) {
    const tall = Math.max(12, ...layer.filter((n) => n < items.length).map((n) => items[n].height));
    for (const n of layer) { y[n] = top + tall / 2; half[n] = tall / 2; }
    top += tall + 46;
  }
  items.forEach((item, i) => Object.assign(item, { x: x[i], y: y[i] }));
  return (a, b) => (chains.get(`${at.get(a)}/${at.get(b)}`) ?? [])
    .flatMap((n) => [[x[n], y[n] - half[n]], [x[n], y[n] + half[n]]]);  // straight through a layer, past its boxes
}

function withoutCycles(count, links) {  // folding may make some; edges that go back do not decide the depth
  const out = Array.from({ length: count }, () => []), mark = new Array(count).fill(0), back = new Set();
  for (const [a, b] of links) out[a].push(b);
  for (let root = 0; root < count; root++) {
    const stack = [[root, 0]];
    if (mark[root]) continue;
    mark[root] = 1;
    while (stack.length) {
      const top = stack[stack.length - 1], [a, i] = top;
      if (i === out[a].length) { mark[a] = 2; stack.pop(); continue; }
      top[1]++;
      const b = out[a][i];
      if (mark[b] === 1) back.add(`${a}/${b}`);
      else if (!mark[b]) { mark[b] = 1; stack.push([b, 0]); }
    }
  }
  return links.filter(([a, b]) => !back.has(`${a}/${b}`));
}

function settle(layer, wishes, size, weight, x) {  // what would overlap stands side by side around its mean wish
  const blocks = [];
  layer.forEach((n, i) => {
    let block = { sum: (wishes[i] - size(n) / 2) * weight(n), count: weight(n), extent: size(n), nodes: [n] };
    for (let before; (before = blocks.at(-1)) && before.sum / before.count + before.extent > block.sum / block.count;) {
      blocks.pop();
      block = { sum: before.sum + block.sum - before.extent * block.count, count: before.count + block.count,
        extent: before.extent + block.extent, nodes: [...before.nodes, ...block.nodes] };
    }
    blocks.push(block);
  });
  for (const block of blocks) {
    let left = block.sum / block.count;
    for (const n of block.nodes) { x[n] = left + size(n) / 2; left += size(n); }
  }
}

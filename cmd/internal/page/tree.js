// ---- fairshare trees ----
function icicle(tree, number) {
  const canvas = element('canvas', {id: 'tree' + number, role: 'img', 'aria-label': tree.title});
  main.append(element('h2', {}, tree.title));
  let used = tree.colors[0].used;
  if (tree.colors.length > 1) {
    const select = element('select', {id: 'color' + number}, ...tree.colors.map((c, i) => element('option', {value: i}, c.name)));
    select.addEventListener('input', () => { used = tree.colors[select.value].used; draw(); });
    main.append(element('form', {}, element('label', {}, 'Algorithm', select)));
  }
  const key = element('div', {class: 'key note'});
  main.append(canvas, key);
  const numbers = element('details', {class: 'numbers'}, element('summary', {}, 'The numbers'));
  numbers.addEventListener('toggle', () => { // written when they are asked for
    if (numbers.querySelector('table')) return;
    numbers.append(element('div', {class: 'scroll', tabindex: '0'}, element('table', {class: 'tree'}, element('thead', {}, element('tr', {}, element('th', {}, ''), element('th', {class: 'number'}, 'Part of all shares'), ...tree.colors.map(c => element('th', {class: 'number'}, `Used of its target, ${c.name}`)), element('th', {}, ''))),
      element('tbody', {}, ...preorder.map(i => element('tr', {}, element('td', {}, '\u00a0'.repeat(2 * depth[i]) + tree.nodes[i].n), element('td', {class: 'number'}, (100 * tree.nodes[i].w).toFixed(2) + ' %'),
        ...tree.colors.map(c => element('td', {class: 'number'}, c.used[i] === null ? '–' : c.used[i].toFixed(2) + '×')), element('td', {}, tree.nodes[i].t || '')))))));
  });
  main.append(numbers);
  const depth = [0], left = [0], children = tree.nodes.map(() => []);
  tree.nodes.forEach((n, i) => { if (i) children[n.p].push(i); });
  tree.nodes.forEach((n, i) => { if (i) depth[i] = depth[n.p] + 1; });
  const place = [], preorder = [], order = [0];
  while (order.length) {
    const i = order.pop();
    preorder.push(i);
    order.push(...children[i].toReversed());
  }
  const stack = [0];
  while (stack.length) {
    const i = stack.pop();
    let x = left[i];
    for (const c of children[i]) {
      left[c] = x;
      x += tree.nodes[c].w;
      stack.push(c);
    }
  }
  const levels = Math.min(24, depth.reduce((a, b) => Math.max(a, b), 0) + 1), row = 34;
  const total = tree.nodes[0].w || 1;
  function draw() {
    const [g, width] = canvasFor(canvas, levels * row);
    place.length = 0;
    tree.nodes.forEach((n, i) => {
      const w = n.w / total * width, x = left[i] / total * width, y = depth[i] * row;
      if (w < .5 || depth[i] >= levels) return;
      g.fillStyle = usedColor(used[i]);
      g.fillRect(x, y, w > 6 ? w - 1 : w, row - 1);
      place.push([x, y, w, i]);
      if (w > 28) {
        g.fillStyle = style('--text');
        g.save();
        g.beginPath();
        g.rect(x, y, w - 4, row);
        g.clip();
        g.fillText(n.n, x + 4, y + 14);
        if (used[i] !== null) g.fillText(used[i].toFixed(2) + '×', x + 4, y + 28);
        g.restore();
      }
    });
    canvas.dataset.drawn = place.length;
    key.replaceChildren(...useKey(), element('span', {}, '1.00×: its use is its target'));
  }
  canvas.addEventListener('mousemove', event => {
    const box = canvas.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
    const hit = place.find(([x, y, w]) => px >= x && px < x + w && py >= y && py < y + row);
    showTip(event, hit && `${tree.nodes[hit[3]].n}\n${(tree.nodes[hit[3]].w * 100).toFixed(2)} % of all shares` +
      (used[hit[3]] === null ? '' : `\n${used[hit[3]].toFixed(2)}× of its target used`) + (tree.nodes[hit[3]].t ? '\n' + tree.nodes[hit[3]].t : ''));
  });
  canvas.addEventListener('mouseleave', event => showTip(event, ''));
  redraws.push(draw);
  draw();
}

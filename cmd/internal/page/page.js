'use strict';
(function () {
  const data = JSON.parse(document.getElementById('data').textContent);
  const main = document.getElementById('main');
  const tip = document.getElementById('tip');
  main.textContent = '';

  // element makes <name key=value…>children…</name>. Text is never HTML.
  function element(name, attributes, ...children) {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) e.setAttribute(key, value);
    for (const child of children.flat()) e.append(child);
    return e;
  }
  const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const dark = matchMedia('(prefers-color-scheme: dark)');

  // Entities get hues far from each other, in their order.
  const hue = i => (i * 137.508) % 360;
  const groupColor = (i, alpha) => i < 0 ? `hsl(0 0% 50% / ${alpha})` : `hsl(${hue(i)} 65% ${dark.matches ? 62 : 42}% / ${alpha})`;

  // usedColor is blue under target, grey on it, orange to red over it.
  function usedColor(used) {
    if (used === null) return style('--line');
    const x = Math.max(-1, Math.min(1, Math.log2(Math.max(used, 1e-3)) / 3));
    const light = dark.matches ? 50 - 8 * Math.abs(x) : 82 - 27 * Math.abs(x);
    return x < 0 ? `hsl(212 ${15 + 60 * -x}% ${light}%)` : `hsl(${28 - 22 * x} ${15 + 70 * x}% ${light}%)`;
  }

  // canvasFor sizes a canvas for the screen and returns what to draw with.
  function canvasFor(canvas, height) {
    const scale = devicePixelRatio || 1, width = canvas.clientWidth;
    canvas.style.height = height + 'px';
    canvas.width = width * scale;
    canvas.height = height * scale;
    const g = canvas.getContext('2d');
    g.scale(scale, scale);
    g.clearRect(0, 0, width, height);
    g.font = '12px system-ui, sans-serif';
    return [g, width];
  }

  function showTip(event, text) {
    tip.hidden = !text;
    if (!text) return;
    tip.textContent = text;
    const right = document.documentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.left = Math.max(0, Math.min(event.pageX + 12, right)) + 'px';
    tip.style.top = event.pageY + 12 + 'px';
  }

  const redraws = [];

  // ---- the change of the order ----
  function compare(c) {
    const [ID, USER, GROUP, QUEUE, OLD, NEW, OLDVALUE, NEWVALUE] = [0, 1, 2, 3, 4, 5, 6, 7];
    main.append(element('dl', {class: 'sides'},
      element('dt', {}, 'old'), element('dd', {}, element('code', {id: 'old'}, c.old)),
      element('dt', {}, 'new'), element('dd', {}, element('code', {id: 'new'}, c.new))));
    main.append(element('ul', {class: 'figures'}, ...c.summary.map(f =>
      element('li', {}, element('b', {id: f.id}, f.value), element('span', {}, f.label)))));

    const form = element('form', {});
    // Of very many names none is offered: they are typed.
    const choose = (name, label, values) => {
      const select = values.length > 2000 ? element('input', {name, id: 'choose-' + name, placeholder: 'all'}) :
        element('select', {name, id: 'choose-' + name}, element('option', {value: ''}, 'all'),
          [...values].sort().map(v => element('option', {value: v}, v)));
      form.append(element('label', {}, label, select));
      return select;
    };
    const selects = {user: choose('user', 'User', c.users), queue: choose('queue', 'Queue', c.queues), entity: choose('entity', 'Entity', c.groups)};
    const canvas = element('canvas', {id: 'slope', role: 'img', 'aria-label': 'ranks from old to new'});
    const shown = element('p', {class: 'note', id: 'shown'});
    const body = element('tbody', {id: 'moves'});
    main.append(element('h2', {}, 'Ranks, old to new'), form, canvas, shown);
    main.append(element('h2', {}, 'Mean change by entity'), shifts('Entity', c.groups, c.shifts, i => groupColor(i, 1)));
    main.append(element('h2', {}, 'Mean change by queue'), shifts('Queue', c.queues, c.queueShifts, () => style('--soft')));
    for (const l of c.lists) {
      main.append(element('details', {}, element('summary', {}, `${l.label}: ${l.count}`),
        element('p', {class: 'note'}, l.ids.join(', ') + (l.ids.length < l.count ? ', …' : ''))));
    }
    main.append(element('h2', {}, 'Jobs that move most'), element('div', {class: 'scroll'}, element('table', {},
      element('thead', {}, element('tr', {}, ...['Old', 'New', 'Change', 'Job', 'User', 'Entity', 'Queue', 'Old value', 'New value'].map(
        (t, i) => element('th', i < 3 || i > 6 ? {class: 'number'} : {}, t)))), body)));

    const last = c.jobs.reduce((most, j) => Math.max(most, j[OLD], j[NEW]), 1);
    let jobs = c.jobs, lines = [];

    // The choice is in the address, so that a view can be passed on.
    function read() {
      const choice = new URLSearchParams(location.hash.slice(1));
      for (const [name, select] of Object.entries(selects)) select.value = choice.get(name) || '';
      filter();
    }
    function filter() {
      const want = {};
      for (const [name, list] of [['user', c.users], ['queue', c.queues], ['entity', c.groups]]) {
        want[name] = selects[name].value === '' ? null : list.indexOf(selects[name].value);
      }
      jobs = c.jobs.filter(j => (want.user === null || j[USER] === want.user) &&
        (want.queue === null || j[QUEUE] === want.queue) && (want.entity === null || j[GROUP] === want.entity));
      gather();
      tell();
      draw();
      list();
    }

    // gather makes lines of the jobs. Of many, it makes one for those of an
    // entity that begin and end close together, as coarse as it takes; the
    // entities with the fewest jobs are one then.
    const most = 2500, coloured = 12;
    function gather() {
      lines = jobs.map(j => ({from: j[OLD], to: j[NEW], group: j[GROUP], jobs: [j]}));
      if (lines.length <= most) return;
      const count = new Map();
      for (const j of jobs) count.set(j[GROUP], (count.get(j[GROUP]) || 0) + 1);
      const large = new Set([...count].sort((a, b) => b[1] - a[1]).slice(0, coloured).map(([group]) => group));
      for (let bins = 160; lines.length > most; bins = Math.ceil(bins / 2)) {
        const bin = rank => rank && Math.ceil(rank / last * bins), by = new Map();
        for (const j of jobs) {
          const group = large.has(j[GROUP]) ? j[GROUP] : -1;
          const key = ((group + 1) * (bins + 1) + bin(j[OLD])) * (bins + 1) + bin(j[NEW]);
          let l = by.get(key);
          if (!l) by.set(key, l = {from: 0, to: 0, group, jobs: []});
          l.from += j[OLD];
          l.to += j[NEW];
          l.jobs.push(j);
        }
        lines = [...by.values()].map(l => ({...l, from: l.from / l.jobs.length, to: l.to / l.jobs.length}));
      }
    }
    function tell() {
      const both = jobs.filter(j => j[OLD] && j[NEW]), moved = both.filter(j => j[OLD] !== j[NEW]).length;
      shown.textContent = `${jobs.length} jobs shown in ${lines.length} lines, ${moved} move` +
        (both.length < jobs.length ? `, ${jobs.length - both.length} are considered in one order only.` : '.') +
        (c.omitted ? ` ${c.omitted} more jobs are only in the figures.` : '');
      shown.dataset.jobs = jobs.length;
      shown.dataset.lines = lines.length;
    }

    const height = 460, top = 24, foot = 40, side = 56;
    const y = rank => rank ? top + (rank - 1) / Math.max(1, last - 1) * (height - top - foot) : height - 14;
    function draw() {
      const [g, width] = canvasFor(canvas, height);
      const heaviest = lines.reduce((n, l) => Math.max(n, l.jobs.length), 1);
      const alpha = Math.max(.12, Math.min(.9, 60 / Math.sqrt(lines.length + 1) / 4));
      for (const l of [...lines].sort((a, b) => b.jobs.length - a.jobs.length)) {
        g.beginPath();
        g.moveTo(side, y(l.from));
        g.bezierCurveTo(width / 2, y(l.from), width / 2, y(l.to), width - side, y(l.to));
        g.strokeStyle = groupColor(l.group, heaviest > 1 ? .35 + .4 * l.jobs.length / heaviest : alpha);
        g.lineWidth = heaviest > 1 ? .6 + 7 * Math.sqrt(l.jobs.length / heaviest) : 1.4;
        g.stroke();
      }
      g.fillStyle = style('--soft');
      for (const rank of [1, Math.ceil(last / 4), Math.ceil(last / 2), Math.ceil(last * 3 / 4), last]) {
        g.textAlign = 'right';
        g.fillText(rank, side - 8, y(rank) + 4);
        g.textAlign = 'left';
        g.fillText(rank, width - side + 8, y(rank) + 4);
      }
      g.textAlign = 'left';
      g.fillText('old', 8, 14);
      g.textAlign = 'right';
      g.fillText('new', width - 8, 14);
      if (jobs.some(j => !j[OLD] || !j[NEW])) {
        g.textAlign = 'center';
        g.fillText('not considered', width / 2, height - 2);
      }
    }
    canvas.addEventListener('mousemove', event => {
      const box = canvas.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
      const t = (px - side) / Math.max(1, box.width - 2 * side), s = t * t * (3 - 2 * t);
      let near = null, distance = 8;
      if (t >= 0 && t <= 1) for (const l of lines) {
        const d = Math.abs(y(l.from) + (y(l.to) - y(l.from)) * s - py);
        if (d < distance) [near, distance] = [l, d];
      }
      const place = rank => rank || 'not considered';
      showTip(event, near && (near.jobs.length > 1 ? `${near.jobs.length} jobs of ${near.group < 0 ? 'other entities' : c.groups[near.group]}` :
        `${near.jobs[0][ID]} of ${c.users[near.jobs[0][USER]]}, ${c.queues[near.jobs[0][QUEUE]]}\n${place(near.from)} → ${place(near.to)}`));
    });
    canvas.addEventListener('mouseleave', event => showTip(event, ''));

    function list() {
      const change = j => j[OLD] && j[NEW] ? Math.abs(j[OLD] - j[NEW]) : Infinity;
      const rows = jobs.filter(j => j[OLD] !== j[NEW]).sort((a, b) => change(b) - change(a)).slice(0, 100);
      body.replaceChildren(...rows.map(j => {
        const cells = [j[OLD] || '–', j[NEW] || '–', j[OLD] && j[NEW] ? (j[OLD] > j[NEW] ? '+' : '') + (j[OLD] - j[NEW]) : '',
          j[ID], c.users[j[USER]], '', c.queues[j[QUEUE]], j[OLDVALUE], j[NEWVALUE]];
        const row = element('tr', {}, ...cells.map((t, i) => element('td', i < 3 || i > 6 ? {class: 'number'} : {}, String(t))));
        row.children[5].append(swatch(groupColor(j[GROUP], 1)), c.groups[j[GROUP]]);
        return row;
      }));
    }

    form.addEventListener('input', () => {
      const choice = new URLSearchParams();
      for (const [name, select] of Object.entries(selects)) if (select.value) choice.set(name, select.value);
      history.replaceState(null, '', '#' + choice);
      filter();
    });
    addEventListener('hashchange', read);
    redraws.push(draw);
    read();
  }

  const swatch = color => {
    const s = element('span', {class: 'swatch'});
    s.style.background = color;
    return s;
  };

  function shifts(title, names, all, color) {
    const most = all.reduce((n, s) => Math.max(n, Math.abs(s.m)), 0) || 1;
    const some = all.length > 40 ? [...all.slice(0, 20), ...all.slice(-20)] : all;
    const table = element('table', {class: 'shifts'}, element('thead', {}, element('tr', {},
      element('th', {}, title), element('th', {class: 'number'}, 'Jobs'), element('th', {class: 'number'}, 'Places'), element('th', {class: 'middle'}, 'later | earlier'))),
    element('tbody', {}, ...some.map(s => {
      const bar = element('i', {}), part = Math.abs(s.m) / most * 50;
      bar.style.background = color(s.g);
      bar.style.width = part + '%';
      bar.style.left = (s.m < 0 ? 50 - part : 50) + '%';
      return element('tr', {}, element('td', {}, swatch(color(s.g)), names[s.g]), element('td', {class: 'number'}, String(s.n)),
        element('td', {class: 'number'}, (s.m > 0 ? '+' : '') + s.m.toFixed(1)), element('td', {}, element('div', {class: 'bar'}, bar)));
    })));
    const box = element('div', {class: 'scroll'}, table);
    if (some.length < all.length) box.append(element('p', {class: 'note'}, `${all.length - some.length} between are left out.`));
    return box;
  }

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
    const depth = [0], left = [0], children = tree.nodes.map(() => []);
    tree.nodes.forEach((n, i) => { if (i) children[n.p].push(i); });
    tree.nodes.forEach((n, i) => { if (i) depth[i] = depth[n.p] + 1; });
    const place = [];
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
      key.replaceChildren(...[[.125, 'an eighth of its target used'], [.5, 'half'], [1, 'on target'], [2, 'twice'], [8, 'eight times'], [null, 'no target']].map(
        ([u, text]) => element('span', {}, swatch(usedColor(u)), text)));
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

  if (data.compare) compare(data.compare);
  data.trees.forEach(icicle);
  const redraw = () => redraws.forEach(f => f());
  addEventListener('resize', redraw);
  dark.addEventListener('change', redraw);
  document.documentElement.dataset.ready = 'yes';
})();

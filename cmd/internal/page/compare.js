// ---- the change of the order ----
// compare draws it and returns what is to stand below the trees.
function compare(c) {
  const [ID, OLD, NEW, OLDVALUE, NEWVALUE, PARTIES] = [0, 1, 2, 3, 4, 5];
  const parties = c.parties.map((p, i) => ({...p, key: p.name.toLowerCase(), word: p.name === p.name.toUpperCase() ? p.name : p.name.toLowerCase(), at: PARTIES + i})).filter(p => p.names.length > 1 || p.name === 'User');
  const form = element('form', {});
  // Of very many names none is offered: they are typed.
  const choose = (key, label, values, all) => {
    const select = values.length > 2000 ? element('input', {name: key, id: 'choose-' + key, placeholder: all}) :
      element('select', {name: key, id: 'choose-' + key}, element('option', {value: ''}, all),
        values.map(v => element('option', {value: v}, v)));
    form.append(element('label', {}, label, select));
    return select;
  };
  for (const p of parties) p.select = choose(p.key, p.name, [...p.names].sort(), 'all');
  const colour = choose('colour', 'Colour by', parties.map(p => p.key), 'what tells most');
  const canvas = element('canvas', {id: 'slope', role: 'img', 'aria-label': 'ranks from old to new'});
  const legend = element('ul', {class: 'legend', id: 'legend', 'aria-label': 'colours'});
  const shown = element('p', {class: 'note', id: 'shown'});
  const body = element('tbody', {id: 'moves'});
  main.append(element('h2', {}, 'Ranks, old to new'), form, element('div', {class: 'chart'}, canvas, legend), shown);

  const last = c.jobs.reduce((most, j) => Math.max(most, j[OLD], j[NEW]), 1);
  const most = 1200, coloured = 12;
  let jobs = c.jobs, lines = [], classes = [], by = parties[0], lit = null;

  // The choice is in the address, so that a view can be passed on.
  function read() {
    const choice = new URLSearchParams(location.hash.slice(1));
    for (const p of parties) p.select.value = choice.get(p.key) || '';
    colour.value = choice.get('colour') || '';
    filter();
  }
  function filter() {
    const wanted = parties.filter(p => p.select.value !== '').map(p => [p.at, p.names.indexOf(p.select.value)]);
    jobs = c.jobs.filter(j => wanted.every(([at, name]) => j[at] === name));
    lit = null;
    classify();
    gather();
    tell();
    draw();
    list();
  }

  // classify chooses what lines are coloured by: what was asked for, or else the
  // first of entity, group, project and queue that needs no more colours than
  // can be told apart. The names with the most jobs get one each.
  function classify() {
    const counts = p => {
      const n = new Map();
      for (const j of jobs) n.set(j[p.at], (n.get(j[p.at]) || 0) + 1);
      return [...n].sort((a, b) => b[1] - a[1]);
    };
    by = parties.find(p => p.key === colour.value);
    if (!by) {
      const few = parties.slice(1).filter(p => { const n = counts(p).length; return n > 1 && n <= coloured; });
      by = few[0] || parties[1] || parties[0] || {key: 'job', word: 'job', name: 'Job', at: ID, names: []};
    }
    const ranked = counts(by), own = ranked.length <= coloured ? ranked : ranked.slice(0, coloured - 1);
    classes = own.map(([name, n], i) => ({name: by.names[name] || '(none)', n, color: i}));
    by.classes = new Map(own.map(([name], i) => [name, i]));
    if (own.length < ranked.length) {
      classes.push({name: `${ranked.length - own.length} others`, n: ranked.slice(own.length).reduce((sum, r) => sum + r[1], 0), color: -1});
    }
    legend.replaceChildren(element('li', {class: 'note'}, by.name), ...classes.map(k => {
      const button = element('button', {type: 'button'}, swatch(colorOf(k.color, 1)), k.name, element('span', {class: 'note'}, ` ${k.n}`));
      for (const [event, light] of [['mouseenter', k.color], ['focus', k.color], ['mouseleave', null], ['blur', null]]) {
        button.addEventListener(event, () => { lit = light; draw(); });
      }
      button.addEventListener('click', () => {
        if (k.color < 0) return;
        by.select.value = by.select.value === k.name ? '' : k.name;
        form.dispatchEvent(new Event('input'));
      });
      return element('li', {}, button);
    }));
    legend.dataset.colours = classes.length;
  }
  const classOf = j => { const k = by.classes.get(j[by.at]); return k === undefined ? -1 : k; };

  // gather makes lines of the jobs. Of many, it makes one for those of a colour
  // that begin and end close together, as coarse as it takes.
  function gather() {
    lines = jobs.map(j => ({from: j[OLD], to: j[NEW], group: classOf(j), jobs: [j]}));
    for (let bins = 160; lines.length > most; bins = Math.ceil(bins / 2)) {
      const bin = rank => rank && Math.ceil(rank / last * bins), found = new Map();
      for (const j of jobs) {
        const group = classOf(j), key = ((group + 1) * (bins + 1) + bin(j[OLD])) * (bins + 1) + bin(j[NEW]);
        let l = found.get(key);
        if (!l) found.set(key, l = {from: 0, to: 0, group, jobs: []});
        l.from += j[OLD];
        l.to += j[NEW];
        l.jobs.push(j);
      }
      lines = [...found.values()].map(l => ({...l, from: l.from / l.jobs.length, to: l.to / l.jobs.length}));
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
    // Others come first, below the rest, and what is highlighted last.
    const depth = l => (l.group === lit ? 2 : 0) + (l.group < 0 ? 0 : 1);
    for (const l of [...lines].sort((a, b) => depth(a) - depth(b) || b.jobs.length - a.jobs.length)) {
      const weight = Math.sqrt(l.jobs.length / heaviest);
      const opacity = heaviest > 1 ? (l.group < 0 ? .1 + .2 * weight : .2 + .6 * weight) : alpha;
      g.beginPath();
      g.moveTo(side, y(l.from));
      g.bezierCurveTo(width / 2, y(l.from), width / 2, y(l.to), width - side, y(l.to));
      g.strokeStyle = colorOf(l.group, lit === null ? opacity : l.group === lit ? Math.max(.8, opacity) : opacity * .15);
      g.lineWidth = heaviest > 1 ? .4 + 6 * weight : 1.4;
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
    const light = near && near.group;
    if (light !== lit) { lit = light; draw(); }
    showTip(event, near && (near.jobs.length > 1 ? `${near.jobs.length} jobs, ${by.word} ${near.group < 0 ? 'among the others' : classes[near.group].name}` :
      `${near.jobs[0][ID]}: ${place(near.from)} → ${place(near.to)}\n` + parties.map(p => `${p.word} ${p.names[near.jobs[0][p.at]]}`).join(', ')));
  });
  canvas.addEventListener('mouseleave', event => { lit = null; draw(); showTip(event, ''); });

  function list() {
    const change = j => j[OLD] && j[NEW] ? Math.abs(j[OLD] - j[NEW]) : Infinity;
    const rows = jobs.filter(j => j[OLD] !== j[NEW]).sort((a, b) => change(b) - change(a)).slice(0, 100);
    body.replaceChildren(...rows.map(j => {
      const number = t => element('td', {class: 'number'}, String(t));
      return element('tr', {}, number(j[OLD] || '–'), number(j[NEW] || '–'),
        number(j[OLD] && j[NEW] ? (j[OLD] > j[NEW] ? '+' : '') + (j[OLD] - j[NEW]) : ''), element('td', {}, j[ID]),
        ...parties.map(p => element('td', {}, ...(p === by ? [swatch(colorOf(classOf(j), 1))] : []), p.names[j[p.at]])),
        number(j[OLDVALUE]), number(j[NEWVALUE]));
    }));
  }

  form.addEventListener('input', () => {
    const choice = new URLSearchParams();
    for (const select of form.elements) if (select.name && select.value) choice.set(select.name, select.value);
    history.replaceState(null, '', '#' + choice);
    filter();
  });
  form.addEventListener('submit', event => event.preventDefault());
  addEventListener('hashchange', read);
  redraws.push(draw, () => { classify(); list(); });
  return () => {
    for (const p of parties) if (p.shifts.some(s => s.m)) main.append(element('h2', {}, `Mean change by ${p.word}`), shifts(p));
    for (const l of c.lists) {
      main.append(element('details', {}, element('summary', {}, `${l.label}: ${l.count}`),
        element('p', {class: 'note'}, l.ids.join(', ') + (l.ids.length < l.count ? ', …' : ''))));
    }
    if (c.jobs.some(j => j[OLD] !== j[NEW])) main.append(element('h2', {}, 'Jobs that move most'), element('div', {class: 'scroll', tabindex: '0'}, element('table', {},
      element('thead', {}, element('tr', {}, ...['Old', 'New', 'Change'].map(t => element('th', {class: 'number'}, t)), element('th', {}, 'Job'),
        ...parties.map(p => element('th', {}, p.name)), ...['Old value', 'New value'].map(t => element('th', {class: 'number'}, t)))), body)));
    read();
  };
}

function shifts(party) {
  const all = party.shifts, most = all.reduce((n, s) => Math.max(n, Math.abs(s.m)), 0) || 1;
  const some = all.length > 40 ? [...all.slice(0, 20), ...all.slice(-20)] : all;
  const table = element('table', {class: 'shifts'}, element('thead', {}, element('tr', {},
    element('th', {}, party.name), element('th', {class: 'number'}, 'Jobs'), element('th', {class: 'number'}, 'Places'), element('th', {class: 'middle'}, 'later | earlier'))),
  element('tbody', {}, ...some.map(s => {
    const bar = element('i', {class: s.m < 0 ? 'later' : 'earlier'}), part = Math.abs(s.m) / most * 50;
    bar.style.width = part + '%';
    bar.style.left = (s.m < 0 ? 50 - part : 50) + '%';
    return element('tr', {}, element('td', {}, party.names[s.g]), element('td', {class: 'number'}, String(s.n)),
      element('td', {class: 'number'}, (s.m > 0 ? '+' : '') + s.m.toFixed(1)), element('td', {}, element('div', {class: 'bar'}, bar)));
  })));
  const box = element('div', {class: 'scroll', tabindex: '0'}, table);
  if (some.length < all.length) box.append(element('p', {class: 'note'}, `${all.length - some.length} between are left out.`));
  return box;
}

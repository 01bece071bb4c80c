// ---- replays of recorded work ----
// A row is what was observed, or a policy. replays draws them.
function replays(r) {
  const rows = r.rows, isNumber = x => x !== null && x !== undefined;
  const number = text => element('td', {class: 'number'}, text);
  const heading = text => main.append(element('h2', {}, text));
  const rowColor = (i, alpha = 1) => colorOf(i === 0 ? -1 : i - 1, alpha);
  const legend = () => element('ul', {class: 'rows'}, ...rows.map((name, i) => {
    const item = element('li', {}, swatch(rowColor(i)), name);
    redraws.push(() => { item.firstChild.style.background = rowColor(i); });
    return item;
  }));
  const span = seconds => {
    const n = Math.round(Math.abs(seconds)), two = x => String(x).padStart(2, '0');
    return `${seconds < 0 && n ? '-' : ''}${Math.floor(n / 3600)}:${two(Math.floor(n / 60) % 60)}:${two(n % 60)}`;
  };
  const offset = at => (r.offsets.findLast(o => o[0] <= at) ?? r.offsets[0])[1];
  const clock = at => new Date((at + offset(at)) * 1000).toISOString().slice(0, 16).replace('T', ' ');

  main.append(element('p', {class: 'note', id: 'from'}, r.from));
  heading('Trust: policy 1 against what has happened');
  main.append(element('ul', {class: 'figures'}, ...r.trust.map(f => element('li', {}, element('b', {id: f.id}, f.value), element('span', {}, f.label)))));
  for (const text of r.remarks) main.append(element('p', {class: 'note'}, text));
  heading('Policies');
  main.append(element('dl', {class: 'sides', id: 'policies'}, ...rows.flatMap((name, i) => i === 0 ? [] : [element('dt', {}, name), element('dd', {}, element('code', {}, r.policies[i - 1]))])));
  const figures = element('table', {id: 'figures'}, element('thead', {}, element('tr', {}, ...['', ...rows, ...r.changes].map((t, i) => element('th', {class: i ? 'number' : ''}, t)))),
    element('tbody', {}, ...r.figures.map(f => element('tr', {}, element('td', {}, f.name), ...f.values.map((v, i) => {
      const cell = number(v);
      cell.id = `${f.name} ${i}`;
      return cell;
    })))));
  main.append(element('div', {class: 'scroll'}, figures));
  for (const v of r.verdicts) main.append(element('p', {class: v.fails ? 'fails' : 'note'}, v.text));

  // chart draws lines over x from 0 to 1. lines are {values, color, dash}; ticks say
  // what stands at places of x.
  function chart(id, label, lines, most, words, ticks, tell) {
    const canvas = element('canvas', {id, role: 'img', 'aria-label': label}), height = 170, left = 56, foot = 20;
    const box = element('figure', {}, element('figcaption', {}, label), canvas);
    canvas.dataset.most = most;
    canvas.dataset.lines = lines.length;
    function draw() {
      const [g, width] = canvasFor(canvas, height), right = width - 8;
      const x = t => left + t * (right - left), y = v => 10 + (1 - v / (most || 1)) * (height - 10 - foot);
      g.fillStyle = style('--soft');
      g.strokeStyle = style('--line');
      g.textAlign = 'right';
      for (const part of [0, .5, 1]) {
        g.fillText(words(most * part), left - 6, y(most * part) + 4);
        g.beginPath();
        g.moveTo(left, y(most * part));
        g.lineTo(right, y(most * part));
        g.stroke();
      }
      let free = -Infinity;
      for (const [at, text] of ticks) {
        const wide = g.measureText(text).width, from = Math.max(left, Math.min(right - wide, x(at) - wide / 2));
        if (from < free) continue;
        g.textAlign = 'left';
        g.fillText(text, from, height - 5);
        free = from + wide + 12;
      }
      for (const l of lines) {
        g.beginPath();
        g.strokeStyle = l.color();
        g.lineWidth = l.dash ? 1 : 1.8;
        g.setLineDash(l.dash ? [5, 4] : []);
        let down = false;
        l.values.forEach((v, i) => {
          if (!isNumber(v)) { down = false; return; }
          const px = x(l.values.length > 1 ? i / (l.values.length - 1) : 0);
          if (down) g.lineTo(px, y(v)); else g.moveTo(px, y(v));
          down = true;
        });
        g.stroke();
      }
      g.setLineDash([]);
    }
    canvas.addEventListener('mousemove', event => {
      const b = canvas.getBoundingClientRect(), t = (event.clientX - b.left - left) / Math.max(1, b.width - left - 8);
      if (t < 0 || t > 1) { showTip(event, ''); return; }
      showTip(event, tell(t) + '\n' + lines.map(l => `${l.name}: ${words(l.values[Math.round(t * (l.values.length - 1))])}`).join('\n'));
    });
    canvas.addEventListener('mouseleave', event => showTip(event, ''));
    redraws.push(draw);
    return [box, draw];
  }
  const largest = lists => lists.flat().reduce((n, x) => isNumber(x) && x > n ? x : n, 0);
  const times = [0, .25, .5, .75, 1].map(t => [t, clock(r.start + t * (r.end - r.start))]);
  const at = t => clock(r.start + t * (r.end - r.start));
  const linesOf = lists => lists.map((values, i) => ({values, name: rows[i], color: () => rowColor(i)})).filter(l => l.values && l.values.length);
  function section(title, charts) {
    heading(title);
    const grid = element('div', {class: 'charts'}, ...charts.map(c => c[0]));
    main.append(legend(), grid);
    charts.forEach(c => c[1]());
  }
  const whole = x => isNumber(x) ? String(Math.round(x)) : '–', percent = x => isNumber(x) ? (100 * x).toFixed(1) + '%' : '–';
  section('Over time', [
    chart('inuse', 'cpus in use', linesOf(r.inUse), r.capacity, whole, times, at),
    chart('waiting', 'jobs waiting', linesOf(r.waiting), Math.max(1, largest(r.waiting)), whole, times, at)]);
  const bounds = r.bounds.map((b, i) => [i / (r.bounds.length - 1), b]);
  section('Waits', [chart('waits', 'part of the jobs that wait no longer', linesOf(r.waits), 1, percent, bounds, t => r.bounds[Math.round(t * (r.bounds.length - 1))])]);
  if (r.shares.length) {
    section('Share of usage against target', [
      chart('distance', 'distance from what shares promise', linesOf(r.distance), Math.max(.05, largest(r.distance)), percent, times, at),
      ...r.shares.map((s, i) => {
        // One dashed line for each target that is another than policy 1's.
        const targets = s.targets.map((target, row) => ({target, row})).filter(({target, row}) => row === 1 || isNumber(target) && row > 1 && target !== s.targets[1]).filter(t => isNumber(t.target));
        return chart('share' + i, `${s.name}: target ${targets.map(t => percent(t.target) + (t.row > 1 ? ` (${rows[t.row]})` : '')).join(', ')}`,
          [...linesOf(s.used.map(u => u || [])), ...targets.map(t => ({values: [t.target, t.target], name: 'target', dash: true, color: () => t.row > 1 ? rowColor(t.row) : style('--text')}))],
          Math.min(1, Math.max(largest(s.targets), largest(s.used.map(u => u || []))) * 1.1), percent, times, at);
      })]);
  }
  parties(r, rows, span);
  jobTable(r, rows, span, clock);
}

// parties shows who gains and who loses, by user, group and so on.
function parties(r, rows, span) {
  const select = element('select', {id: 'kind'}, ...r.kinds.map((k, i) => element('option', {value: i}, k.name)));
  const body = element('tbody', {id: 'gains'}), note = element('p', {class: 'note'});
  const isPair = rows.length === 3, most = 300;
  main.append(element('h2', {}, 'Who gains and who loses'), element('form', {}, element('label', {}, 'By', select)),
    element('div', {class: 'scroll'}, element('table', {class: isPair ? 'shifts' : ''}, element('thead', {}, element('tr', {}, element('th', {}, ''), element('th', {class: 'number'}, 'Jobs'),
      ...rows.map(name => element('th', {class: 'number'}, `Mean wait, ${name}`)), ...r.changes.map(name => element('th', {class: 'number'}, name)),
      ...(isPair ? [element('th', {class: 'number'}, 'Sooner'), element('th', {class: 'number'}, 'Later'), element('th', {class: 'middle'}, 'sooner | later')] : []))), body)), note);
  function list() {
    const kind = r.kinds[select.value || 0], shown = kind.names.slice(0, most);
    const largest = shown.reduce((n, p) => Math.max(n, Math.abs(p.d[0] || 0)), 0) || 1;
    body.replaceChildren(...shown.map(p => {
      const bar = element('i', {class: p.d[0] < 0 ? 'earlier' : 'later'}), part = Math.abs(p.d[0] || 0) / largest * 50;
      bar.style.width = part + '%';
      bar.style.left = (p.d[0] < 0 ? 50 - part : 50) + '%';
      return element('tr', {}, element('td', {}, p.name || '–'), ...[p.jobs, ...p.w.map(w => w === null ? '–' : span(w)), ...p.c].map(t => element('td', {class: 'number'}, String(t))),
        ...(isPair ? [element('td', {class: 'number'}, String(p.s)), element('td', {class: 'number'}, String(p.l)), element('td', {}, element('div', {class: 'bar'}, bar))] : []));
    }));
    note.textContent = kind.total > shown.length ? `${kind.total - shown.length} more with fewer jobs are left out.` : '';
  }
  select.addEventListener('input', list);
  list();
}

// jobTable lists jobs, those that move most first, and those that are looked for.
function jobTable(r, rows, span, clock) {
  const input = element('input', {id: 'find', type: 'search', placeholder: 'job, user, group or queue'}), body = element('tbody', {id: 'jobs'}), note = element('p', {class: 'note', id: 'found'});
  const form = element('form', {}, element('label', {}, 'Find', input)), most = 200;
  form.addEventListener('submit', event => event.preventDefault());
  main.append(element('h2', {}, 'Jobs'), form, element('div', {class: 'scroll'}, element('table', {}, element('thead', {}, element('tr', {},
    ...['Job', 'User', 'Group', 'Queue'].map(t => element('th', {}, t)), ...['Cpus', 'Arrival', ...rows.map(name => `Wait, ${name}`)].map(t => element('th', {class: 'number'}, t)))), body)), note);
  const text = j => [j[0], r.names[j[1]], r.names[j[2]], r.names[j[3]]].join(' ').toLowerCase();
  function list() {
    const wanted = input.value.toLowerCase().split(/\s+/).filter(w => w);
    const found = r.jobs.filter(j => { const t = text(j); return wanted.every(w => t.includes(w)); });
    body.replaceChildren(...found.slice(0, most).map(j => element('tr', {}, element('td', {}, j[0]), ...j.slice(1, 4).map(n => element('td', {}, r.names[n])),
      ...[j[4], clock(j[5]), ...j.slice(6).map(w => w === null ? '–' : span(w))].map(t => element('td', {class: 'number'}, String(t))))));
    note.textContent = `${found.length} of ${r.jobs.length} jobs` + (found.length > most ? `, the first ${most} of them shown` : '') + (r.omitted ? `; ${r.omitted} more that move less are only in the figures` : '') + '.';
  }
  input.addEventListener('input', list);
  list();
}

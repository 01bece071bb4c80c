// ---- replays of recorded work ----
// A row is what was observed, or a policy. replays draws them.
function replays(r) {
  const rows = r.rows, isNumber = x => x !== null && x !== undefined;
  const number = text => element('td', {class: 'number'}, text);
  const heading = text => main.append(element('h2', {}, text));
  const rowColor = (i, alpha = 1) => colorOf(i === 0 ? -1 : i - 1, alpha);
  const legend = () => legendOf(rows, rowColor);
  const span = seconds => {
    const n = Math.round(Math.abs(seconds)), two = x => String(x).padStart(2, '0');
    return inDays(`${seconds < 0 && n ? '-' : ''}${Math.floor(n / 3600)}:${two(Math.floor(n / 60) % 60)}:${two(n % 60)}`);
  };
  const offset = at => (r.offsets.findLast(o => o[0] <= at) ?? r.offsets[0])[1];
  const clock = at => new Date((at + offset(at)) * 1000).toISOString().slice(0, 16).replace('T', ' ');

  for (const text of r.verdict) main.append(element('p', {class: 'verdict'}, inDays(text)));
  for (const v of r.verdicts) main.append(element('p', {class: v.fails ? 'fails' : 'note'}, v.text));
  main.append(element('dl', {class: 'sides', id: 'policies'}, ...rows.flatMap((name, i) => i === 0 ? [] : [element('dt', {}, name), element('dd', {}, element('code', {}, r.policies[i - 1]))])));
  const figures = element('table', {id: 'figures'}, element('thead', {}, element('tr', {}, ...['', ...rows, ...r.changes].map((t, i) => element('th', {class: i ? 'number' : ''}, t)))),
    element('tbody', {}, ...r.figures.map(f => element('tr', {}, element('td', {title: f.name}, f.words), ...f.values.map((v, i) => {
      const cell = number(inDays(v));
      cell.id = `${f.name} ${i}`;
      return cell;
    })))));
  main.append(element('div', {class: 'scroll', tabindex: '0'}, figures));
  const details = (summary, ...children) => main.append(element('details', {}, element('summary', {}, summary), ...children));
  details(`How near it comes: policy 1 against what has happened${r.ofFirst}`, element('ul', {class: 'figures'}, ...r.trust.map(f => element('li', {}, element('b', {id: f.id}, f.value), element('span', {}, f.label)))));
  details('What it is made of, and what it does not model', element('p', {class: 'note', id: 'from'}, r.from), ...r.remarks.map(text => element('p', {class: 'note'}, text)));

  // chart draws lines over x from 0 to 1. lines are {values, color}; ticks say
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
      canvas.dataset.values = roundValues(most).map(words).join(' ');
      const names = [];
      for (const value of roundValues(most)) {
        g.fillText(words(value), left - 6, y(value) + 4);
        g.beginPath();
        g.moveTo(left, y(value));
        g.lineTo(right, y(value));
        g.stroke();
      }
      let free = -Infinity;
      for (const [at, text] of ticks(right - left)) {
        const wide = g.measureText(text).width, from = Math.max(left, Math.min(right - wide, x(at) - wide / 2));
        if (from < free) continue;
        g.beginPath();
        g.moveTo(x(at), height - foot);
        g.lineTo(x(at), height - foot + 4);
        g.stroke();
        g.textAlign = 'left';
        g.fillText(text, from, height - 5);
        names.push(text);
        free = from + wide + 12;
      }
      canvas.dataset.names = names.join(' ');
      for (const l of lines) {
        if (hidden.has(l.row)) continue;
        g.beginPath();
        g.strokeStyle = l.color();
        g.lineWidth = l.isWide ? 6 : 1.8;
        let down = false;
        l.values.forEach((v, i) => {
          if (!isNumber(v)) { down = false; return; }
          const px = x(l.values.length > 1 ? i / (l.values.length - 1) : 0);
          if (down) g.lineTo(px, y(v)); else g.moveTo(px, y(v));
          down = true;
        });
        g.stroke();
      }
    }
    canvas.addEventListener('mousemove', event => {
      const b = canvas.getBoundingClientRect(), t = (event.clientX - b.left - left) / Math.max(1, b.width - left - 8);
      if (t < 0 || t > 1) { showTip(event, ''); return; }
      showTip(event, tell(t) + '\n' + lines.filter(l => !hidden.has(l.row)).map(l => `${l.name}: ${words(l.values[Math.round(t * (l.values.length - 1))])}`).join('\n'));
    });
    canvas.addEventListener('mouseleave', event => showTip(event, ''));
    redraws.push(draw);
    return [box, draw];
  }
  const largest = lists => lists.flat().reduce((n, x) => isNumber(x) && x > n ? x : n, 0);
  const linesOf = lists => lists.map((values, i) => ({row: i, values, name: rows[i], isWide: i === 0, color: () => rowColor(i, i ? 1 : .45)})).filter(l => l.values && l.values.length);
  const over = (id, label, lines, most, words) => timeline(id, label, lines, most, words, r, offset, clock);
  function section(title, charts, note) {
    heading(title);
    const grid = element('div', {class: 'charts'}, ...charts.map(c => c[0]));
    main.append(legend(), ...(note ? [element('p', {class: 'note'}, note, ' ', whole)] : []), grid);
    charts.forEach(c => c[1]());
  }
  const count = x => isNumber(x) ? String(Math.round(x)) : '–', percent = x => isNumber(x) ? (100 * x).toFixed(1) + '%' : '–';
  section('Over time', [
    over('inuse', `cpus in use${r.ofFirst}`, linesOf(r.inUse), r.capacity, count),
    over('waiting', `jobs waiting${r.ofFirst}`, linesOf(r.waiting), Math.max(1, largest(r.waiting)), count)],
    'Drag over a time to see it larger. The names switch lines on and off.');
  const bounds = r.bounds.map((b, i) => [i / (r.bounds.length - 1), b]);
  section('Waits', [chart('waits', `part of the jobs that started and waited no longer${r.ofFirst}`, linesOf(r.waits), 1, percent, () => bounds, t => r.bounds[Math.round(t * (r.bounds.length - 1))])]);
  if (r.shares.length) {
    section('Share of usage against target', [
      over('distance', `distance from what shares promise${r.ofFirst}`, linesOf(r.distance), Math.max(.05, largest(r.distance)), percent),
      ...r.shares.map((s, i) => {
        // One dashed line for each target that is another than policy 1's.
        const targets = s.targets.map((target, row) => ({target, row})).filter(({target, row}) => row === 1 || isNumber(target) && row > 1 && target !== s.targets[1]).filter(t => isNumber(t.target));
        const used = linesOf(s.used.map(u => u || [])), steps = Math.max(2, ...used.map(l => l.values.length));
        return over('share' + i, `${s.name}: target ${targets.map(t => percent(t.target) + (t.row > 1 ? ` (${rows[t.row]})` : '')).join(', ')}`,
          [...used, ...targets.map(t => ({values: Array(steps).fill(t.target), name: 'target', isDashed: true, color: () => t.row > 1 ? rowColor(t.row) : style('--text')}))],
          Math.min(1, Math.max(largest(s.targets), largest(s.used.map(u => u || []))) * 1.1), percent);
      })]);
  }
  causes(r, rows);
  parties(r, rows, span);
  jobTable(r, rows, span, clock);
}

// inDays writes times of two days and more with days.
const inDays = text => text.replace(/(\d+):(\d\d:\d\d)/g, (all, hours, rest) => hours < 48 ? all : `${Math.floor(hours / 24)} d ${hours % 24}:${rest}`);

// roundValues returns a few round numbers from 0 to most.
function roundValues(most) {
  const rough = (most || 1) / 4, size = 10 ** Math.floor(Math.log10(rough)), step = size * [1, 2, 5, 10].find(n => n * size >= rough);
  return Array.from({length: Math.floor((most || 1) / step * 1.000001) + 1}, (_, i) => i * step);
}

// roundTimes returns round times of the site's clock from start to end, as parts of the time
// between them, with what they are called.
function roundTimes(start, end, offset, width) {
  const hour = 3600, day = 24 * hour, most = Math.max(2, Math.floor(width / 80));
  const step = [60, 300, 900, 1800, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day, 14 * day, 28 * day, 91 * day, 364 * day].find(s => (end - start) / s <= most) || 728 * day;
  const list = [];
  for (let at = Math.ceil((start + offset(start)) / step) * step - offset(start); at <= end; at += step) {
    const local = new Date((at + offset(at)) * 1000).toISOString();
    list.push([(at - start) / Math.max(1, end - start), step < day && !local.includes('T00:00') ? local.slice(11, 16) : local.slice(0, 10)]);
  }
  return list;
}

// causes shows what jobs waited for, where that was asked for.
function causes(r, rows) {
  if (!r.causes.length) return;
  main.append(element('h2', {}, 'What jobs waited for'), element('p', {class: 'note'}, `In hours of all jobs${r.ofFirst}, from ${r.since} to their start.`));
  main.append(element('div', {class: 'scroll', tabindex: '0'}, element('table', {id: 'causes'}, element('thead', {}, element('tr', {}, element('th', {}, ''), ...rows.slice(1).map(name => element('th', {class: 'number'}, name)))),
    element('tbody', {}, ...r.causes.map(c => element('tr', {}, element('td', {}, c.name), ...c.hours.map(h => element('td', {class: 'number'}, h.toFixed(1)))))))));
}

// parties shows who gains and who loses, by user, group and so on.
function parties(r, rows, span) {
  const select = element('select', {id: 'kind'}, ...r.kinds.map((k, i) => element('option', {value: i}, k.name)));
  const body = element('tbody', {id: 'gains'}), note = element('p', {class: 'note'});
  const isPair = rows.length === 3, most = 300;
  main.append(element('h2', {}, 'Who gains and who loses'), element('form', {}, element('label', {}, 'By', select)),
    element('div', {class: 'scroll', tabindex: '0'}, element('table', {class: isPair ? 'shifts' : ''}, element('thead', {}, element('tr', {}, element('th', {}, ''), element('th', {class: 'number'}, 'Jobs'),
      ...rows.map(name => element('th', {class: 'number'}, `Mean wait, ${name}`)), ...r.changes.map(name => element('th', {class: 'number'}, name)),
      ...(isPair ? [element('th', {class: 'number'}, 'Sooner'), element('th', {class: 'number'}, 'Later'), element('th', {class: 'middle'}, 'sooner | later')] : []))), body)), note);
  function list() {
    const kind = r.kinds[select.value || 0], shown = kind.names.slice(0, most);
    const largest = shown.reduce((n, p) => Math.max(n, Math.abs(p.d[0] || 0)), 0) || 1;
    body.replaceChildren(...shown.map(p => {
      const bar = element('i', {class: p.d[0] < 0 ? 'earlier' : 'later'}), part = Math.abs(p.d[0] || 0) / largest * 50;
      bar.style.width = part + '%';
      bar.style.left = (p.d[0] < 0 ? 50 - part : 50) + '%';
      return element('tr', {}, element('td', {}, (p.name || '–').replace(/ \*$/, '\u00a0*')), ...[p.jobs, ...p.w.map(w => w === null ? '–' : span(w)), ...p.c].map(t => element('td', {class: 'number'}, String(t))),
        ...(isPair ? [element('td', {class: 'number'}, String(p.s)), element('td', {class: 'number'}, String(p.l)), element('td', {}, element('div', {class: 'bar'}, bar))] : []));
    }));
    note.textContent = kind.total > shown.length ? `${kind.total - shown.length} more with fewer jobs are left out.` : '';
  }
  select.addEventListener('input', list);
  list();
}

// jobTable lists jobs, those that move most first, and those that are looked for.
function jobTable(r, rows, span, clock) {
  const input = element('input', {id: 'find', type: 'search', placeholder: `job, ${r.jobKinds.slice(0, -1).join(', ')} or ${r.jobKinds.at(-1)}`}), body = element('tbody', {id: 'jobs'}), note = element('p', {class: 'note', id: 'found'});
  const before = element('button', {type: 'button', id: 'before'}, 'Those before'), after = element('button', {type: 'button', id: 'after'}, 'Those after'), most = 50; // a page
  const form = element('form', {}, element('label', {}, 'Find', input), before, after);
  let first = 0;
  form.addEventListener('submit', event => event.preventDefault());
  main.append(element('h2', {}, 'Jobs'), form, element('div', {class: 'scroll', tabindex: '0'}, element('table', {}, element('thead', {}, element('tr', {},
    ...['job', ...r.jobKinds].map(t => element('th', {}, t === 'qos' ? 'QOS' : t[0].toUpperCase() + t.slice(1))), ...['Cpus', 'Arrival', ...rows.map(name => `Wait, ${name}`)].map(t => element('th', {class: 'number'}, t)))), body)), note);
  const kinds = r.jobKinds.length, named = j => j.slice(3, 3 + kinds).map(n => r.names[n]);
  const text = j => [j[0], ...named(j)].join(' ').toLowerCase();
  function list() {
    const wanted = input.value.toLowerCase().split(/\s+/).filter(w => w);
    const found = r.jobs.filter(j => { const t = text(j); return wanted.every(w => t.includes(w)); });
    body.replaceChildren(...found.slice(first, first + most).map(j => element('tr', {}, element('td', {}, j[0]), ...named(j).map(name => element('td', {}, name)),
      ...[j[1], clock(j[2]), ...j.slice(3 + kinds).map(w => w === null ? '–' : span(w))].map(t => element('td', {class: 'number'}, String(t))))));
    before.disabled = first === 0;
    after.disabled = first + most >= found.length;
    note.textContent = `${found.length} of ${r.jobs.length} jobs` + (found.length > most ? `, ${first + 1} to ${Math.min(found.length, first + most)} of them shown` : '') + (r.omitted ? `; ${r.omitted} more that move less are only in the figures` : '') + '.';
  }
  const turn = to => { first = to; list(); };
  input.addEventListener('input', () => turn(0));
  before.addEventListener('click', () => turn(Math.max(0, first - most)));
  after.addEventListener('click', () => turn(first + most));
  list();
}

// ---- replays of recorded work ----
// A row is what was observed, or a policy. replays draws them.
function replays(r) {
  const rows = r.rows, isNumber = x => x !== null && x !== undefined;
  const pictures = document.getElementById('pictures');
  const rowColor = (i, alpha = 1) => colorOf(i === 0 ? -1 : i - 1, alpha);
  const legend = () => legendOf(rows, rowColor);
  const offset = at => (r.offsets.findLast(o => o[0] <= at) ?? r.offsets[0])[1];
  const clock = at => new Date((at + offset(at)) * 1000).toISOString().slice(0, 16).replace('T', ' ');

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
    const grid = element('div', {class: 'charts'}, ...charts.map(c => c[0]));
    pictures.append(element('h2', {}, title), legend(), ...(note ? [element('p', {class: 'note'}, note, ' ', whole)] : []), grid);
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
      })], 'A dashed line is the target.');
  }
  parties();
  jobTable(r);
}

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

// parties shows one of the tables of who gains and who loses, by what is chosen.
function parties() {
  const kinds = [...document.querySelectorAll('.kind')];
  const select = element('select', {id: 'kind'}, ...kinds.map((k, i) => element('option', {value: i}, k.dataset.name)));
  const show = () => kinds.forEach((k, i) => { k.hidden = String(i) !== select.value; });
  kinds.forEach(k => k.querySelector('h3').remove());
  if (kinds.length) kinds[0].before(element('form', {}, element('label', {}, 'By', select)));
  select.addEventListener('input', show);
  show();
}

// jobTable lists jobs, those that move most first, and those that are looked for.
function jobTable(r) {
  const input = element('input', {id: 'find', type: 'search', placeholder: `job, ${r.jobKinds.slice(0, -1).join(', ')} or ${r.jobKinds.at(-1)}`}), body = document.getElementById('jobs'), note = document.getElementById('found');
  const before = element('button', {type: 'button', id: 'before'}, 'Those before'), after = element('button', {type: 'button', id: 'after'}, 'Those after'), most = 50; // a page
  const form = element('form', {}, element('label', {}, 'Find', input), before, after);
  let first = 0;
  form.addEventListener('submit', event => event.preventDefault());
  document.getElementById('search').append(form);
  const kinds = r.jobKinds.length, named = j => j.slice(3, 3 + kinds).map(n => r.names[n]);
  const text = j => [j[0], ...named(j)].join(' ').toLowerCase();
  function list() {
    const wanted = input.value.toLowerCase().split(/\s+/).filter(w => w);
    const found = r.jobs.filter(j => { const t = text(j); return wanted.every(w => t.includes(w)); });
    body.replaceChildren(...found.slice(first, first + most).map(j => element('tr', {}, element('td', {}, j[0]), ...named(j).map(name => element('td', {}, name)),
      ...[j[1], j[2], ...j.slice(3 + kinds)].map(t => element('td', {class: 'number'}, String(t))))));
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

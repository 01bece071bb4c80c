
// ---- the lab ----
// The address holds what is tried, behind #: the formula as f, each setting as set.
const $ = id => document.getElementById(id);
const bytes = new TextEncoder(), texts = new TextDecoder();
let around = null, answer = null, valid = null, first = 0, chosen = null, node = null, tries = 0, choices = 0;
let asking = 0; // questions that are not answered yet
let explained = null; // what is explained: a job, or the two that are compared
let state = {formula: '', settings: []};
const past = [];
const count = 60; // rows at a time
// kinds are what differs between the schedulers, of which one is kind.
const kinds = {};
let kind = null;

// ask sends a question and returns the answer: a file as text, else what the JSON has.
async function ask(...question) {
  asking++;
  try { return await send(...question); } finally { asking--; }
}
async function send(name, question, signal) {
  const response = await fetch(name, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(question), signal});
  if (response.ok) return response.headers.get('Content-Disposition') ? response.text() : response.json();
  const text = await response.text();
  let problem = text;
  try { problem = JSON.parse(text).problem; } catch (e) { /* it is plain text */ }
  throw new Error(problem);
}
// say says something where the hands are: at the formula, the order, the tree or what is taken away.
const say = (text, where = 'said') => { $(where).textContent = text; };

// ---- the state, in the address ----
function readAddress() {
  const choice = new URLSearchParams(location.hash.slice(1));
  return {formula: choice.has('f') ? choice.get('f') : around.in_force, settings: choice.getAll('set')};
}
function writeAddress() {
  const choice = new URLSearchParams();
  if (state.formula !== around.in_force) choice.set('f', state.formula);
  state.settings.forEach(s => choice.append('set', s));
  history.replaceState(null, '', choice.toString() ? '#' + choice : location.pathname);
}
// change makes another state the one that is tried, and keeps the one before.
function change(next) {
  remember();
  show(next);
}
function remember() {
  past.push(state);
  if (past.length > 200) past.shift();
}
function show(next) {
  choices++; // what was asked about the state before is not shown any more
  $('taken').hidden = true;
  for (const where of ['said', 'ordersaid', 'treesaid', 'takensaid']) say('', where);
  const sites = JSON.stringify(next.settings) !== JSON.stringify(state.settings);
  state = next;
  $('undo').disabled = past.length === 0;
  if ($('formula').value !== state.formula) $('formula').value = state.formula;
  writeAddress();
  first = 0;
  const site = sites ? drawSite() : Promise.resolve();
  return Promise.all([site, tryIt()]);
}
const undo = () => { if (past.length) show(past.pop()); };
// setting changes a setting. What is in force is no change.
const changed = (name, value) => ({...state, settings: [...state.settings.filter(s => !s.startsWith(name + '=')), ...(kind.isInForce(name, value) ? [] : [`${name}=${value}`])]});
const setting = (name, value) => change(changed(name, value));

// ---- trying ----
let running = null;
async function tryIt() {
  const mine = ++tries, began = performance.now(), asked = state.formula;
  if (running) running.abort();
  running = new AbortController();
  const filters = Object.fromEntries(new FormData($('filters')));
  try {
    const got = await ask('try', {...state, ...filters, by: $('by').value, first, count}, running.signal);
    if (mine !== tries) return;
    // Of a formula that is half typed the last order stays.
    valid = got.ranking || valid;
    answer = {...got, ranking: valid, isOld: !got.ranking, formula: asked};
    document.documentElement.dataset.asked = (performance.now() - began).toFixed(1);
    drawTried();
    requestAnimationFrame(() => {
      drawSlope(); // which needs the layout
      document.documentElement.dataset.took = (performance.now() - began).toFixed(1);
      document.documentElement.dataset.tried = mine;
    });
    if (explained && !answer.isOld) explain(false);
  } catch (e) {
    if (e.name === 'AbortError' || mine !== tries) return;
    answer = {...kind.nothing, problem: e.message, changes: [], ranking: valid, isOld: true, formula: asked};
    drawTried();
    document.documentElement.dataset.tried = mine;
  }
}
function drawTried() {
  $('changes').replaceChildren(...state.settings.map((s, i) => {
    const button = element('button', {type: 'button', 'aria-label': `take ${s} back`}, '×');
    button.addEventListener('click', () => change({...state, settings: state.settings.filter((_, k) => k !== i)}));
    return element('li', {}, answer.changes[i] || s, button);
  }));
  kind.drawVerdict();
  drawOrder();
}

// ---- the order ----
const rank = r => r === null ? '–' : String(r);
function drawOrder() {
  const r = answer.ranking, head = $('order').querySelector('thead tr'), body = $('order').querySelector('tbody');
  if (!r) {
    $('summary').textContent = $('shown').textContent = '';
    body.replaceChildren();
    $('shifts').replaceChildren();
    $('slopekey').replaceChildren();
    $('slope').hidden = true;
    $('before').disabled = $('after').disabled = true;
    return;
  }
  $('answer').classList.toggle('old', answer.isOld);
  const columns = kind.columns(r);
  const cell = (name, number, text) => element(name, name === 'th' ? {class: number ? 'number' : '', scope: 'col'} : {class: number ? 'number' : ''}, text);
  head.replaceChildren(...[['#', 1], ['Change', 1], ['Job'], ['User'], ...columns].map(([t, number]) => cell('th', number, t.replaceAll('_', '_\u200b'))));
  if (body.contains($('explained'))) $('beside').prepend($('explained')); // it comes back once it is explained anew
  body.replaceChildren(...r.rows.map(row => {
    const number = (t, c = '') => element('td', {class: 'number ' + c}, t), key = row.key || row.id;
    const job = element('button', {type: 'button', tabindex: -1, 'data-job': key}, row.id);
    job.addEventListener('click', () => choose(key));
    const moved = row.change === null ? (row.old_rank === null && row.rank !== null ? 'new' : '') : row.change === 0 ? '' : (row.change > 0 ? '+' : '') + row.change;
    return element('tr', {class: key === chosen ? 'chosen' : '', 'data-job': key}, number(rank(row.rank)), number(moved, row.change > 0 ? 'earlier' : row.change < 0 ? 'later' : ''), element('td', {}, job),
      element('td', {}, row.user), ...columns.map(([, number, of]) => { const it = of(row); return it instanceof Element ? it : cell('td', number, it); }));
  }));
  kind.drawnOrder(body);
  const inOrder = r.in_order && `; ${r.in_order}`;
  $('summary').textContent = r.moved ? `${r.moved} of ${r.jobs} jobs move${inOrder}` : `the order of ${r.jobs} jobs is that in force`;
  if (answer.isOld) $('summary').textContent = 'The last order that could be made: ' + $('summary').textContent;
  if (r.entered || r.left) $('summary').textContent += `; ${r.entered} newly considered, ${r.left} no more`;
  $('shown').textContent = r.total ? `${first + 1} to ${first + r.rows.length} of ${r.total}` : 'no job';
  $('before').disabled = first === 0;
  $('after').disabled = first + r.rows.length >= r.total;
  drawShifts();
}
function drawSlope() {
  const r = answer && answer.ranking;
  if (!r) return;
  // Where nobody moves there is nothing to draw.
  $('slope').hidden = $('slope').parentElement.hidden = !r.moved && !r.entered && !r.left;
  $('slope').dataset.lines = r.slope.length;
  if ($('slope').hidden) return;
  const [g, width] = canvasFor($('slope'), 260), last = r.last || 1, side = 44, y = v => 14 + (v - 1) / Math.max(1, last - 1) * 226;
  const counts = {};
  for (const l of r.slope) counts[l.name] = (counts[l.name] || 0) + l.jobs;
  const names = Object.keys(counts).sort((a, b) => counts[b] - counts[a] || (a < b ? -1 : 1)), told = 12, heaviest = r.slope.reduce((n, l) => Math.max(n, l.jobs), 1);
  for (const l of r.slope) {
    const to = l.to;
    g.beginPath();
    g.moveTo(side, y(l.from));
    g.bezierCurveTo(width / 2, y(l.from), width / 2, y(to), width - side, y(to));
    g.strokeStyle = colorOf(names.indexOf(l.name) < told ? names.indexOf(l.name) : -1, Math.max(.25, Math.sqrt(l.jobs / heaviest) * .8));
    g.lineWidth = .6 + 4 * Math.sqrt(l.jobs / heaviest) * (heaviest > 1);
    g.stroke();
  }
  g.fillStyle = style('--soft');
  g.fillText('in force', 2, 10);
  g.textAlign = 'right';
  g.fillText('tried', width - 2, 10);
  $('slopekey').replaceChildren(...names.slice(0, told).map((q, i) => element('li', {}, swatch(colorOf(i, 1)), q || '–')), ...(names.length > told ? [element('li', {}, swatch(colorOf(-1, 1)), `${names.length - told} others`)] : []));
}
redraws.push(drawSlope);
function drawShifts() {
  const kinds = answer.ranking.shifts, select = $('kind');
  if (!select.options.length) select.append(...kinds.map(k => element('option', {value: k.kind}, k.kind)));
  const names = (kinds.find(k => k.kind === select.value) || kinds[0]).names;
  const most = names.reduce((n, s) => Math.max(n, Math.abs(s.mean_change)), 0) || 1;
  $('shifts').replaceChildren(...names.map(s => {
    const bar = element('i', {class: s.mean_change < 0 ? 'later' : 'earlier'}), part = Math.abs(s.mean_change) / most * 50;
    bar.style.width = part + '%';
    bar.style.left = (s.mean_change < 0 ? 50 - part : 50) + '%';
    return element('tr', {}, element('td', {}, s.name), element('td', {class: 'number'}, String(s.jobs)), element('td', {class: 'number'}, (s.mean_change > 0 ? '+' : '') + Number(s.mean_change).toFixed(1)), element('td', {}, element('div', {class: 'bar'}, bar)));
  }));
}

// ---- why ----
function choose(job) {
  const other = chosen !== null && chosen !== job ? chosen : null;
  chosen = other ? null : job;
  explained = other ? [other, job] : [job];
  explain(true);
}
// explain shows what is explained, as the state has it. After a change nobody is led there.
async function explain(isAsked) {
  const mine = ++choices, box = $('explained'), [job, other] = explained;
  try {
    const got = other ? await ask('versus', {...state, job, other}) : await ask('explain', {...state, job});
    if (mine !== choices) return; // another job was chosen meanwhile
    say('', 'ordersaid');
    if (other) kind.drawVersus(box, got);
    else kind.drawExplained(box, got);
    kind.drawnExplained();
    for (const tr of $('order').querySelectorAll('tbody tr[data-job]')) tr.className = tr.dataset.job === chosen ? 'chosen' : '';
    placeExplained(explained.at(-1));
    if (isAsked) box.focus({preventScroll: true});
  } catch (e) {
    if (mine !== choices) return;
    if (isAsked) { chosen = null; explained = null; }
    say(e.message, 'ordersaid');
  }
}
// placeExplained puts the explanation below the row of its job.
function placeExplained(job) {
  const box = $('explained'), row = [...$('order').querySelectorAll('tbody tr[data-job]')].find(tr => tr.dataset.job === job);
  const had = document.activeElement === box;
  for (const old of $('order').querySelectorAll('tr.explains')) if (!row || old.previousSibling !== row) old.remove();
  if (!row) $('beside').prepend(box);
  else if (!row.nextSibling || row.nextSibling.className !== 'explains') {
    const cell = element('td', {colspan: row.children.length}, box);
    row.after(element('tr', {class: 'explains'}, cell));
  }
  if (had) box.focus({preventScroll: true});
}
const tableOf = (head, rows) => element('table', {}, element('thead', {}, element('tr', {}, ...head.map(t => element('th', {}, t)))), element('tbody', {}, ...rows.map(r => element('tr', {}, ...r.map(c => element('td', {}, c))))));
// six writes numbers with at most six digits, and other texts as they are.
const six = x => typeof x === 'number' || /^-?[0-9]+\.[0-9]+$/.test(x) ? String(Number(Number(x).toPrecision(6))) : String(x);
// drawTurn says what would reverse two jobs.
function drawTurn(box, v) {
  if (v.turn.length) box.append(element('p', {}, 'The order would be reversed if'), element('ul', {}, ...v.turn.map(t => element('li', {}, t.text))));
  for (const note of v.notes) box.append(element('p', {class: 'note'}, note));
}
// drawTargets says what the levels of the tree have used beside their shares.
function drawTargets(box, targets) {
  if (!targets || !targets.length) return;
  const part = x => `${(100 * x).toFixed(1)} %`;
  box.append(tableOf(['level', 'used', 'due', 'back at its share'], targets.map(t => [t.name, part(t.used), part(t.due), t.says])));
  if (targets.some(t => t.back)) box.append(element('p', {class: 'note'}, 'By decay alone: nothing of it runs, and the others run as much as decays of theirs.'));
}
// byArrows makes a box one stop of Tab: arrows lead from one of its buttons to the next, and Enter takes one.
function byArrows(box, selector) {
  box.addEventListener('keydown', event => {
    const step = {ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1}[event.key];
    const list = [...box.querySelectorAll(selector)].filter(b => !b.hidden), at = list.indexOf(document.activeElement);
    if (!step || !list.length || at < 0 && document.activeElement !== box) return;
    event.preventDefault();
    list[at < 0 ? 0 : Math.max(0, Math.min(list.length - 1, at + step))].focus();
  });
}
// ---- the tree ----
let drawing = null;
async function drawSite() {
  if (drawing) drawing.abort();
  drawing = new AbortController();
  const mine = drawing;
  try {
    const got = await ask('site', {formula: '', settings: state.settings}, mine.signal);
    if (mine !== drawing) return; // the settings have changed meanwhile
    around = got;
    $('lacks').replaceChildren(...(got.not_modelled || []).map(text => element('li', {}, text)));
    drawAround();
  } catch (e) {
    if (e.name !== 'AbortError' && mine === drawing && !kind.saysAtField) say(e.message, 'treesaid');
  }
}
function drawTree() {
  const box = $('tree'), nodes = widestFirst(around.tree), rows = 46;
  if (!nodes.length) { box.replaceChildren(); $('treenote').textContent = 'There is no fairshare tree.'; return; }
  const depth = [], left = [], width = [], next = [];
  nodes.forEach((n, i) => {
    if (n.parent < 0) { depth[i] = 0; left[i] = 0; width[i] = 1; next[i] = 0; return; }
    depth[i] = depth[n.parent] + 1;
    width[i] = n.percentage;
    left[i] = next[n.parent];
    next[n.parent] += width[i];
    next[i] = left[i];
  });
  const small = around.omitted + width.filter(w => w < .001).length;
  const total = nodes[0].usage - 1, focused = document.activeElement && document.activeElement.dataset.node;
  box.style.height = (Math.max(...depth) + 1) * rows + 'px';
  box.replaceChildren(...nodes.map((n, i) => {
    const used = i > 0 ? kind.used(n, total) : null;
    const b = element('button', {type: 'button', tabindex: -1, 'data-node': n.name, 'aria-pressed': n.name === node, title: `${n.name}: ${n.shares} shares, ${(100 * n.percentage).toFixed(2)} % of all, usage ${n.usage}`,
      'aria-label': `${n.name}, ${n.shares} shares, usage ${n.usage}`}, element('span', {}, n.label || n.name), element('span', {}, used === null ? '' : used.toFixed(2) + '×'));
    Object.assign(b.style, {left: left[i] * 100 + '%', width: `calc(${width[i] * 100}% - 1px)`, top: depth[i] * rows + 'px', height: rows - 1 + 'px', background: usedColor(i === 0 ? null : used)});
    b.hidden = width[i] < .001;
    b.addEventListener('click', () => pick(n.name));
    return b;
  }));
  // A name that does not fit is told by the title alone.
  const isShort = [...box.children].map(b => b.scrollWidth > b.clientWidth + 1 || b.scrollHeight > b.clientHeight + 1);
  [...box.children].forEach((b, i) => b.classList.toggle('small', isShort[i]));
  if (focused) { const b = [...box.children].find(c => c.dataset.node === focused); if (b) b.focus(); }
  $('treenote').textContent = 'Width is shares, colour is use. Choose a node to change it.' + (small ? ` ${small} too small to see can be named.` : '') + (around.unlisted ? ` ${around.unlisted}.` : '');
  $('treekey').replaceChildren(...useKey());
  $('nodes').replaceChildren(...nodes.slice(1).map(n => element('option', {value: n.name})));
}
redraws.push(() => { if (around) drawTree(); });
// widestFirst puts siblings with the most shares first, and of as many the older ones, as the other pages draw a tree.
function widestFirst(nodes) {
  const children = nodes.map(() => []), list = [];
  nodes.forEach((n, i) => { if (n.parent >= 0) children[n.parent].push(i); });
  const add = (i, parent) => {
    const at = list.push({...nodes[i], parent}) - 1;
    children[i].sort((a, b) => nodes[b].percentage - nodes[a].percentage || b - a);
    return at;
  };
  const stack = nodes.length ? [[0, -1]] : [];
  while (stack.length) {
    const [i, parent] = stack.pop(), at = add(i, parent);
    for (const c of children[i].toReversed()) stack.push([c, at]);
  }
  return list;
}
function pick(name) {
  node = name;
  const n = around.tree.find(m => m.name === name);
  $('node').hidden = !n || n.parent < 0;
  if (!n || n.parent < 0) { drawTree(); return; }
  $('nodename').textContent = name;
  for (const [field, value] of [[$('shares'), n.shares], [$('usage'), n.usage]]) if (document.activeElement !== field) field.value = value;
  $('usagelabel').hidden = n.is_group;
  kind.drawNode(n);
  drawTree();
}
function drawAround() {
  drawTree();
  kind.drawAround();
  if (node) pick(node);
}

// ---- replay ----
let replayed = null;
async function replay(running) {
  $('replay').disabled = true;
  try {
    replayed = running || (await ask('replay', state)).id;
    $('cancel').hidden = $('progress').hidden = false;
    for (;;) {
      const now = await ask('progress', {id: replayed});
      $('progress').value = now.part;
      if (now.is_done) {
        $('replaysaid').replaceChildren(now.error || element('a', {id: 'report', href: 'report/' + replayed, target: '_blank', rel: 'noopener'}, 'Show the report'));
        break;
      }
      $('replaysaid').textContent = `${Math.round(100 * now.part)} %`;
      await new Promise(done => setTimeout(done, 200));
    }
  } catch (e) { $('replaysaid').textContent = e.message; }
  $('cancel').hidden = $('progress').hidden = true;
  $('replay').disabled = false;
}

// ---- what one does ----
byArrows($('order').parentElement, 'button[data-job]');
byArrows($('tree'), 'button');
$('undo').addEventListener('click', undo);
addEventListener('keydown', event => {
  const isField = event.target.matches('textarea, select, input:not([type=range]):not([type=checkbox])'); // which undo by themselves
  if (event.key === 'z' && (event.ctrlKey || event.metaKey) && !isField) { event.preventDefault(); undo(); }
});
$('reset').addEventListener('click', () => change({formula: around.in_force, settings: []}));
$('link').addEventListener('click', () => navigator.clipboard.writeText(location.href).then(() => say('copied'), () => say('the browser does not allow it: copy it from the address bar')));
for (const event of ['input', 'submit']) $('filters').addEventListener(event, e => { e.preventDefault(); first = 0; tryIt(); });
$('before').addEventListener('click', () => { first = Math.max(0, first - count); tryIt(); });
$('after').addEventListener('click', () => {
  if (!answer.ranking || first + count >= answer.ranking.total) return;
  first += count;
  tryIt();
});
$('kind').addEventListener('input', drawShifts);
$('by').addEventListener('input', tryIt);
for (const form of document.forms) form.addEventListener('submit', event => event.preventDefault());
$('named').addEventListener('change', () => { if (around.tree.some(n => n.name === $('named').value)) pick($('named').value); else say(`the tree has no ${$('named').value}`, 'treesaid'); });
// An emptied field changes nothing.
const typed = (field, name) => { if (node !== null && field.value !== '') setting(name, field.value); };
$('shares').addEventListener('change', () => typed($('shares'), node + '.shares'));
$('usage').addEventListener('change', () => typed($('usage'), node + '.usage'));
$('replay').addEventListener('click', () => replay(''));
$('cancel').addEventListener('click', () => ask('cancel', {id: replayed}).catch(e => say(e.message, 'replaysaid')));
for (const b of document.querySelectorAll('[data-take]')) b.addEventListener('click', async () => {
  const mine = ++choices;
  try {
    const text = await ask('take', {...state, what: b.dataset.take});
    if (mine !== choices) return;
    if (b.dataset.take === 'page') {
      const link = element('a', {href: URL.createObjectURL(new Blob([text], {type: 'text/html'})), download: 'change.html'});
      link.click();
      say('change.html', 'takensaid');
      return;
    }
    $('taken').hidden = false;
    $('taken').textContent = text || 'nothing is changed';
    $('taken').focus();
  } catch (e) { say(e.message, 'takensaid'); }
});
addEventListener('hashchange', () => change(readAddress()));
addEventListener('resize', () => redraws.forEach(f => f()));
dark.addEventListener('change', () => { redraws.forEach(f => f()); drawTree(); });

// fill fills a list of names to choose from.
const fill = (list, names) => $(list).append(...names.map(name => element('option', {value: name})));

(async () => {
  for (const e of document.querySelectorAll('button, input, textarea, select')) if (!e.disabled) e.disabled = e.dataset.early = true;
  const own = await ask('site', {formula: '', settings: new URLSearchParams(location.hash.slice(1)).getAll('set')}).catch(() => null);
  around = own || await ask('site', {formula: '', settings: []});
  $('lacks').replaceChildren(...(around.not_modelled || []).map(text => element('li', {}, text)));
  $('from').textContent = around.from;
  kind = kinds[around.kind];
  document.body.classList.add(around.kind);
  if (kind.start) await kind.start();
  $('by').append(...kind.by.map(name => element('option', {}, name)));
  fill('users', around.users);
  $('replays').hidden = !around.replays;
  state = readAddress();
  if (around.replay) replay(around.replay);
  $('formula').value = state.formula;
  for (const e of document.querySelectorAll('[data-early]')) e.disabled = false;
  drawAround();
  await tryIt();
  document.documentElement.dataset.ready = 'yes';
})().catch(e => { $('verdict').textContent = `the lab does not answer: ${e.message}`; $('verdict').className = 'bad'; });

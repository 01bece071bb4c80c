
// ---- what is PBS's: the formula, queues, switches of sched_config, and what stops a job now ----
kinds.pbs = {
  by: ['queue', 'user', 'group', 'entity'],
  nothing: {verdict: {message: '', warnings: []}, numbers: []}, // what an answer has without an order
  isInForce: () => false,
  used: (n, total) => n.percentage > 0 && total > 0 ? n.tree_usage / n.percentage : null,
  drawNode: n => { $('nodetext').textContent = `percentage ${six(n.percentage)}, tree usage ${six(n.tree_usage)}, factor ${six(n.factor)}`; },
  start() {
    fill('groups', around.groups);
    $('filters').elements.queue.append(...around.queues.map(q => element('option', {value: q.name}, q.name)));
  },
  columns(r) {
    const says = around.judges || r.rows.some(row => row.comment), vars = r.rows.length ? Object.keys(r.rows[0].vars) : [];
    return [['Queue', 0, row => row.queue], ...(says ? [[around.judges ? 'Right now' : 'What PBS says', 0, saysCell]] : []), ['Value', 1, row => row.error || six(row.log)], ...vars.map(v => [v, 1, row => six(row.vars[v])])];
  },
  drawnOrder(body) {
    for (const cell of around.judges ? body.querySelectorAll('td.says') : []) {
      drawStanding(cell); // as it was for the order before, until it is known
      cell.classList.add('old');
    }
    judge();
  },
  drawVerdict, drawExplained, drawVersus, drawnExplained: drawExplainedNow, drawAround: drawQueues,
};
function drawVerdict() {
  const v = answer.verdict, bad = answer.problem || v.message;
  $('verdict').className = bad ? 'bad' : '';
  $('verdict').textContent = !state.formula && !answer.problem ? 'no formula: the other keys order the jobs' :
    v.message ? `qmgr would refuse it: ${v.message}${v.error ? ` (${v.error})` : ''}${answer.problem ? `; ${answer.problem}` : ''}` :
    answer.problem ? answer.problem + (answer.hint ? `; ${answer.hint}` : '') : 'qmgr would accept it';
  $('place').hidden = !(answer.problem && answer.end > answer.start);
  if (!$('place').hidden) {
    const text = bytes.encode(state.formula), part = (a, b) => texts.decode(text.slice(a, b));
    $('place').replaceChildren(part(0, answer.start), element('mark', {}, part(answer.start, answer.end)), part(answer.end));
  }
  $('warnings').replaceChildren(...v.warnings.map(w => element('li', {class: 'note'}, `${w.rule}: ${w.message}${w.instead ? `; instead: ${w.instead}` : ''}`)));
  drawSliders();
}

// ---- a slider for each number ----
// While one is dragged its range stays, and the others stand where they are.
// Sliders that have the focus stay where they are: Tab leads from one to the next.
let dragged = null;
const isPlain = n => /^[0-9_]*\.?[0-9_]*(e[-+]?[0-9]+)?$/i.test(n.text) && Number.isFinite(Number(n.text.replaceAll('_', '')) * 4); // not 0x10 and 2j
function drawSliders() {
  const box = $('sliders'), numbers = answer.numbers.map((n, i) => [n, i]).filter(([n]) => isPlain(n));
  const isSame = box.children.length === numbers.length && numbers.every(([, i], k) => box.children[k].querySelector('input').dataset.number === String(i));
  if (answer.isOld && !answer.numbers.length) return; // of a half-typed formula
  if (!isSame) box.replaceChildren(...numbers.map(([, i]) => slider(i)));
  numbers.forEach(([n, i], k) => {
    const input = box.children[k].querySelector('input'), value = Number(n.text.replaceAll('_', '')), whole = /^[0-9_]+$/.test(n.text);
    const weighs = weight(n);
    box.children[k].querySelector('code').textContent = n.text;
    box.children[k].querySelector('span').textContent = weighs;
    input.setAttribute('aria-label', `number ${i + 1} of the formula, ${n.text} ${weighs}`.trim());
    if (dragged !== null || document.activeElement === input && Number(input.value) === value) return; // its range stays
    const most = value * 4 || (whole ? 10 : 1);
    Object.assign(input, {min: 0, max: most, step: whole ? 1 : most / 400});
    input.value = value;
  });
}
// weight says what a number of the formula multiplies or divides.
function weight(n) {
  const text = bytes.encode(answer.formula), behind = texts.decode(text.slice(n.end)), before = texts.decode(text.slice(0, n.start));
  const what = String.raw`[A-Za-z_]\w*(?:\([^()]*\))?|\([^()]*\)`;
  const after = new RegExp(String.raw`^\s*(\*|/)\s*(${what})`).exec(behind), ahead = new RegExp(String.raw`(${what})\s*(\*\*|\*|/)\s*$`).exec(before);
  if (after) return `${after[1] === '*' ? '×' : '/'} ${after[2]}`;
  return ahead ? ({'*': '× ', '/': 'divides ', '**': 'power of '})[ahead[2]] + ahead[1] : '';
}
function slider(i) {
  const input = element('input', {type: 'range', 'data-number': i});
  input.addEventListener('input', () => {
    if (answer.formula !== state.formula || !answer.numbers[i]) return; // the answer is of another text
    if (dragged === null) remember();
    dragged = i;
    const now = answer.numbers[i], text = bytes.encode(state.formula), whole = /^[0-9_]+$/.test(now.text);
    const moved = Number(input.value), written = whole ? String(Math.round(moved)) : String(Number(moved.toPrecision(4))).replace(/^([0-9]+)$/, '$1.0');
    const formula = texts.decode(text.slice(0, now.start)) + written + texts.decode(text.slice(now.end));
    const by = bytes.encode(written).length - (now.end - now.start);
    answer.numbers.forEach((other, k) => { if (k > i) { other.start += by; other.end += by; } });
    now.end += by;
    now.text = written;
    answer.formula = formula;
    input.closest('label').querySelector('code').textContent = written;
    show({...state, formula});
  });
  // The keys move it without a drag: it stays as long as it has the focus.
  for (const end of ['pointerup', 'pointercancel', 'blur']) input.addEventListener(end, () => { dragged = null; drawSliders(); });
  return element('label', {}, element('code', {}), element('span', {class: 'note'}), input);
}

// ---- names to choose from ----
let offered = [], at = 0;
function wordBefore() {
  const box = $('formula'), text = box.value.slice(0, box.selectionStart), m = /[A-Za-z_][A-Za-z0-9_]*$/.exec(text);
  return m ? m[0] : '';
}
function offer(all) {
  const word = wordBefore().toLowerCase();
  const isName = around.names.some(n => n.name.toLowerCase() === word);
  offered = all || word.length && !isName ? around.names.filter(n => n.name.toLowerCase().includes(word) && n.name.toLowerCase() !== word)
    .sort((a, b) => b.name.toLowerCase().startsWith(word) - a.name.toLowerCase().startsWith(word)).slice(0, 30) : [];
  at = -1; // nothing is taken that was not chosen
  drawNames();
}
function drawNames() {
  const list = $('names');
  list.hidden = offered.length === 0;
  $('formula').setAttribute('aria-expanded', String(!list.hidden));
  list.replaceChildren(...offered.map((n, i) => {
    const li = element('li', {role: 'option', id: 'name' + i, 'aria-selected': i === at}, element('code', {}, n.name), element('span', {class: 'note'}, ` ${[n.kind, n.unit, n.meaning].filter(x => x).join(', ')}`));
    li.addEventListener('mousedown', event => { event.preventDefault(); at = i; take(); });
    return li;
  }));
  if (list.hidden || at < 0) $('formula').removeAttribute('aria-activedescendant');
  else { $('formula').setAttribute('aria-activedescendant', 'name' + at); list.children[at].scrollIntoView({block: 'nearest'}); }
}
function take() {
  const box = $('formula'), word = wordBefore(), end = box.selectionStart, name = offered[at].name;
  box.setRangeText(name, end - word.length, end, 'end');
  offered = [];
  drawNames();
  change({...state, formula: box.value});
}

// ---- what PBS says of jobs ----
// shortly is what PBS says of a job without the words that it always begins with.
const shortly = comment => comment.replace(/^(Not Running|Can Never Run): (Insufficient amount of resource: )?/, (all, kind) => kind === 'Can Never Run' ? 'never: ' : '').replace(/ ?\(R: (\S+) A: (\S+) T: \S+\)/, ': $1 asked, $2 free').replace(/^Job run at .*/, 'runs');
const saysCell = row => around.judges ? element('td', {class: 'says'}) : element('td', {class: 'says', title: row.comment}, shortly(row.comment));
// What stops each job now is asked once the hands rest: a cycle takes longer than an order.
const standings = new Map(), rest = 300;
let judging = null, due = 0;
function judge() {
  clearTimeout(due);
  if (judging) judging.abort();
  if (!around.judges || answer.isOld || !answer.ranking) return;
  due = setTimeout(async () => {
    judging = new AbortController();
    const mine = tries;
    try {
      const got = await ask('now', {...state, jobs: answer.ranking.rows.map(r => r.id)}, judging.signal);
      if (mine !== tries) return;
      standings.clear();
      for (const [id, text] of Object.entries(got)) standings.set(id, text);
      for (const cell of $('order').querySelectorAll('td.says')) drawStanding(cell);
      drawExplainedNow();
      document.documentElement.dataset.judged = mine;
    } catch (e) {
      if (e.name !== 'AbortError' && mine === tries) say(e.message, 'ordersaid');
    }
  }, rest);
}
function drawStanding(cell) {
  const text = standings.get(cell.closest('tr').dataset.job);
  cell.textContent = text || '…';
  cell.title = text || '';
  cell.classList.remove('old');
}
function drawExplainedNow() {
  const text = explained && explained.length === 1 && standings.get(explained[0]);
  $('explained').querySelector('.now')?.remove();
  if (text) $('explained').append(element('p', {class: 'now'}, 'Right now: ' + text));
}
function drawExplained(box, e) {
  box.replaceChildren(element('b', {id: 'explainedjob'}, e.id), ` of ${e.user}, entity ${e.entity}, queue ${e.queue}: `, e.rank === null ? `not considered, ${e.reason}` : `number ${e.rank} of ${e.place.of}, value ${six(e.log)}`);
  if (e.steps.length) box.append(tableOf(['part', 'value'], e.steps.map(s => [element('code', {}, '\u00a0'.repeat(2 * Math.min(s.depth, 12)) + s.text), s.error || (s.reached ? six(s.value) : '(not evaluated)') + (s.most ? ' ← most' : '')])));
  if (e.fairshare.length) box.append(tableOf(['path', 'shares', 'percentage', 'usage', 'tree usage'], e.fairshare.map(l => [l.name, `${l.shares} of ${l.level_shares}`, six(l.tree_percentage), six(l.usage), six(l.tree_usage)])));
  if (e.fairshare_factor !== null) box.append(element('p', {class: 'note'}, `fairshare_factor ${six(e.fairshare_factor)}`));
  drawTargets(box, e.targets);
  box.append(element('p', {class: 'note'}, 'Choose another job to compare it with this one.'));
}
function drawVersus(box, v) {
  box.replaceChildren(element('b', {id: 'versus'}, v.why));
  if (v.parts.length) box.append(tableOf(['part', v.first, v.second], v.parts.map(p => [element('code', {}, '\u00a0'.repeat(2 * Math.min(p.depth, 12)) + p.text), six(p.first), six(p.second) + (p.differ ? ' ←' : '')])));
  drawTurn(box, v);
}

// ---- queues and switches ----
function drawQueues() {
  const focused = document.activeElement, held = focused && (focused.dataset.queue || focused.dataset.switch), typed = held && focused.value;
  $('queues').replaceChildren(...around.queues.map(q => {
    const input = element('input', {type: 'number', step: 1, value: q.priority, 'aria-label': `priority of ${q.name}`, 'data-queue': q.name});
    input.addEventListener('change', () => { if (input.value !== '') setting(`queue.${q.name}.priority`, input.value); });
    return element('tr', {}, element('td', {}, q.name), element('td', {}, input));
  }));
  $('switches').replaceChildren(...around.switches.map(w => {
    const input = element('input', {type: 'checkbox', 'data-switch': w.name});
    input.checked = w.on;
    input.addEventListener('change', () => setting(w.name, input.checked));
    return element('label', {}, input, element('span', {}, element('code', {}, w.name.replace('sched.', '')), element('span', {class: 'note'}, ' ' + w.says)));
  }));
  const again = held && [...document.querySelectorAll('[data-queue], [data-switch]')].find(e => (e.dataset.queue || e.dataset.switch) === held);
  if (again) {
    again.focus();
    if (again.dataset.queue) again.value = typed;
  }
}
// ---- what one does ----
$('formula').addEventListener('input', () => { offer(false); change({...state, formula: $('formula').value}); });
$('formula').addEventListener('blur', () => { offered = []; drawNames(); });
$('formula').addEventListener('keydown', event => {
  if (event.key === ' ' && event.ctrlKey) { event.preventDefault(); offer(true); return; }
  if (!offered.length) return;
  const move = {ArrowDown: 1, ArrowUp: -1}[event.key];
  if (move) { event.preventDefault(); at = at < 0 && move < 0 ? offered.length - 1 : (at + move + offered.length) % offered.length; drawNames(); }
  if (at >= 0 && (event.key === 'Tab' || event.key === 'Enter')) { event.preventDefault(); take(); }
  if (event.key === 'Escape') { offered = []; drawNames(); }
});

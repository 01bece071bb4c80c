
// ---- what is Slurm's: weights and other settings, shares, QOS and partitions ----
let inForce = null; // what the site has: values by the names of settings
kinds.slurm = {
  by: ['partition', 'user', 'account', 'qos'],
  nothing: {notes: []}, // what an answer has without an order
  saysAtField: true,
  isInForce: (name, value) => isSame(inForce.get(name), value),
  used: n => n.of_target,
  drawVerdict: drawProblem, drawnOrder() {}, drawnExplained() {},
  drawExplained: drawTerms, drawVersus: drawPairs, drawAround: drawSettings, drawNode: drawAssociation,
  async start() {
    const own = await ask('site', {formula: '', settings: []});
    inForce = new Map(own.fields.map(f => [f.name, f.value]));
    for (const q of own.qos) inForce.set(`qos.${q.name}.priority`, q.priority);
    for (const p of own.partitions) inForce.set(`partition.${p.name}.tier`, p.tier).set(`partition.${p.name}.factor`, p.factor);
    for (const n of own.tree) inForce.set(n.name + '.shares', n.shares).set(n.name + '.usage', n.usage);
    fill('accounts', own.accounts);
    for (const [name, list] of [['partition', own.partitions], ['qos', own.qos]]) $('filters').elements[name].append(...list.map(x => element('option', {value: x.name}, x.name)));
    $('notes').append(...own.notes.map(text => element('li', {}, text)));
    $('known').hidden = !own.notes.length;
    drawFields(own.fields);
    $('qos').replaceChildren(...own.qos.map(q => element('tr', {}, element('td', {}, q.name), settingCell(`qos.${q.name}.priority`, `priority of QOS ${q.name}`))));
    $('partitions').replaceChildren(...own.partitions.map(p => element('tr', {}, element('td', {}, p.name), settingCell(`partition.${p.name}.tier`, `PriorityTier of ${p.name}`), settingCell(`partition.${p.name}.factor`, `PriorityJobFactor of ${p.name}`))));
  },
  columns: r => [['Account', 0, row => row.account], ['Partition', 0, row => row.partition], ['Tier', 1, row => points(row.tier)], ['QOS', 0, row => row.qos], ['Priority', 1, row => points(row.value)],
    ...r.terms.map(t => [titles[t] || t, 1, row => t in row.terms ? points(row.terms[t]) : '']), ['Reason', 0, reasonCell]],
};
const titles = {age: 'Age', assoc: 'Assoc', fairshare: 'Fairshare', jobsize: 'Job size', partition_factor: 'Partition points', qos_factor: 'QOS points', tres: 'TRES', nice: 'Nice'};
const points = x => typeof x === 'number' ? String(Math.round(x)) : String(x);
const reasonCell = row => element('td', {class: 'says', title: row.limit || row.reason}, row.reason);
const isNumeric = text => /^[0-9.]+$/.test(text);
const isSame = (a, b) => String(a) === String(b) || isNumeric(a) && isNumeric(b) && Number(a) === Number(b);

// valueOf returns what a setting is: as it is tried, or else as it is in force.
function valueOf(name) {
  const own = state.settings.find(s => s.slice(0, s.indexOf('=')).toLowerCase() === name.toLowerCase());
  return own === undefined ? String(inForce.get(name)) : own.slice(own.indexOf('=') + 1);
}

// ---- fields ----
// bind makes an input one of a setting, which it changes.
function bind(input, name) {
  input.dataset.setting = name;
  input.addEventListener('input', () => { input.dataset.typed = 'yes'; });
  input.addEventListener('change', () => {
    delete input.dataset.typed;
    if (input.value !== '') setting(name, input.value.trim());
    else drawValues(); // an emptied field changes nothing
  });
  return input;
}
function settingCell(name, label) {
  return element('td', {}, bind(element('input', {type: 'number', min: 0, step: 1, 'aria-label': label}), name), element('span', {class: 'wrong', role: 'status'}));
}
function drawFields(fields) {
  const most = Math.max(...fields.filter(f => f.form === 'weight').map(f => Number(f.value)), ...weightsOf(inForce.get('PriorityWeightTRES')).map(([, x]) => Number(x)));
  const isOfWeights = f => f.form === 'weight' || f.form === 'weights', field = f => {
    const wrong = element('span', {class: 'wrong', role: 'status'}), says = isOfWeights(f) ? [] : [element('span', {class: 'note'}, f.says)], was = element('span', {class: 'note was'});
    if (f.form === 'choice') {
      const input = bind(element('select', {}, ...['YES', 'NO'].map(t => element('option', {}, t))), f.name);
      return element('div', {class: 'field', title: f.says}, element('label', {}, f.name, input), wrong, ...says, was);
    }
    const isWeight = f.form === 'weight', input = bind(element('input', isWeight ? {type: 'number', min: 0, step: 1} : {type: 'text', spellcheck: 'false', autocomplete: 'off'}), f.name);
    const parts = isWeight ? [rangeOf(f.name, '', most)] : f.form === 'weights' ? weightsOf(f.value).map(([part]) => element('label', {class: 'part'}, element('code', {}, part), rangeOf(f.name, part, most))) : [];
    return element('div', {class: 'field', title: f.says}, element('label', {}, f.name, input), ...parts, wrong, ...says, was);
  };
  $('fields').replaceChildren(...fields.filter(isOfWeights).map(field));
  $('rest').replaceChildren(...fields.filter(f => !isOfWeights(f)).map(field));
}
// weightsOf returns the TRES with their weights, as texts.
const weightsOf = text => text ? text.split(',').map(part => [part.slice(0, part.lastIndexOf('=')), part.slice(part.lastIndexOf('=') + 1)]) : [];
let isDragged = false;
// rangeOf makes the slider of a weight, or of the part of weights that is of a TRES.
function rangeOf(name, part, largest) {
  const was = Number(part ? new Map(weightsOf(inForce.get(name))).get(part) : inForce.get(name)), most = Math.max(4 * was, largest) || 1000;
  const input = element('input', {type: 'range', min: 0, max: most, step: Math.max(1, 10 ** Math.floor(Math.log10(most / 200))), 'data-range': name, 'data-part': part, 'data-most': most, 'aria-label': part ? `${name}, ${part}` : name});
  input.addEventListener('input', () => {
    if (!isDragged) remember();
    isDragged = true;
    const all = new Map(weightsOf(valueOf(name))).set(part, input.value);
    show(changed(name, part ? [...all].map(([p, x]) => `${p}=${x}`).join(',') : input.value));
  });
  for (const end of ['change', 'blur']) input.addEventListener(end, () => { isDragged = false; });
  return input;
}
// drawValues shows the values as they are tried, and what they were.
function drawValues() {
  for (const input of document.querySelectorAll('[data-setting]')) {
    const name = input.dataset.setting, value = valueOf(name), box = input.closest('.field'), isTried = !isSame(inForce.get(name), value);
    if (!input.dataset.typed) input.value = value;
    input.classList.toggle('tried', isTried);
    if (box) box.querySelector('.was').textContent = isTried ? ` In force: ${inForce.get(name) || 'none'}.` : '';
  }
  for (const input of document.querySelectorAll('[data-range]')) {
    const {range, part} = input.dataset, value = valueOf(range);
    if (isDragged && document.activeElement === input) continue;
    const x = Number(part ? new Map(weightsOf(value)).get(part) : value) || 0;
    input.max = Math.max(input.dataset.most, x);
    input.value = x;
  }
}
const fieldOf = name => [...document.querySelectorAll('[data-setting]')].find(e => e.dataset.setting.toLowerCase() === name.toLowerCase() && e.offsetParent !== null);
// drawProblem says what is wrong beside the field of the setting, or where there is none above the changes.
function drawProblem() {
  drawValues();
  for (const e of document.querySelectorAll('.wrong')) e.textContent = '';
  for (const e of document.querySelectorAll('[aria-invalid]')) e.removeAttribute('aria-invalid');
  const field = answer.setting && fieldOf(answer.setting);
  if (field) {
    field.setAttribute('aria-invalid', 'true');
    field.closest('.field, td, form').querySelector('.wrong').textContent = answer.problem;
  }
  $('verdict').className = answer.problem ? 'bad' : '';
  $('verdict').textContent = answer.problem && !field ? (answer.setting ? `${answer.setting}: ` : '') + answer.problem : '';
  $('warnings').replaceChildren(...answer.notes.map(text => element('li', {class: 'note'}, text)));
}
function drawSettings() {
  $('algorithm').textContent = around.tree.length ? around.algorithm + '.' : '';
  drawValues();
}

// ---- the tree ----
function drawAssociation(n) {
  $('shares').dataset.setting = n.name + '.shares';
  $('usage').dataset.setting = n.name + '.usage';
  $('ofparent').checked = n.shares === 'parent';
  const known = [['due', n.norm_shares], ['used', n.effective_usage], ['level FS', n.level_fs], ['fairshare', n.is_group ? null : n.fairshare]].filter(([, x]) => x !== null);
  $('nodetext').textContent = [...known.map(([name, x]) => `${name} ${six(x)}`), n.reading].filter(text => text).join(', ');
}
for (const field of [$('shares'), $('usage')]) {
  field.addEventListener('input', () => { field.dataset.typed = 'yes'; });
  field.addEventListener('change', () => { delete field.dataset.typed; });
}
$('ofparent').addEventListener('change', () => {
  if (node === null) return;
  const was = inForce.get(node + '.shares');
  if ($('ofparent').checked) setting(node + '.shares', 'parent');
  else setting(node + '.shares', was === 'parent' ? '1' : was);
});

// ---- why ----
function drawTerms(box, e) {
  box.replaceChildren(element('b', {id: 'explainedjob'}, e.id), ` of ${e.user}, account ${e.account}, partition ${e.partition}, QOS ${e.qos}: `, placeText(e));
  if (e.reason && e.rank !== null) box.append(element('p', {}, `It waits for: ${e.reason}`));
  if (e.never) box.append(element('p', {}, `It never starts, whatever else runs: ${e.never}`));
  else if (e.held) box.append(element('p', {}, `It does not start, whatever else runs: ${e.limit}`));
  else if (e.limit) box.append(element('p', {}, `A limit holds it: ${e.limit}`));
  if (e.difference) box.append(element('p', {class: 'note'}, `The priorities differ: ${e.difference}`));
  if (e.parts.length) box.append(tableOf(['term', 'weight', 'factor', 'points'], [...e.parts.map(p => [p.name, six(p.weight), six(p.factor), two(p.points)]), ['priority', '', '', points(e.computed)]]));
  if (e.billing !== null) box.append(element('p', {class: 'note'}, `It is charged ${six(e.billing)} for each second of its run (billing).`));
  if (e.raised_to) box.append(element('p', {class: 'note'}, `Its memory takes ${e.raised_to} CPUs for each task, more than it asks for (MaxMemPerCPU).`));
  drawTargets(box, e.targets);
  box.append(element('p', {class: 'note'}, 'Choose another job to compare it with this one.'));
}
function placeText(e) {
  if (e.rank === null) return `Slurm does not consider it: ${e.reason}`;
  const ahead = Object.keys(e.ahead).filter(k => e.ahead[k]).map(k => `${e.ahead[k]} by ${k}`);
  const after = ahead.length ? `; ${e.rank - 1} ahead: ${ahead.join(', ')}` : '', own = e.in_partition;
  if (!own || own.ahead_of_other_partitions === null) return `rank ${e.rank} of ${e.of}, priority ${points(e.value)} in a partition of tier ${e.tier}` + after;
  const beside = own.ahead_of_other_partitions;
  return `rank ${own.rank} of ${own.of} in partition ${e.partition}, priority ${points(e.value)}, tier ${e.tier}; of other partitions with nodes of it, ${beside || 'no'} ${beside > 1 ? 'jobs are' : 'job is'} ahead; rank ${e.rank} of ${e.of} among the jobs of all partitions` + after;
}
const two = x => typeof x === 'number' ? x.toFixed(2) : String(x);
function drawPairs(box, v) {
  box.replaceChildren(element('b', {id: 'versus'}, v.first ? `job ${v.first} goes first: by ${v.by}` : 'Slurm does not consider both of them'));
  for (const e of [v.job, v.other]) box.append(element('p', {}, `${e.id} of ${e.user}: `, placeText(e), e.never ? `; it never starts, whatever else runs: ${e.never}` : e.held ? `; it does not start, whatever else runs: ${e.limit}` : ''));
  if (v.pairs.length) box.append(tableOf(['term', 'weight', v.job.id, v.other.id, 'difference'], [...v.pairs.map(p => [p.name, six(p.weight), two(p.points), two(p.other), two(p.difference)]), ['priority', '', points(v.job.computed), points(v.other.computed), points(v.job.computed - v.other.computed)]]));
  drawTurn(box, v);
}

// ---- lines over time, which uPlot draws ----
// Legends of a page switch the same rows: hidden has those that are not drawn.
const hidden = new Set(), lineCharts = [];

// legendOf returns a button for each row, which switches its line in all charts.
function legendOf(rows, rowColor) {
  return element('ul', {class: 'rows'}, ...rows.map((name, i) => {
    const button = element('button', {type: 'button', 'aria-pressed': String(!hidden.has(i)), title: 'show or hide this line'}, swatch(rowColor(i)), name);
    redraws.push(() => {
      button.firstChild.style.background = rowColor(i);
      button.setAttribute('aria-pressed', String(!hidden.has(i)));
    });
    button.addEventListener('click', () => {
      if (!hidden.delete(i)) hidden.add(i);
      redraws.forEach(f => f());
    });
    return element('li', {}, button);
  }));
}

// whole is a button that shows the whole time again, once a part was chosen.
const whole = element('button', {type: 'button', id: 'whole', hidden: ''}, 'show the whole time');
whole.addEventListener('click', () => lineCharts.forEach(u => u.setScale('x', {min: u.data[0][0], max: u.data[0].at(-1)})));

// timeline draws lines over the seconds from start to end. lines are {row, name, values, color, isWide, isDashed};
// dragging over it chooses a part of the time, in all timelines of the page.
function timeline(id, label, lines, most, words, r, offset, clock) {
  const height = 190, box = element('div', {id, role: 'img', 'aria-label': label, class: 'timeline'});
  const figure = element('figure', {}, element('figcaption', {}, label), box);
  box.dataset.lines = lines.length;
  box.dataset.most = most;
  const steps = Math.max(2, ...lines.map(l => l.values.length)) - 1;
  const at = Array.from({length: steps + 1}, (_, i) => r.start + i / steps * (r.end - r.start));
  const isWhole = u => u.scales.x.min <= at[0] && u.scales.x.max >= at.at(-1);
  let chart = null;
  const axis = () => ({stroke: () => style('--soft'), font: '12px system-ui, sans-serif', grid: {stroke: () => style('--line'), width: 1}, ticks: {stroke: () => style('--line'), width: 1, size: 4}});
  const options = width => ({
    width, height, padding: [8, 12, 0, 0], legend: {show: false},
    cursor: {y: false, drag: {x: true, y: false, uni: 4}, sync: {key: 'time', scales: ['x', null]}, points: {size: 6}},
    scales: {x: {time: false}, y: {range: [0, most || 1]}},
    series: [{}, ...lines.map(l => ({label: l.name, show: !hidden.has(l.row), stroke: () => l.color(), width: l.isDashed ? 1 : l.isWide ? 5 : 1.8, dash: l.isDashed ? [5, 4] : undefined, points: {show: false}}))],
    axes: [
      {...axis(), size: 30, grid: {show: false},
        splits: (u, i, min, max) => roundTimes(min, max, offset, u.bbox.width / (devicePixelRatio || 1)).map(([part]) => min + part * (max - min)),
        values: (u, splits) => {
          const width = u.bbox.width / (devicePixelRatio || 1), half = 22; // of a date, behind the end of the axis
          const names = roundTimes(u.scales.x.min, u.scales.x.max, offset, width).map(([part, name]) => part * width > width - half ? '' : name);
          box.dataset.names = names.filter(name => name).join(' ');
          return names.slice(0, splits.length);
        }},
      {...axis(), size: 56, splits: () => roundValues(most), values: (u, splits) => {
        box.dataset.values = splits.map(words).join(' ');
        return splits.map(words);
      }}],
    hooks: {
      setCursor: [u => {
        if (!u.cursor.event || u.cursor.idx === null || u.cursor.left < 0) return; // of another chart
        showTip(u.cursor.event, clock(at[u.cursor.idx]) + '\n' + lines.filter(l => !hidden.has(l.row)).map(l => `${l.name}: ${words(l.values[u.cursor.idx])}`).join('\n'));
      }],
      setScale: [(u, key) => {
        if (key !== 'x') return;
        box.dataset.part = isWhole(u) ? '' : `${clock(u.scales.x.min)} to ${clock(u.scales.x.max)}`;
        whole.hidden = isWhole(u);
        for (const other of lineCharts) if (other !== u && (other.scales.x.min !== u.scales.x.min || other.scales.x.max !== u.scales.x.max)) other.setScale('x', {min: u.scales.x.min, max: u.scales.x.max});
      }],
    },
  });
  function draw() {
    if (!chart) {
      chart = new uPlot(options(box.clientWidth), [at, ...lines.map(l => at.map((_, i) => l.values[i] ?? null))], box);
      chart.over.addEventListener('mouseleave', event => showTip(event, ''));
      lineCharts.push(chart);
      return;
    }
    lines.forEach((l, i) => { if (chart.series[i + 1].show === hidden.has(l.row)) chart.setSeries(i + 1, {show: !hidden.has(l.row)}); });
    if (chart.width !== box.clientWidth) chart.setSize({width: box.clientWidth, height}); else chart.redraw(false);
  }
  redraws.push(draw);
  return [figure, draw];
}


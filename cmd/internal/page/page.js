const main = document.getElementById('main');
const tip = document.getElementById('tip');

// element makes <name key=value…>children…</name>. Text is never HTML.
function element(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) e.setAttribute(key, value);
  for (const child of children.flat()) e.append(child);
  return e;
}
const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const dark = matchMedia('(prefers-color-scheme: dark)');

// colorOf returns the i-th of colours that are far from each other, grey for -1.
const colorOf = (i, alpha) => i < 0 ? `hsl(0 0% 50% / ${alpha})` : `hsl(${(i * 137.508 + 210) % 360} 65% ${dark.matches ? 62 : 42}% / ${alpha})`;

// usedColor is blue under target, grey on it, orange to red over it.
function usedColor(used) {
  if (used === null) return style('--line');
  const x = Math.max(-1, Math.min(1, Math.log2(Math.max(used, 1e-3)) / 3));
  const light = dark.matches ? 50 - 8 * Math.abs(x) : 82 - 27 * Math.abs(x);
  return x < 0 ? `hsl(212 ${15 + 60 * -x}% ${light}%)` : `hsl(${28 - 22 * x} ${15 + 70 * x}% ${light}%)`;
}
// useKey says what these colours are.
const useKey = () => [[.125, 'an eighth of its target used'], [.5, 'half'], [1, 'on target'], [2, 'twice'], [8, 'eight times'], [null, 'no target']].map(([u, text]) => element('span', {}, swatch(usedColor(u)), text));

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

const swatch = color => {
  const s = element('span', {class: 'swatch'});
  s.style.background = color;
  return s;
};

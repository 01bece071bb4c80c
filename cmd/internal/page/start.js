const data = JSON.parse(document.getElementById('data').textContent);
if (data.replay) replays(data.replay);
const finish = data.compare ? compare(data.compare) : () => {};
data.trees.forEach(icicle);
finish();
const redraw = () => redraws.forEach(f => f());
addEventListener('resize', redraw);
dark.addEventListener('change', redraw);
document.documentElement.dataset.ready = 'yes';

'use strict';
// The sizes and the layout are those of svg.cpp.
const CHARACTER = 7.25, LINE = 16, PADDING = 8, BORDER = 14, COLUMN_GAP = 18, ROW_GAP = 26, LONGEST = 46, PASSES = 3;
const OPEN_AT_FIRST = 80;  // boxes
const MARGIN = 600;        // drawn around what is visible, in pixels
const {boxes, edges} = graph;
const points = Array.from({length: graph.points}, () => ({}));
const view = document.getElementById('view'), details = document.getElementById('details');
const opened = new Set([0]);
let zoom = 1, selected = -1, placed = [], drawn = [], frame = 0;

const isContainer = index => boxes[index].rows !== undefined;
const isOpen = index => opened.has(index) && isContainer(index);
const at = place => place % 2 ? points[(place - 1) / 2] : boxes[place / 2];
const shortened = text => {
  const characters = [...text];
  return characters.length > LONGEST ? characters.slice(0, LONGEST - 1).join('') + '\u2026' : text;
};
for (const box of boxes) {
  box.texts = [box.title, ...box.lines].map(shortened);
  box.needed = Math.max(...box.texts.map(text => [...text].length)) * CHARACTER + 2 * PADDING;
  box.head = box.texts.length * LINE + 2 * PADDING;
  if (!box.rows) continue;
  box.above = new Map();
  box.below = new Map();
  const add = (map, key, value) => map.has(key) ? map.get(key).push(value) : map.set(key, [value]);
  for (const [from, to] of box.links) {
    add(box.above, to, from);
    add(box.below, from, to);
  }
}

function setRow(row, linked) {
  const items = row.map(at), count = items.length, low = [], high = [];
  const wanted = row.map((place, i) => {
    const others = linked && linked.get(place);
    return others ? others.reduce((sum, other) => sum + at(other).x, 0) / others.length : items[i].x;
  });
  const apart = i => (items[i].width + items[i + 1].width) / 2 + COLUMN_GAP;
  for (let i = 0; i < count; ++i) low[i] = i ? Math.max(wanted[i], low[i - 1] + apart(i - 1)) : wanted[i];
  for (let i = count - 1; i >= 0; --i) high[i] = i + 1 < count ? Math.min(wanted[i], high[i + 1] - apart(i)) : wanted[i];
  items.forEach((item, i) => item.x = (low[i] + high[i]) / 2);
}

function measure(index) {
  const box = boxes[index];
  box.width = box.needed;
  box.height = box.head;
  if (!isOpen(index)) return;
  for (const row of box.rows) {
    for (const place of row) {
      Object.assign(at(place), {x: 0, width: 0, height: 0});
      if (place % 2 === 0) measure(place / 2);
    }
  }
  for (const row of box.rows) setRow(row);
  for (let pass = 0; pass < PASSES; ++pass) {
    for (const row of box.rows) setRow(row, box.above);
    if (pass + 1 < PASSES) for (let i = box.rows.length; i-- > 0;) setRow(box.rows[i], box.below);
  }
  let left = 0, right = 0, y = box.height;
  for (const row of box.rows) {
    const items = row.map(at), height = Math.max(...items.map(item => item.height));
    items.forEach((item, i) => {
      left = Math.min(left, item.x - item.width / 2);
      right = Math.max(right, item.x + item.width / 2);
      if (row[i] % 2) item.height = height;
      item.y = y + (height - item.height) / 2;
    });
    y += height + ROW_GAP;
  }
  for (const row of box.rows) for (const place of row) at(place).x -= (left + right) / 2;
  box.width = Math.max(box.width, right - left + 2 * BORDER);
  box.height = y - ROW_GAP + BORDER;
}

function move(index, x, y) {
  const box = boxes[index];
  box.x = x;
  box.y = y;
  box.visible = true;
  placed.push(index);
  if (!isOpen(index)) return;
  for (const row of box.rows) {
    for (const place of row) {
      const item = at(place);
      if (place % 2 === 0) {
        move(place / 2, item.x + x, item.y + y);
      } else {
        item.x += x;
        item.y += y;
        item.visible = true;
      }
    }
  }
}

// The box itself, or the closed module that hides it.
function shown(index) {
  while (!boxes[index].visible) index = boxes[index].parent;
  return index;
}

function layout() {
  for (const item of [...boxes, ...points]) item.visible = false;
  placed = [];
  measure(0);
  move(0, boxes[0].width / 2 + BORDER, BORDER);
  const known = new Set();
  drawn = [];
  for (const [first, last, through] of edges) {
    const from = shown(first), to = shown(last);
    const way = through.filter(point => points[point].visible);
    const key = `${from} ${to} ${way}`;
    if (from === to || known.has(key)) continue;
    known.add(key);
    drawn.push({from: boxes[from], to: boxes[to], way: way.map(point => points[point])});
  }
  draw();
}

function element(name, attributes, parent) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.append(made);
  return made;
}

function drawEdge(edge, parent) {
  let x = edge.from.x, y = edge.from.y + edge.from.height;
  let path = `M${x} ${y}`;
  const to = (nextX, nextY) => {
    const middle = (y + nextY) / 2;
    path += `C${x} ${middle} ${nextX} ${middle} ${nextX} ${nextY}`;
    x = nextX;
    y = nextY;
  };
  for (const point of edge.way) {
    to(point.x, point.y);
    path += `V${y = point.y + point.height}`;
  }
  to(edge.to.x, edge.to.y);
  element('path', {d: path}, parent);
}

function drawBox(index, parent) {
  const box = boxes[index], left = box.x - box.width / 2;
  const state = (isContainer(index) && !isOpen(index) ? ' closed' : '') + (box.marked ? ' marked' : '') +
      (index === selected ? ' selected' : '');
  const group = element('g', {class: box.kind + state, tabindex: 0, role: 'button', 'data-box': index}, parent);
  if (isContainer(index)) group.setAttribute('aria-expanded', isOpen(index));
  element('rect', {x: left, y: box.y, width: box.width, height: box.height}, group);
  box.texts.forEach((text, line) => {
    const made = element('text', {x: left + PADDING, y: box.y + PADDING + LINE * (line + 0.75)}, group);
    if (line === 0) made.setAttribute('class', 'title');
    made.textContent = (line === 0 && isContainer(index) ? (isOpen(index) ? '\u25be' : '\u25b8') : '') + text;
  });
}

function draw() {
  const top = view.scrollTop / zoom - MARGIN, bottom = (view.scrollTop + view.clientHeight) / zoom + MARGIN;
  const width = boxes[0].width + 2 * BORDER, height = boxes[0].height + 2 * BORDER;
  const focused = document.activeElement && document.activeElement.dataset.box;
  view.textContent = '';
  const svg = element('svg', {width: width * zoom, height: height * zoom, viewBox: `0 0 ${width} ${height}`}, view);
  const seen = placed.filter(index => boxes[index].y < bottom && boxes[index].y + boxes[index].height > top);
  for (const index of seen) if (isOpen(index)) drawBox(index, svg);
  for (const edge of drawn) if (edge.from.y < bottom && edge.to.y > top) drawEdge(edge, svg);
  for (const index of seen) if (!isOpen(index)) drawBox(index, svg);
  if (focused !== undefined) svg.querySelector(`[data-box="${focused}"]`)?.focus({preventScroll: true});
}

function select(index) {
  selected = index;
  const box = boxes[index];
  details.textContent = box.details || [box.title, ...box.lines].join('\n');
}

// Opens or closes a module so that its top stays where it is.
function toggle(index) {
  const before = boxes[index].y * zoom - view.scrollTop;
  opened.has(index) ? opened.delete(index) : opened.add(index);
  layout();
  view.scrollTop = boxes[index].y * zoom - before;
  draw();
}

function use(index) {
  select(index);
  isContainer(index) && index > 0 ? toggle(index) : draw();
}

function show(index) {
  for (let i = boxes[index].parent; i !== undefined; i = boxes[i].parent) opened.add(i);
  select(index);
  layout();
  view.scrollTop = boxes[index].y * zoom - view.clientHeight / 3;
  view.scrollLeft = boxes[index].x * zoom - view.clientWidth / 2;
  draw();
}

function setZoom(next) {
  const middle = (view.scrollTop + view.clientHeight / 2) / zoom;
  zoom = Math.min(3, Math.max(0.1, next));
  draw();
  view.scrollTop = middle * zoom - view.clientHeight / 2;
  draw();
}

let matches = [], match = -1, searched = '';
function search(text) {
  if (text !== searched) {
    searched = text;
    match = -1;
    const wanted = text.toLowerCase();
    const has = (box, index) => index > 0 && (box.parent === undefined || isReachable(index)) &&
        [box.title, ...box.lines, box.details].some(part => part.toLowerCase().includes(wanted));
    matches = text ? boxes.map((box, index) => index).filter(index => has(boxes[index], index)) : [];
  }
  if (matches.length) show(matches[match = (match + 1) % matches.length]);
  document.getElementById('found').textContent = text ? `${match + 1} of ${matches.length}` : '';
}

const reachable = new Set([0]);
for (const box of boxes) for (const row of box.rows || []) for (const place of row) if (place % 2 === 0) reachable.add(place / 2);
function isReachable(index) { return reachable.has(index); }

function openAll(yes) {
  opened.clear();
  opened.add(0);
  if (yes) boxes.forEach((box, index) => isContainer(index) && opened.add(index));
  layout();
}

view.addEventListener('scroll', () => {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(draw);
});
addEventListener('resize', draw);
view.addEventListener('click', event => {
  const group = event.target.closest('[data-box]');
  if (group) use(Number(group.dataset.box));
});
view.addEventListener('keydown', event => {
  const group = event.target.closest('[data-box]');
  if (!group || event.key !== 'Enter' && event.key !== ' ') return;
  event.preventDefault();
  use(Number(group.dataset.box));
});
document.getElementById('search').addEventListener('keydown', event => event.key === 'Enter' && search(event.target.value));
document.getElementById('open').addEventListener('click', () => openAll(true));
document.getElementById('close').addEventListener('click', () => openAll(false));
document.getElementById('larger').addEventListener('click', () => setZoom(zoom * 1.25));
document.getElementById('smaller').addEventListener('click', () => setZoom(zoom / 1.25));

// Opens modules, outer ones first, as long as the picture stays small.
let visible = boxes[0].rows ? boxes[0].rows.flat().length : 0;
for (let queue = [0]; queue.length;) {
  const index = queue.shift();
  for (const place of (boxes[index].rows || []).flat()) {
    const child = place / 2;
    if (place % 2 || !isContainer(child)) continue;
    const inside = boxes[child].rows.flat().length;
    if (visible + inside > OPEN_AT_FIRST) continue;
    visible += inside;
    opened.add(child);
    queue.push(child);
  }
}
// Shows the first marked operator, in its open modules.
const firstMarked = boxes.findIndex((box, index) => box.marked && !isContainer(index) && isReachable(index));
document.title = `${boxes[0].title} - tonnx`;
layout();
if (firstMarked >= 0) show(firstMarked);

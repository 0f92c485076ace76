// Draws a picture as SVG. Texts are set as text: a recording may come from anybody.
const stages = Object.fromEntries(JSON.parse(document.getElementById('stages').textContent).map(stage => [stage.letter, stage.name]));

function element(parent, name, attributes, text) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent?.append(made);
  return made;
}

function letterOf(index) {
  const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
  return alphabet[index] ?? '+';
}

// The hatch lets terminating pods be told from others without colour. All drawings of the page share it.
{
  const svg = element(document.body, 'svg', { width: 0, height: 0, class: 'shared', 'aria-hidden': 'true' });
  const pattern = element(element(svg, 'defs', {}), 'pattern', { id: 'hatch', width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' });
  element(pattern, 'rect', { width: 2, height: 6, fill: '#000', 'fill-opacity': .35 });
}

class Drawing {
  constructor(picture, caption) {
    this.picture = picture;
    this.caption = caption;
    this.marks = (picture.Marks ?? []).map(mark => ({ ...mark }));
    let lettered = 0;
    for (const mark of this.marks) mark.letter = mark.Step < 0 ? '<' : letterOf(lettered++);
  }

  draw(width, zoom, toScale) {
    const { picture } = this;
    this.places = Geometry.places(picture.Steps, width, zoom, toScale);
    this.width = this.places.at(-1);
    this.svg = element(null, 'svg', { width: this.width, 'aria-hidden': 'true' });
    this.lines = element(this.svg, 'g', {});
    this.labels = element(null, 'g', { class: 'labels' });
    this.y = this.marks.some(mark => mark.Step >= 0) ? 26 : 6;
    for (const node of picture.Nodes ?? []) this.node(node);
    for (const counter of picture.Counters ?? []) this.counter(counter);
    this.bottom = this.y + 4;
    this.axis(toScale);
    this.letters();
    this.height = this.bottom + (this.caption ? 40 : 22);
    this.svg.setAttribute('height', this.height);
    this.svg.setAttribute('viewBox', `0 0 ${this.width} ${this.height}`);
    this.cursor = element(this.svg, 'line', { class: 'cursor', y1: 0, y2: this.bottom, visibility: 'hidden' });
    this.svg.append(this.labels);
    return this.svg;
  }

  node(node) {
    element(this.labels, 'text', { class: 'node halo', x: 6, y: this.y + 13 }, 'node ' + node.Name + (node.Older ? ` (${node.Older} older pods)` : '') + (node.Alike ? `, and ${node.Alike} more like it` : ''));
    this.y += 20;
    if (!node.Lanes?.length) {
      element(this.labels, 'text', { class: 'soft halo', x: 6, y: this.y + 12 }, 'no pods');
      this.y += 20;
    }
    for (const lane of node.Lanes ?? []) this.lane(lane);
    this.y += 6;
  }

  lane(lane) {
    const name = [lane.Pod, [lane.Revision, lane.Version].filter(Boolean).join(' '), lane.Number ? 'no. ' + lane.Number : ''].filter(Boolean).join(' · ');
    element(this.labels, 'text', { class: 'halo', x: 6, y: this.y + 11 }, name);
    for (const run of Geometry.stretches(lane.Life)) {
      const x = this.places[run.from], w = Math.max(1.5, this.places[run.to] - x - .5), at = { x, y: this.y + 15, width: w, height: 15, rx: 2 };
      element(element(this.svg, 'rect', { ...at, class: 'st-' + run.letter }), 'title', {}, `${name}: ${stages[run.letter]}`);
      if (run.letter === 't') element(this.svg, 'rect', { ...at, fill: 'url(#hatch)', 'pointer-events': 'none' });
      if (w > stages[run.letter].length * 6.2 + 8) {
        element(this.svg, 'text', { class: 'inside', x: x + 5, y: this.y + 26.5, 'pointer-events': 'none' }, stages[run.letter]);
      }
    }
    this.y += 34;
  }

  // counter draws numbers as lines with steps.
  counter(counter) {
    element(this.labels, 'text', { class: 'node halo', x: 6, y: this.y + 13 }, counter.Name);
    const top = this.y + 40, height = 60, most = Math.max(1, ...counter.Series.flatMap(series => series.Values));
    let legend = 6;
    counter.Series.forEach((series, i) => {
      element(this.labels, 'line', { class: 'series series-' + i, x1: legend, x2: legend + 18, y1: this.y + 25, y2: this.y + 25 });
      element(this.labels, 'text', { class: 'halo', x: legend + 22, y: this.y + 29 }, series.Name);
      legend += 34 + series.Name.length * 7;
    });
    for (const value of new Set([0, most])) {
      const y = top + height * (1 - value / most);
      element(this.lines, 'line', { class: 'grid-line', x1: 0, x2: this.width, y1: y, y2: y });
      element(this.labels, 'text', { class: 'soft halo', x: 6, y: y + 4 }, value);
    }
    counter.Series.forEach((series, i) => {
      let path = '';
      series.Values.forEach((value, step) => {
        // Lines that say the same stay apart by a pixel.
        path += `${step ? 'L' : 'M'}${this.places[step]},${top + height * (1 - value / most) + i * 1.5}H${this.places[step + 1]}`;
      });
      element(this.svg, 'path', { class: 'series series-' + i, d: path });
    });
    this.y = top + height + 12;
  }

  letters() {
    let last = -99;
    for (const mark of this.marks) {
      if (mark.Step < 0) continue;
      const x = this.places[mark.Step];
      element(this.lines, 'line', { class: 'mark-line', x1: x, x2: x, y1: 20, y2: this.bottom });
      const cx = Math.max(9, x);
      if (cx - last < 17) continue;
      last = cx;
      const dot = element(this.svg, 'g', {});
      element(dot, 'title', {}, mark.Text);
      element(dot, 'circle', { class: 'mark-dot', cx, cy: 12, r: 8 });
      element(dot, 'text', { x: cx, y: 16, 'text-anchor': 'middle' }, mark.letter);
    }
    if (!this.caption) return;
    const x = this.places[this.picture.Moment], text = '▲ ' + this.caption;
    element(this.svg, 'line', { class: 'moment-line', x1: x, x2: x, y1: 20, y2: this.bottom + 4 });
    element(this.svg, 'text', { class: 'broke', x: Math.max(2, Math.min(x - 5, this.width - text.length * 8.2)), y: this.bottom + 34 }, text);
  }

  axis() {
    const { Steps, Moment } = this.picture, taken = [];
    const order = [Moment, Steps.length - 1, ...Steps.keys()];
    for (const i of order) {
      const x = this.places[i], text = i === Moment && Steps[i] === 0 ? '0' : Geometry.offset(Steps[i]), w = text.length * 6.6 + 10;
      const from = x + w > this.width ? x - w : x;
      if (taken.some(([a, b]) => from < b && from + w > a)) continue;
      taken.push([from, from + w]);
      element(this.svg, 'text', { class: 'soft', x: from === x ? x + 1 : x - 3, y: this.bottom + 16, 'text-anchor': from === x ? 'start' : 'end' }, text);
    }
  }

  // stick keeps the labels in sight when the drawing is scrolled.
  stick(left) { this.labels.setAttribute('transform', `translate(${left},0)`); }

  stepAt(x) {
    let step = 0;
    while (step + 1 < this.picture.Steps.length && this.places[step + 1] <= x) step++;
    return step;
  }

  point(step) {
    const x = Math.max(1, this.places[step]);
    for (const end of ['x1', 'x2']) this.cursor.setAttribute(end, x);
    this.cursor.setAttribute('visibility', 'visible');
    return x;
  }
}

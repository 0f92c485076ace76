// A figure: a drawing with its tools, by pointer and by keyboard, and what happened at the change that is pointed at, in words.
class Figure {
  constructor(figure) {
    this.figure = figure;
    this.picture = JSON.parse(figure.querySelector('script').textContent);
    this.drawing = new Drawing(this.picture, figure.dataset.caption);
    this.box = figure.querySelector('.drawing');
    this.now = figure.querySelector('.now');
    this.rows = [...(figure.closest('.violation, main').querySelectorAll('tr[data-at]'))];
    this.zoom = 1;
    this.toScale = false;
    this.step = this.picture.Moment;
    this.legend();
    this.keys();
    this.listen();
    this.now.textContent = 'Point at the picture, or use the arrow keys in it, to read what happened.';
    this.draw();
    new ResizeObserver(() => { if (this.box.clientWidth !== this.drawnFor) this.draw(); }).observe(this.box);
  }

  draw(width = this.box.clientWidth) {
    if (!width) return;
    this.drawnFor = width;
    this.box.replaceChildren(this.drawing.draw(width - 2, this.zoom, this.toScale));
    this.drawing.stick(this.box.scrollLeft);
    if (this.pointed) this.drawing.point(this.step);
  }

  zoomTo(zoom) {
    const middle = (this.box.scrollLeft + this.box.clientWidth / 2) / this.drawing.width;
    this.zoom = Math.min(64, Math.max(.01, zoom));
    this.draw();
    this.box.scrollLeft = middle * this.drawing.width - this.box.clientWidth / 2;
  }

  do(what, button) {
    if (what === 'in') this.zoomTo(this.zoom * 1.5);
    if (what === 'out') this.zoomTo(this.zoom / 1.5);
    if (what === 'fit') { const full = this.drawing.width / this.zoom; this.zoomTo(Math.min(1, (this.box.clientWidth - 2) / full)); }
    if (what === 'scale') {
      this.toScale = !this.toScale;
      this.zoom = 1;
      button.setAttribute('aria-pressed', this.toScale);
      this.draw();
    }
  }

  listen() {
    for (const button of this.figure.querySelectorAll('[data-do]')) button.addEventListener('click', () => this.do(button.dataset.do, button));
    this.box.addEventListener('scroll', () => this.drawing.stick(this.box.scrollLeft), { passive: true });
    const pointed = event => this.point(this.drawing.stepAt(event.clientX - this.drawing.svg.getBoundingClientRect().left));
    this.box.addEventListener('pointermove', pointed);
    this.box.addEventListener('click', pointed);
    this.box.addEventListener('wheel', event => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoomTo(this.zoom * (event.deltaY < 0 ? 1.2 : 1 / 1.2));
    }, { passive: false });
    this.box.addEventListener('keydown', event => {
      const last = this.picture.Steps.length - 1;
      const to = { ArrowRight: Math.min(last, this.step + 1), ArrowLeft: Math.max(0, this.step - 1), Home: 0, End: last }[event.key];
      if (to !== undefined) this.point(to, true);
      else if (event.key === '+' || event.key === '=') this.do('in');
      else if (event.key === '-') this.do('out');
      else return;
      event.preventDefault();
    });
    for (const row of this.rows) row.addEventListener('pointerenter', () => this.point(this.stepBy(Number(row.dataset.at))));
  }

  stepBy(ms) {
    let step = 0;
    this.picture.Steps.forEach((at, i) => { if (Math.round(at / 1e6) <= ms) step = i; });
    return step;
  }

  point(step, reveal) {
    if (this.pointed && step === this.step && !reveal) return;
    this.pointed = true;
    this.step = step;
    const x = this.drawing.point(step);
    if (reveal && (x < this.box.scrollLeft || x > this.box.scrollLeft + this.box.clientWidth - 40)) this.box.scrollLeft = x - this.box.clientWidth / 2;
    const at = Math.round(this.picture.Steps[step] / 1e6);
    for (const row of this.rows) row.classList.toggle('here', Number(row.dataset.at) === at);
    this.now.textContent = `${step === this.picture.Moment ? '0' : Geometry.offset(this.picture.Steps[step])}: ${this.said(step).join('; ')}`;
  }

  // said is what happened at a step: marks, the events of that instant, and what no event says.
  said(step) {
    const at = Math.round(this.picture.Steps[step] / 1e6);
    const said = step === this.picture.Moment && this.drawing.caption ? [this.drawing.caption] : [];
    for (const mark of this.drawing.marks) if (mark.Step === step) said.push(mark.Text);
    for (const row of this.rows) if (Number(row.dataset.at) === at) said.push(row.cells[2].firstChild.textContent.trim());
    const lanes = (this.picture.Nodes ?? []).flatMap(node => node.Lanes ?? []);
    for (const lane of lanes) {
      const was = step ? lane.Life[step - 1] : lane.Life[0], is = lane.Life[step];
      if (was !== is && !said.some(text => text.includes(lane.Pod))) said.push(`${lane.Pod}: ${stages[was] ?? 'absent'} → ${stages[is] ?? 'gone'}`);
    }
    for (const counter of this.picture.Counters ?? []) {
      const changed = counter.Series.filter(series => step && series.Values[step] !== series.Values[step - 1]);
      if (changed.length) said.push(`${counter.Name}: ${changed.map(series => `${series.Name} ${series.Values[step]}`).join(', ')}`);
    }
    return said.length ? [...new Set(said)] : ['nothing changes'];
  }

  legend() {
    const used = new Set((this.picture.Nodes ?? []).flatMap(node => node.Lanes ?? []).flatMap(lane => [...lane.Life]));
    for (const [letter, name] of Object.entries(stages)) {
      if (!used.has(letter)) continue;
      const item = document.createElement('span'), svg = element(item, 'svg', { viewBox: '0 0 18 12', 'aria-hidden': 'true' });
      element(svg, 'rect', { class: 'st-' + letter, width: 18, height: 12, rx: 2 });
      if (letter === 't') element(svg, 'rect', { fill: 'url(#hatch)', width: 18, height: 12 });
      item.append(name);
      this.figure.querySelector('.legend').append(item);
    }
  }

  // keys are what the letters stand for.
  keys() {
    if (!this.drawing.marks.length) return;
    const list = document.createElement('ul');
    list.className = 'keys';
    for (const mark of this.drawing.marks) {
      const item = document.createElement('li'), letter = document.createElement('b'), at = document.createElement('time'), text = document.createElement('span');
      letter.textContent = mark.letter;
      at.textContent = Geometry.offset(mark.At);
      text.textContent = mark.Text;
      item.append(letter, at, text);
      list.append(item);
    }
    this.figure.querySelector('.legend').after(list);
  }
}

// The table of operations: only the rows that can be seen exist.

const ROW = 24;

class OpTable {
  // pick(op) is told which row was chosen.
  constructor(trace, panel, pick) {
    Object.assign(this, { trace, panel, pick });
    const { ops } = trace, name = type => typeName(trace, type), group = type => groupName(trace, type);
    const rank = texts => { // a number for each, so that sorting compares numbers
      const sorted = [...new Set(texts)].sort(), place = new Map(sorted.map((text, i) => [text, i]));
      return texts.map(text => place.get(text));
    };
    const byName = rank(trace.types.map((_, type) => name(type))), byGroup = rank(trace.types.map((_, type) => group(type)));
    const byText = rank(trace.texts);
    this.columns = [
      { title: 'Type', key: i => byName[ops.type[i]], cell: (div, i) => this.showType(div, i) },
      { title: 'Group', key: i => byGroup[ops.type[i]], cell: (div, i) => { div.textContent = group(ops.type[i]); } },
      { title: 'Begun at', key: i => byText[ops.site[i]], cell: (div, i) => { div.className = 'site'; div.textContent = trace.texts[ops.site[i]]; div.title = div.textContent; } },
      { title: 'Begin', number: true, key: i => ops.begin[i], cell: (div, i) => { div.textContent = showTime(ops.begin[i]); } },
      { title: 'Length', number: true, falling: true, key: i => lengthOf(trace, i), cell: (div, i) => { div.textContent = showTime(lengthOf(trace, i)); } },
      { title: 'Waiting', number: true, falling: true, key: i => waitedOf(trace, i), cell: (div, i) => { div.textContent = showTime(waitedOf(trace, i)); } },
      { title: 'Running', number: true, falling: true, key: i => ops.running[i], cell: (div, i) => { div.textContent = showTime(ops.running[i]); } },
      { title: 'Calls', number: true, falling: true, key: i => ops.calls[i], cell: (div, i) => { div.textContent = showCount(ops.calls[i]); } },
      { title: 'Result', key: i => ops.flags[i] & ENDED ? byText[ops.status[i]] : -1, falling: true, cell: (div, i) => { div.textContent = resultOf(trace, i) || 'ok'; div.className = resultOf(trace, i) ? 'bad' : 'quiet'; } },
    ];
    this.sorted = { column: this.columns[4], falling: true };
    this.rows = new Int32Array(0);
    this.active = 0;
    this.build();
  }

  showType(div, i) {
    const swatch = document.createElement('span');
    swatch.className = 'swatch';
    swatch.style.setProperty('--swatch', `hsl(${this.trace.groups[this.trace.groupOf[this.trace.ops.type[i]]].hue} 50% 52%)`);
    div.append(swatch, typeName(this.trace, this.trace.ops.type[i]));
  }

  build() {
    this.grid = make('div', { className: 'grid', tabIndex: 0, role: 'grid' });
    this.grid.setAttribute('aria-label', 'Operations');
    const head = make('div', { className: 'head', role: 'row' });
    for (const column of this.columns) {
      const button = make('button', { textContent: column.title, className: column.number ? 'num' : '', tabIndex: -1 });
      const cell = make('div', { role: 'columnheader' }, button);
      button.addEventListener('click', () => this.sortBy(column));
      column.head = cell;
      head.append(cell);
    }
    this.body = make('div', { className: 'body' });
    this.grid.append(head, this.body);
    this.panel.addEventListener('scroll', () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.panel);
    this.grid.addEventListener('keydown', event => this.key(event));
    this.body.addEventListener('click', event => {
      const row = event.target.closest('.row');
      if (row !== null) this.choose(Number(row.dataset.at));
    });
  }

  sortBy(column) {
    const { sorted } = this;
    this.sorted = { column, falling: sorted.column === column ? !sorted.falling : Boolean(column.falling) };
    this.show(this.rows);
  }

  // Show these operations.
  show(rows) {
    const { column, falling } = this.sorted, sign = falling ? -1 : 1;
    const keys = new Float64Array(this.trace.ops.count);
    for (const i of rows) keys[i] = column.key(i);
    this.rows = Int32Array.from(rows).sort((a, b) => (keys[a] - keys[b]) * sign || a - b);
    for (const each of this.columns) {
      if (each === column) each.head.setAttribute('aria-sort', falling ? 'descending' : 'ascending');
      else each.head.removeAttribute('aria-sort');
    }
    this.grid.setAttribute('aria-rowcount', String(this.rows.length));
    this.body.style.height = this.rows.length * ROW + 'px';
    this.active = 0;
    this.draw();
  }

  draw() {
    if (!this.grid.isConnected) return;
    const above = Math.max(0, Math.floor(this.panel.scrollTop / ROW) - 4);
    const below = Math.min(this.rows.length, above + Math.ceil(this.panel.clientHeight / ROW) + 8);
    const fragment = document.createDocumentFragment();
    for (let at = above; at < below; at++) fragment.append(this.row(at));
    this.body.replaceChildren(fragment);
  }

  row(at) {
    const i = this.rows[at], row = make('div', { className: 'row', role: 'row' });
    if (at % 2 === 1) row.classList.add('even');
    if (i === this.picked) row.classList.add('picked');
    row.dataset.at = String(at);
    row.setAttribute('aria-rowindex', String(at + 1));
    row.style.top = at * ROW + 'px';
    for (const column of this.columns) {
      const cell = make('div', { role: 'gridcell' });
      column.cell(cell, i);
      if (column.number) cell.classList.add('num');
      row.append(cell);
    }
    return row;
  }

  choose(at) {
    this.active = Math.max(0, Math.min(at, this.rows.length - 1));
    if (this.rows.length > 0) this.pick(this.rows[this.active]);
  }
  setPicked(op) {
    this.picked = op;
    this.draw();
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.panel.clientHeight / ROW) - 2);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity, Enter: 0 };
    if (!(event.key in moves) || this.rows.length === 0) return;
    event.preventDefault();
    const at = Math.max(0, Math.min(this.rows.length - 1, this.active + moves[event.key]));
    const top = at * ROW, room = this.panel.clientHeight - 2 * ROW;
    if (top < this.panel.scrollTop) this.panel.scrollTop = top;
    if (top > this.panel.scrollTop + room) this.panel.scrollTop = top - room;
    this.choose(at);
  }
}

function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name === 'role') element.setAttribute('role', value);
    else element[name] = value;
  }
  element.append(...children);
  return element;
}

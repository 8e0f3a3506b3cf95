// The timeline: a canvas that shows what lies between two times. Zoomed out, what is narrower than a
// pixel is drawn as one with its neighbours, so that a frame costs pixels, not events.

const AXIS = 22, CALL_ROW = 15, OP_ROW = 17, GAP = 16;

function palette(trace) {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const style = getComputedStyle(document.documentElement), read = name => style.getPropertyValue(name).trim();
  return {
    ink: read('--ink'), quiet: read('--quiet'), line: read('--line'), faint: read('--faint'),
    paper: read('--raised'), accent: read('--accent'), row: read('--row'),
    font: '11px ' + read('--sans'),
    soft: trace.groups.map(({ hue }) => dark ? `hsl(${hue} 26% 29%)` : `hsl(${hue} 58% 85%)`),
    solid: trace.groups.map(({ hue }) => dark ? `hsl(${hue} 48% 56%)` : `hsl(${hue} 52% 47%)`),
    onSolid: dark ? '#10141a' : '#ffffff',
  };
}

class Timeline {
  // listeners: hover(op, call, event), pick(op), range()
  constructor(trace, canvas, overview, listeners) {
    Object.assign(this, { trace, canvas, overview, listeners });
    this.calls = layoutCalls(trace);
    this.ops = layoutOps(trace);
    this.from = 0;
    this.to = trace.span;
    this.top = 0;
    this.matched = null; // of each operation: 1 if the filter leaves it; null: all
    this.picked = this.hovered = this.hoveredCall = -1;
    this.colors = palette(trace);
    this.density = this.countDensity(400);
    this.listen();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  // ---- places

  resize() {
    const scale = devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.overview]) {
      canvas.width = Math.max(1, Math.round(canvas.clientWidth * scale));
      canvas.height = Math.max(1, Math.round(canvas.clientHeight * scale));
    }
    this.width = Math.max(1, this.canvas.clientWidth);
    this.height = Math.max(1, this.canvas.clientHeight);
    this.scale = scale;
    this.clampTop();
    this.later();
  }

  get opsTop() {
    return this.calls.threads.length * GAP + this.calls.rows * CALL_ROW + GAP + 4;
  }
  get contentHeight() {
    return this.opsTop + this.ops.rows * OP_ROW + 12;
  }
  clampTop() {
    this.top = Math.max(0, Math.min(this.top, this.contentHeight - (this.height - AXIS)));
  }
  x(time) {
    return (time - this.from) / (this.to - this.from) * this.width;
  }
  time(x) {
    return this.from + x / this.width * (this.to - this.from);
  }
  // Of a row of callbacks: each thread has a line with its name above its first row.
  callY(row) {
    let threads = 0;
    while (threads < this.calls.threads.length && this.calls.threads[threads].row <= row) threads++;
    return AXIS - this.top + threads * GAP + row * CALL_ROW;
  }
  opY(row) {
    return AXIS - this.top + this.opsTop + row * OP_ROW;
  }

  // ---- moving

  show(from, to) {
    const { span } = this.trace, least = Math.min(span, 50);
    const width = Math.max(least, Math.min(to - from, span));
    const middle = (from + to) / 2;
    this.from = Math.max(0, Math.min(middle - width / 2, span - width));
    this.to = this.from + width;
    this.listeners.range();
    this.later();
  }
  zoom(factor, x = this.width / 2) {
    const at = this.time(x), width = Math.max(50, Math.min((this.to - this.from) * factor, this.trace.span));
    const from = at - x / this.width * width;
    this.show(from, from + width);
  }
  pan(dx, dy = 0) {
    const move = dx / this.width * (this.to - this.from);
    this.top += dy;
    this.clampTop();
    this.show(this.from + move, this.to + move);
  }
  fit() {
    this.top = 0;
    this.show(0, this.trace.span);
  }
  showOp(i) {
    const { ops } = this.trace, length = Math.max(ops.end[i] - ops.begin[i], 200);
    this.top = this.opsTop + this.ops.row[i] * OP_ROW - (this.height - AXIS) / 2;
    this.clampTop();
    this.show(ops.begin[i] - length * .4, ops.end[i] + length * .4);
  }
  showTimes(from, to) {
    const width = Math.max(to - from, 200);
    this.top = 0;
    this.show(from - width, to + width);
  }

  // ---- drawing

  later() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      const begun = performance.now();
      this.draw();
      this.drawOverview();
      this.canvas.dataset.frame = (performance.now() - begun).toFixed(2);
    });
  }

  draw() {
    const c = this.canvas.getContext('2d'), { colors } = this;
    c.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    c.fillStyle = colors.paper;
    c.fillRect(0, 0, this.width, this.height);
    c.font = colors.font;
    c.textBaseline = 'middle';
    this.drawGrid(c);
    this.drawCalls(c);
    this.drawOps(c);
    if (this.focus() >= 0) this.drawWay(c, this.focus());
    this.drawAxis(c);
    this.drawScroll(c);
  }

  // Times on the axis, each with its text; all in one unit, with as many digits as they need.
  ticks() {
    const wanted = (this.to - this.from) / Math.max(2, this.width / 110);
    let step = Math.pow(10, Math.floor(Math.log10(wanted)));
    step *= wanted / step > 5 ? 10 : wanted / step > 2 ? 5 : wanted / step > 1 ? 2 : 1;
    const [unit, size] = [['s', 1e9], ['ms', 1e6], ['µs', 1e3]].find(([, least]) => this.to >= least) || ['ns', 1];
    const digits = Math.max(0, Math.min(9, Math.ceil(Math.log10(size / step) - 1e-9))), list = [];
    for (let at = Math.ceil(this.from / step); at * step <= this.to && list.length < 200; at++)
      list.push([at * step, at === 0 ? '0' : (at * step / size).toFixed(digits) + ' ' + unit]);
    return list;
  }
  drawGrid(c) {
    c.fillStyle = this.colors.faint;
    for (const [time] of this.ticks()) c.fillRect(Math.round(this.x(time)), AXIS, 1, this.height);
  }
  drawAxis(c) {
    c.fillStyle = this.colors.paper;
    c.fillRect(0, 0, this.width, AXIS);
    c.fillStyle = this.colors.line;
    c.fillRect(0, AXIS - 1, this.width, 1);
    c.fillStyle = this.colors.quiet;
    for (const [time, text] of this.ticks()) c.fillText(text, Math.round(this.x(time)) + 4, AXIS / 2);
  }
  drawScroll(c) {
    const room = this.height - AXIS, all = this.contentHeight;
    if (all <= room) return;
    const size = Math.max(24, room * room / all);
    c.fillStyle = this.colors.line;
    c.fillRect(this.width - 6, AXIS + (room - size) * this.top / (all - room) + 2, 4, size - 4);
  }

  // Each of a row that can be seen, one for all that share a pixel.
  eachIn(byRow, row, begin, end, tell) {
    const { first, list } = byRow, last = first[row + 1];
    let at = lowerBound(list, begin, this.from, first[row], last);
    if (at > first[row]) at--;
    while (at < last) {
      const i = list[at], x0 = this.x(begin[i]);
      if (x0 > this.width) return;
      const x1 = this.x(end[i]);
      if (x1 < 0) {
        at++;
        continue;
      }
      tell(i, x0, x1);
      at++;
      if (x1 - x0 < 1) {
        const next = lowerBound(list, begin, this.time(Math.floor(x0) + 1), at, last);
        at = next > at && end[list[next - 1]] > this.time(Math.floor(x0) + 2) ? next - 1 : next;
      }
    }
  }

  // The first of the texts that fits, or what fits of the last; from its letters, not measured: that
  // would take longer than all the rest.
  label(c, texts, x0, x1, y, height, color) {
    const left = Math.max(x0, 0) + 5, letters = Math.floor((Math.min(x1, this.width) - left - 2) / 6);
    let text = texts.find(each => each.length <= letters);
    if (text === undefined) {
      if (letters < 5) return;
      text = texts[texts.length - 1].slice(0, letters - 1) + '…';
    }
    c.fillStyle = color;
    c.fillText(text, left, y + height / 2 + .5);
  }

  drawCalls(c) {
    const { calls } = this.trace, { colors } = this;
    for (const { thread, row, rows } of this.calls.threads) {
      const head = this.callY(row) - GAP;
      if (head > this.height) break;
      c.fillStyle = colors.quiet;
      if (head > AXIS - GAP) c.fillText(threadName(this.trace, thread), 6, head + GAP / 2 + 1);
      for (let at = row; at < row + rows; at++) {
        const y = this.callY(at);
        if (y < AXIS - CALL_ROW || y > this.height) continue;
        this.eachIn(this.calls.byRow, at, calls.begin, calls.end, (i, x0, x1) => {
          const left = Math.max(x0, -2), right = Math.min(x1, this.width + 2);
          const matched = this.isMatched(calls.op[i]);
          c.fillStyle = matched ? colors.solid[this.trace.groupOf[calls.type[i]]] : colors.faint;
          c.fillRect(left, y + 1, Math.max(right - left, 1), CALL_ROW - 2);
          if (right - left > 24)
            this.label(c, [this.trace.texts[calls.entry[i]] || typeName(this.trace, calls.type[i])], x0, x1, y, CALL_ROW, matched ? colors.onSolid : colors.quiet);
        });
      }
    }
  }

  isMatched(op) {
    return this.matched === null || (op >= 0 && this.matched[op] === 1);
  }

  drawOps(c) {
    const head = (y, text) => {
      c.fillStyle = this.colors.quiet;
      if (y > 0 && y < this.height) c.fillText(text, 6, y + GAP / 2 + 1);
    };
    if (this.ops.lastingRow > 0) head(this.opY(0) - GAP, 'operations');
    if (this.ops.lastingRow < this.ops.rows) head(this.opY(this.ops.lastingRow) - GAP, 'long-lived things');
    const firstRow = Math.max(0, Math.floor((this.top - this.opsTop) / OP_ROW));
    const lastRow = Math.min(this.ops.rows, Math.ceil((this.height - AXIS + this.top - this.opsTop) / OP_ROW));
    const { ops } = this.trace;
    for (let row = firstRow; row < lastRow; row++) {
      const y = this.opY(row);
      this.eachIn(this.ops.byRow, row, ops.begin, ops.end, (i, x0, x1) => this.drawOp(c, i, x0, x1, y, this.isMatched(i)));
    }
  }

  // Waiting is soft, in a queue hatched, running is solid; what was never destroyed has an open end.
  drawOp(c, i, x0, x1, y, matched) {
    const { ops, callsOf, calls } = this.trace, { colors } = this;
    const group = this.trace.groupOf[ops.type[i]];
    const left = Math.max(x0, -2), right = Math.min(x1, this.width + 2), wide = right - left;
    if (wide < 2) {
      c.fillStyle = matched ? colors.solid[group] : colors.faint;
      c.globalAlpha = .75;
      c.fillRect(left, y + 2, Math.max(wide, 1), OP_ROW - 4);
      c.globalAlpha = 1;
      return;
    }
    c.fillStyle = matched ? colors.soft[group] : colors.faint;
    c.fillRect(left, y + 1.5, wide - .5, OP_ROW - 3);
    const name = typeName(this.trace, ops.type[i]), texts = [name + '  ' + showTime(lengthOf(this.trace, i)), name];
    if (!matched) {
      if (wide >= 24) this.label(c, texts, x0, x1, y, OP_ROW, colors.quiet);
      return;
    }
    if (ops.queued[i] > 0) this.drawQueued(c, left, Math.min(this.x(ops.begin[i] + ops.queued[i]), right), y);
    c.fillStyle = colors.solid[group];
    c.fillRect(left, y + 1.5, x0 >= 0 ? Math.min(2, wide) : 0, OP_ROW - 3);
    const { first, list } = callsOf;
    if (wide > 8 && first[i + 1] - first[i] < 200) {
      for (let at = first[i]; at < first[i + 1]; at++) {
        const from = this.x(calls.begin[list[at]]), to = this.x(calls.end[list[at]]);
        if (to > 0 && from < this.width) c.fillRect(from, y + 1.5, Math.max(1, to - from), OP_ROW - 3);
      }
    }
    if (!(ops.flags[i] & ENDED)) this.drawOpenEnd(c, x1, y);
    if (wide < 24) return;
    this.label(c, texts, x0, x1, y, OP_ROW, colors.ink);
  }
  // In a queue nothing is done for it: hatched.
  drawQueued(c, left, right, y) {
    if (right - left < 3) return;
    c.save();
    c.beginPath();
    c.rect(left, y + 1.5, right - left, OP_ROW - 3);
    c.clip();
    c.beginPath();
    for (let x = left - OP_ROW; x < right; x += 6) {
      c.moveTo(x, y + OP_ROW);
      c.lineTo(x + OP_ROW, y);
    }
    c.strokeStyle = this.colors.paper;
    c.lineWidth = 2;
    c.stroke();
    c.restore();
  }
  drawOpenEnd(c, x1, y) {
    c.fillStyle = this.colors.paper;
    for (let k = 0; k < 3; k++) c.fillRect(x1 - 4 - k * 6, y + 1, 2, OP_ROW - 2);
  }

  // ---- causality: the operation, its parents, the callback it was begun in, those it ran

  focus() {
    return this.hovered >= 0 ? this.hovered : this.picked;
  }
  way(i) {
    const list = [];
    for (; i >= 0 && list.length < 100; i = this.trace.ops.parent[i]) list.push(i);
    return list;
  }

  drawWay(c, op) {
    const { trace, colors } = this, { ops, calls } = trace, way = this.way(op);
    c.globalAlpha = .62;
    c.fillStyle = colors.paper;
    c.fillRect(0, AXIS, this.width, this.height);
    c.globalAlpha = 1;
    for (const i of way) {
      const y = this.opY(this.ops.row[i]), x0 = this.x(ops.begin[i]), x1 = Math.max(this.x(ops.end[i]), x0 + 2);
      if (x1 < 0 || x0 > this.width) continue;
      this.drawOp(c, i, x0, x1, y, true);
      c.strokeStyle = i === op ? colors.accent : colors.quiet;
      c.lineWidth = i === op ? 2 : 1;
      c.strokeRect(Math.max(x0, -4), y + 1, Math.min(x1, this.width + 4) - Math.max(x0, -4), OP_ROW - 2);
    }
    c.strokeStyle = colors.quiet;
    c.lineWidth = 1;
    c.beginPath();
    for (let k = 0; k + 1 < way.length; k++) {
      const x = Math.round(this.x(ops.begin[way[k]])) + .5;
      const from = this.opY(this.ops.row[way[k + 1]]), to = this.opY(this.ops.row[way[k]]);
      c.moveTo(x, from < to ? from + OP_ROW - 2 : from + 2);
      c.lineTo(x, from < to ? to + 2 : to + OP_ROW - 2);
    }
    c.stroke();
    const { first, list } = trace.callsOf;
    for (let at = first[op]; at < Math.min(first[op + 1], first[op] + 200); at++) this.drawCall(c, list[at], false);
    const cause = causeOf(trace, op);
    if (cause >= 0) {
      this.drawCall(c, cause, true);
      this.drawCause(c, this.x(ops.begin[op]), this.callY(this.calls.row[cause]) + CALL_ROW - 1, this.opY(this.ops.row[op]) + 1);
    }
  }
  drawCall(c, i, isCause) {
    const { calls } = this.trace, y = this.callY(this.calls.row[i]);
    const x0 = this.x(calls.begin[i]), x1 = Math.max(this.x(calls.end[i]), x0 + 1.5);
    if (x1 < 0 || x0 > this.width) return;
    c.fillStyle = this.colors.solid[this.trace.groupOf[calls.type[i]]];
    c.fillRect(Math.max(x0, -2), y + 1, Math.min(x1, this.width + 2) - Math.max(x0, -2), CALL_ROW - 2);
    c.strokeStyle = isCause ? this.colors.quiet : this.colors.accent;
    c.lineWidth = 1.5;
    c.strokeRect(Math.max(x0, -4), y + .5, Math.min(x1, this.width + 4) - Math.max(x0, -4), CALL_ROW - 1);
  }
  drawCause(c, x, from, to) {
    c.strokeStyle = this.colors.accent;
    c.lineWidth = 1;
    c.setLineDash([3, 3]);
    c.beginPath();
    c.moveTo(Math.round(x) + .5, from);
    c.lineTo(Math.round(x) + .5, to);
    c.stroke();
    c.setLineDash([]);
  }

  // ---- the overview: how busy the threads were, and which part is shown

  countDensity(size) {
    const { calls, span } = this.trace, density = new Float64Array(size);
    for (let i = 0; i < calls.count; i++) {
      const from = calls.begin[i] / span * size, to = calls.end[i] / span * size;
      for (let k = Math.floor(from); k < Math.min(size, to); k++)
        density[k] += (Math.min(k + 1, to) - Math.max(k, from)) * calls.self[i] / Math.max(1, calls.end[i] - calls.begin[i]);
    }
    return density;
  }
  drawOverview() {
    const c = this.overview.getContext('2d'), { colors, density } = this;
    const width = this.overview.clientWidth, height = this.overview.clientHeight, most = Math.max(1e-9, ...density);
    c.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    c.fillStyle = colors.paper;
    c.fillRect(0, 0, width, height);
    c.fillStyle = colors.quiet;
    c.globalAlpha = .55;
    for (let k = 0; k < density.length; k++) {
      const tall = density[k] / most * (height - 4);
      c.fillRect(k / density.length * width, height - tall, width / density.length, tall);
    }
    c.globalAlpha = .2;
    c.fillStyle = colors.accent;
    const x0 = this.from / this.trace.span * width, x1 = Math.max(this.to / this.trace.span * width, x0 + 2);
    c.fillRect(x0, 0, x1 - x0, height);
    c.globalAlpha = 1;
    c.fillRect(x0, 0, 1, height);
    c.fillRect(x1 - 1, 0, 1, height);
  }

  // ---- pointers and keys

  // What is at a place: {op, call}, -1 each if nothing is. A pixel on either side counts.
  at(x, y) {
    const found = { op: -1, call: -1 };
    if (y < AXIS) return found;
    const { ops, calls } = this.trace;
    const row = Math.floor((y - this.opY(0)) / OP_ROW);
    if (row >= 0 && row < this.ops.rows) found.op = this.nearest(this.ops.byRow, row, ops.begin, ops.end, x);
    for (let at = 0; row < 0 && at < this.calls.rows; at++)
      if (y >= this.callY(at) && y < this.callY(at) + CALL_ROW) found.call = this.nearest(this.calls.byRow, at, calls.begin, calls.end, x);
    if (found.call >= 0) found.op = calls.op[found.call];
    return found;
  }
  nearest(byRow, row, begin, end, x) {
    const { first, list } = byRow, slack = this.time(2) - this.time(0), time = this.time(x);
    const after = lowerBound(list, begin, time, first[row], first[row + 1]);
    for (let at = after - 1; at >= first[row] && at > after - 4; at--)
      if (end[list[at]] + slack >= time) return list[at];
    return after < first[row + 1] && begin[list[after]] - slack <= time ? list[after] : -1;
  }

  listen() {
    const { canvas, overview } = this;
    canvas.addEventListener('wheel', event => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 16 : 1;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan((event.deltaX || event.deltaY) * lines);
      else if (event.altKey) this.pan(0, event.deltaY * lines);
      else this.zoom(Math.exp(Math.max(-300, Math.min(300, event.deltaY * lines)) * .0022), event.offsetX);
      this.hover(event);
    }, { passive: false });
    let drag = null;
    canvas.addEventListener('pointerdown', event => {
      drag = { x: event.offsetX, y: event.offsetY, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', event => {
      if (drag === null) return this.hover(event);
      if (!drag.moved && Math.hypot(event.offsetX - drag.x, event.offsetY - drag.y) < 4) return undefined;
      drag.moved = true;
      canvas.classList.add('dragging');
      this.pan(drag.x - event.offsetX, drag.y - event.offsetY);
      drag.x = event.offsetX;
      drag.y = event.offsetY;
      return undefined;
    });
    canvas.addEventListener('pointerup', event => {
      canvas.classList.remove('dragging');
      if (drag !== null && !drag.moved) this.listeners.pick(this.at(event.offsetX, event.offsetY).op, false);
      drag = null;
    });
    canvas.addEventListener('pointercancel', () => { drag = null; });
    canvas.addEventListener('pointerleave', () => this.hover(null));
    canvas.addEventListener('dblclick', event => {
      const { op } = this.at(event.offsetX, event.offsetY);
      if (op >= 0) this.showOp(op);
    });
    canvas.addEventListener('keydown', event => this.key(event));
    const jump = event => {
      const at = event.offsetX / overview.clientWidth * this.trace.span, half = (this.to - this.from) / 2;
      this.show(at - half, at + half);
    };
    overview.addEventListener('pointerdown', event => {
      overview.setPointerCapture(event.pointerId);
      jump(event);
    });
    overview.addEventListener('pointermove', event => { if (event.buttons & 1) jump(event); });
  }

  hover(event) {
    const found = event === null ? { op: -1, call: -1 } : this.at(event.offsetX, event.offsetY);
    if (found.op !== this.hovered || found.call !== this.hoveredCall) this.later();
    this.hovered = found.op;
    this.hoveredCall = found.call;
    this.listeners.hover(found.op, found.call, event);
  }

  // True: the key meant something here.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const moves = {
      ArrowLeft: () => this.pan(-this.width / 8), ArrowRight: () => this.pan(this.width / 8),
      ArrowUp: () => this.pan(0, -3 * OP_ROW), ArrowDown: () => this.pan(0, 3 * OP_ROW),
      PageUp: () => this.pan(0, -this.height / 2), PageDown: () => this.pan(0, this.height / 2),
      '+': () => this.zoom(.6), '=': () => this.zoom(.6), '-': () => this.zoom(1 / .6), 0: () => this.fit(),
      Home: () => this.show(0, this.to - this.from),
      End: () => this.show(this.trace.span - (this.to - this.from), this.trace.span),
    };
    if (!(event.key in moves)) return false;
    moves[event.key]();
    event.preventDefault();
    return true;
  }
}

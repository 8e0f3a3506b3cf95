// Tables that can be sorted by each column, filtered, and are short until somebody wants all of it.
const FEW = 12, FILTERED = 24; // rows that are shown at first; from how many on they can be filtered

// columns: { title, num, value(row), cell(row) }; sorted: the column it begins with, descending.
function table(host, label, columns, rows, sorted) {
  const state = { column: sorted, down: true, all: false, wanted: '' };
  const heads = columns.map((column, i) => h('th', { scope: 'col', class: column.num ? 'num' : '' },
    h('button', { type: 'button', onclick: () => sort(i) }, column.title)));
  const body = h('tbody');
  const more = h('button', { type: 'button', class: 'more', onclick: () => { state.all = !state.all; draw(); } });
  const filter = rows.length > FILTERED ? filterField(label, text => { state.wanted = text; draw(); }) : null;

  function sort(i) {
    state.down = state.column === i ? !state.down : columns[i].num === true;
    state.column = i;
    draw();
  }

  function draw() {
    const { value } = columns[state.column];
    const matching = rows.filter(row => state.wanted === '' || row.text.includes(state.wanted));
    matching.sort((a, b) => {
      const one = value(a), other = value(b);
      return (one < other ? -1 : one > other ? 1 : 0) * (state.down ? -1 : 1);
    });
    heads.forEach((head, i) => {
      if (i === state.column) head.setAttribute('aria-sort', state.down ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
    body.replaceChildren(...matching.slice(0, state.all ? undefined : FEW).map(row =>
      h('tr', {}, ...columns.map(column => h('td', { class: column.num ? 'num' : '' }, column.cell(row))))));
    more.hidden = matching.length <= FEW;
    more.textContent = state.all ? 'Show fewer' : `Show all ${count(matching.length)}`;
  }

  if (filter !== null) host.querySelector('.head').append(filter);
  host.append(h('div', { class: 'scroll' }, h('table', { 'aria-label': label }, h('thead', {}, h('tr', {}, ...heads)), body)), more);
  draw();
}

function filterField(label, changed) {
  return h('input', {
    type: 'search', class: 'filter', placeholder: 'Filter', 'aria-label': 'Filter: ' + label, spellcheck: 'false', autocomplete: 'off',
    oninput: event => changed(event.target.value.trim().toLowerCase()),
  });
}

// A length beside a number: the part of the greatest.
const meter = (part, key) => h('span', { class: 'meter', '--part': (100 * part).toFixed(2) + '%' }, h('i', { class: key || '' }));

'use strict';
const table = document.querySelector('.loans');
const search = document.querySelector('[role=search]');
const plain = text => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
const order = new Intl.Collator(document.documentElement.lang, {numeric: true});
const parts = [...table.tBodies].map(body => {
  const [head, ...rows] = body.rows;
  return {body, rows: rows.map(row => ({row, text: plain(head.textContent + ' ' + row.textContent)}))};
});

const find = search.querySelector('input');
const said = search.querySelector('output');
find.addEventListener('input', () => {
  const words = plain(find.value).split(/\s+/);
  let shown = 0;
  for (const {body, rows} of parts) {
    let some = 0;
    for (const {row, text} of rows) {
      row.hidden = !words.every(word => text.includes(word));
      some += !row.hidden;
    }
    body.hidden = !some;
    shown += some;
  }
  said.textContent = said.dataset.text.replace('#', shown);
});

const key = (row, column) => {
  const cell = row.cells[column];
  return cell.querySelector('time')?.dateTime ?? cell.textContent;
};
const heads = [...table.tHead.rows[0].cells];
heads.forEach((head, column) => {
  // It says the same as the date.
  if (head.className === 'when') return;
  const button = document.createElement('button');
  button.type = 'button';
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener('click', () => {
    const sign = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
    for (const other of heads) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
    for (const {body, rows} of parts) {
      rows.sort((a, b) => sign * order.compare(key(a.row, column), key(b.row, column)));
      body.append(...rows.map(part => part.row));
    }
  });
});
search.hidden = false;

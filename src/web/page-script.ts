import { verbatim } from './html.ts';

/** Marks a request of the script, which the visitor does not see. */
export const REFRESH_HEADER = 'x-refresh';

/**
 * The script of every page. Pages work without it. Relative times use the server's clock, because practice can move it.
 *
 * All regions are refreshed together, from one answer, so that a page shows one state. A region in use (it has the focus, an open disclosure, a ticked row or selected text) is not replaced, but becomes stale, and is
 * replaced as soon as the reader leaves it. The stream is open only while the page is visible, because a browser opens few
 * connections to a host.
 */
export const pageScript = verbatim`
let ahead;
const setClock = (page) => { ahead = Number(page.documentElement.dataset.now) - Date.now(); };
setClock(document);
const [minute, hour, day] = [60e3, 3600e3, 86400e3];
const words = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

function ago(time) {
  const ms = Date.parse(time.dateTime) - (Date.now() + ahead);
  const size = Math.abs(ms);
  if (size < minute) return ms > 0 ? 'in a moment' : 'just now';
  const unit = size < hour - minute / 2 ? 'minute' : size < 2 * day - hour / 2 ? 'hour' : 'day';
  return words.format(Math.sign(ms) * Math.round(size / { minute, hour, day }[unit]), unit);
}

function activate(root) {
  for (const button of root.querySelectorAll('[data-copy]')) button.hidden = false;
  for (const time of root.querySelectorAll('time[data-ago]')) time.textContent = ago(time);
}

async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(source);
    button.textContent = 'Selected: press Ctrl+C';
  }
  setTimeout(() => { button.textContent = label; }, 2500);
}

const regions = [...document.querySelectorAll('.region')];
const stale = new Set();
// As the server sent it: what has not changed is left alone, so that a screen reader does not repeat an alert.
const sent = new Map(regions.map((region) => [region, region.innerHTML]));
let isFetching = false;

// As long as the style marks a new row.
const FRESH_MS = 4000;
const freshSince = new Map();

const IN_USE = 'details[open], .tick :checked, :active, :focus-visible, :focus:not([role=group])';

function inUse(region) {
  const selection = getSelection();
  const isRead = !selection.isCollapsed && region.contains(selection.anchorNode);
  return isRead || region.querySelector(IN_USE) !== null;
}

async function freshPage() {
  const answer = await fetch(location.href, { headers: { accept: 'text/html', '${REFRESH_HEADER}': '1' } });
  if (!answer.ok || answer.redirected) return null;
  return new DOMParser().parseFromString(await answer.text(), 'text/html');
}

async function catchUp() {
  const due = [...stale].filter((region) => !inUse(region));
  for (const region of regions) region.classList.toggle('stale', stale.has(region) && !due.includes(region));
  if (document.hidden || isFetching || due.length === 0) return;
  isFetching = true;
  for (const region of due) stale.delete(region);
  const page = await freshPage().catch(() => null);
  isFetching = false;
  document.querySelector('.outdated').hidden = page !== null;
  if (page !== null) setClock(page);
  for (const region of due) if (page === null || inUse(region)) stale.add(region); else replace(region, page);
  if (page !== null) catchUp();
}

function replace(region, page) {
  const fresh = page.getElementById(region.id);
  if ('refresh' in region.dataset) region.dataset.refresh = fresh?.dataset.refresh ?? '';
  const markup = fresh?.innerHTML ?? '';
  if (markup === sent.get(region)) return;
  sent.set(region, markup);
  const rows = () => [...region.querySelectorAll('[data-key]')];
  const known = new Set(rows().map((row) => row.dataset.key));
  const read = rows().find((row) => row.getBoundingClientRect().top > 0);
  const top = read?.getBoundingClientRect().top;
  region.replaceChildren(...(fresh?.childNodes ?? []));
  activate(region);
  for (const row of rows()) {
    if (!known.has(row.dataset.key)) freshSince.set(row.dataset.key, performance.now());
    // New rows do not move the ones that are being read.
    else if (row.dataset.key === read?.dataset.key && region.getBoundingClientRect().top < 0)
      scrollBy(0, row.getBoundingClientRect().top - top);
  }
  markFresh(rows());
}

// A refresh that follows soon goes on with the mark where the last one was.
function markFresh(rows) {
  const now = performance.now();
  for (const [key, since] of freshSince) if (now - since >= FRESH_MS) freshSince.delete(key);
  for (const row of rows) {
    const since = freshSince.get(row.dataset.key);
    if (since === undefined) continue;
    row.classList.add('fresh');
    row.style.setProperty('--fresh-for', (since - now) + 'ms');
  }
}

function outdate() {
  for (const region of regions) stale.add(region);
  catchUp();
}

const path = document.querySelector('[data-live]')?.dataset.live;
let stream = null;
let retry = 0;

function follow() {
  if (!path || document.hidden || stream !== null) return;
  stream = new EventSource(path);
  stream.addEventListener('open', () => outdate());
  stream.addEventListener('change', () => outdate());
  stream.addEventListener('error', () => { retry ||= setTimeout(again, 5000); });
}

function unfollow() {
  stream?.close();
  stream = null;
}

// The browser reconnects on its own, unless the server refused the stream. Meanwhile the page asks now and then.
function again() {
  retry = 0;
  if (stream === null || stream.readyState === EventSource.OPEN) return;
  if (stream.readyState === EventSource.CLOSED) unfollow();
  follow();
  retry = setTimeout(again, 15000);
  outdate();
}

document.querySelector('.tabs [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
addEventListener('click', (event) => {
  const button = event.target.closest('[data-copy]');
  if (button) copy(button);
});
for (const leaving of ['focusout', 'toggle', 'pointerup', 'selectionchange'])
  document.addEventListener(leaving, () => setTimeout(catchUp), true);
document.addEventListener('visibilitychange', () => {
  if (document.hidden) unfollow();
  else follow();
  catchUp();
});
// How often, and whether at all, is as the last answer says.
function refreshLater() {
  const seconds = Math.min(...regions.map((region) => Number(region.dataset.refresh) || Infinity));
  if (seconds < Infinity) setTimeout(() => { outdate(); refreshLater(); }, seconds * 1000);
}
refreshLater();
setInterval(() => activate(document), 30000);
activate(document);
follow();
`;

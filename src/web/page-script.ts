import { verbatim } from './html.ts';

/**
 * The script of every page. Pages work without it. Relative times use the server's clock, because practice can move it.
 * A region is not refreshed while the reader types in it or has opened a row.
 */
export const pageScript = verbatim`
const ahead = Number(document.documentElement.dataset.now) - Date.now();
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

const inUse = (region) => region.contains(document.activeElement) || region.querySelector('details[open]');

async function refresh(region) {
  if (document.hidden || inUse(region)) return;
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => null);
  if (!answer?.ok || answer.redirected || inUse(region)) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById(region.id);
  if (!fresh) return;
  region.replaceChildren(...fresh.childNodes);
  activate(region);
}

document.querySelector('.tabs [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
addEventListener('click', (event) => {
  const button = event.target.closest('[data-copy]');
  if (button) copy(button);
});
for (const region of document.querySelectorAll('[data-refresh]')) {
  setInterval(() => refresh(region), Number(region.dataset.refresh) * 1000);
}
setInterval(() => activate(document), 30000);
activate(document);
`;

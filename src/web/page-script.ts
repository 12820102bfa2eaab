import { verbatim } from './html.ts';

/**
 * What a browser runs for comfort; every page works without it. Relative times count from the server's clock, since
 * practice moves that one. A region that somebody is reading or typing in is not refreshed under their hands.
 */
export const pageScript = verbatim`
const ahead = Number(document.documentElement.dataset.now) - Date.now();
const UNITS = [['day', 86400e3], ['hour', 3600e3], ['minute', 60e3]];
const words = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });

function ago(time) {
  const ms = Date.parse(time.dateTime) - (Date.now() + ahead);
  const unit = UNITS.find(([, size]) => Math.abs(ms) >= size);
  return unit ? words.format(Math.trunc(ms / unit[1]), unit[0]) : ms > 0 ? 'in a moment' : 'just now';
}

function enliven(root) {
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
  enliven(region);
}

document.querySelector('.tabs [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
addEventListener('click', (event) => {
  const button = event.target.closest('[data-copy]');
  if (button) copy(button);
});
for (const region of document.querySelectorAll('[data-refresh]')) {
  setInterval(() => refresh(region), Number(region.dataset.refresh) * 1000);
}
setInterval(() => enliven(document), 30000);
enliven(document);
`;

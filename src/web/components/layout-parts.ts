import { type Content, type Html, html, isEmpty, quoted } from '../html.ts';
import type { Tone } from './tone.ts';

interface Card {
  /** Left out if the title of the page is enough. */
  readonly title?: string;
  readonly note?: Content;
  readonly actions?: Content;
  readonly body: Content;
}

export const card = ({ body, ...head }: Card): Html =>
  html`<section class="card">${cardHead(head)}<div class="card-body">${body}</div></section>`;

const cardHead = ({ title, note, actions }: Omit<Card, 'body'>): Html | null =>
  title === undefined
    ? null
    : html`<header class="card-head">
    <h2>${title}</h2>
    ${isEmpty(actions) ? null : html`<div class="actions">${actions}</div>`}
    ${isEmpty(note) ? null : html`<p class="card-note">${note}</p>`}
  </header>`;

/** Parts one below the other, with the page's spacing. */
export const stack = (...parts: readonly Content[]): Html => html`<div class="stack">${parts}</div>`;

/** Parts side by side if there is room. */
export const columns = (...parts: readonly Content[]): Html => html`<div class="columns">${parts}</div>`;

/** The same, three in a row if there is room. */
export const thirds = (...parts: readonly Content[]): Html =>
  html`<div class="columns thirds">${parts}</div>`;

interface Tile {
  readonly title: string;
  readonly href: string;
  readonly badge?: Content;
  readonly body?: Content;
}

/** A list of links, as tiles. */
export const tiles = (items: readonly Tile[]): Html =>
  html`<ul class="tiles">${items.map(
    ({ title, href, badge, body }) => html`<li><a class="tile" href="${href}">
      <span class="tile-line"><h2>${title}</h2>${badge}</span>
      ${isEmpty(body) ? null : html`<span class="soft">${body}</span>`}
    </a></li>`,
  )}</ul>`;

/** Many short entries, side by side. */
export const nameList = (names: readonly Content[]): Html =>
  html`<ul class="name-list">${names.map((name) => html`<li>${name}</li>`)}</ul>`;

/** Names and values. */
export const facts = (entries: readonly (readonly [name: string, value: Content])[]): Html =>
  html`<dl class="facts">${entries.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;

interface Figure {
  readonly label: string;
  readonly value: Content;
  readonly tone?: Tone;
}

/** A few large numbers. */
export const figures = (list: readonly Figure[]): Html =>
  html`<dl class="figures of-${list.length}">${list.map(
    ({ label, value, tone = 'idle' }) => html`<div class="${tone}"><dt>${label}</dt><dd>${value}</dd></div>`,
  )}</dl>`;

interface Tab {
  readonly label: string;
  readonly href: string;
  readonly current?: boolean;
  readonly count?: number;
}

/** Tabs are links, so that each has a URL and the Back button works. */
export const tabs = (label: string, list: readonly Tab[]): Html =>
  html`<nav class="tabs" aria-label="${label}"><ul>${list.map(
    (tab) =>
      html`<li><a href="${tab.href}"${tab.current && html` aria-current="page"`}>${quoted(tab.label)}${
        tab.count === undefined ? null : html`<span class="count">${tab.count}</span>`
      }</a></li>`,
  )}</ul></nav>`;

/** Links to views of one list, with the current one marked. */
export const pills = (label: string, list: readonly Omit<Tab, 'count'>[]): Html =>
  html`<nav aria-label="${label}"><ul class="pills">${list.map(
    ({ label: text, href, current }) =>
      html`<li><a href="${href}"${current && html` aria-current="page"`}>${text}</a></li>`,
  )}</ul></nav>`;

interface Pagination {
  /** Which rows are shown, such as `Newest 20`. */
  readonly shown: string;
  /** The link to the top of the list. */
  readonly newest: string | null;
  readonly older: string | null;
}

/** For lists that grow at the top. A page is identified by the row where it starts, because page numbers would shift. */
export const pagination = ({ shown, newest, older }: Pagination): Html =>
  html`<nav class="pagination" aria-label="Pages of this list">
    <span>${shown}</span>
    <span class="actions">
      ${newest !== null && html`<a class="button quiet small" href="${newest}" rel="prev">Newest</a>`}
      ${older !== null && html`<a class="button quiet small" href="${older}" rel="next">Older</a>`}
    </span>
  </nav>`;

/** A part of a page that is refreshed whenever the page's `live` and `refreshed` parts are. */
export const region = (id: string, body: Content): Html => html`<div class="region" id="${id}">${body}</div>`;

/** A part of a page that the script refreshes at this interval, with all others. */
export const refreshed = (id: string, everySeconds: number, body: Content): Html =>
  html`<div class="region" id="${id}" data-refresh="${everySeconds}">${body}</div>`;

/** A number beside a link of the menu; nothing if it is 0. On pages with live parts, it is refreshed with them. */
export const menuCount = (id: string, text: string | null, unit: string): Html =>
  html`<span class="region menu-count" id="${id}">${text !== null && html`${text}<span class="unseen"> ${unit}</span>`}</span>`;

/** Where pages with live parts hear of changes. */
export const LIVE_PATH = '/live';

/**
 * A part of a page that the script refreshes when the site says that something changed (`liveRoute`). The ID is unique on
 * the page. While a reader uses the part, it is left as it is, and refreshed as soon as they leave it.
 */
export const live = (id: string, body: Content): Html =>
  html`<div class="region" id="${id}" data-live="${LIVE_PATH}">${body}</div>`;

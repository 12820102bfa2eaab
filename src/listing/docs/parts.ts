import { type Column, type Content, code, type Html, html, table } from '../../web/kit.ts';
import type { Bound, FieldRow } from './fields.ts';

interface Section {
  /** The target of links to this section. */
  readonly id: string;
  readonly title: Content;
  /** Beside the title. */
  readonly beside?: Content;
  readonly note?: Content;
  readonly body: Content;
}

/** A card that can be linked to. */
export const section = ({ id, title, beside, note, body }: Section): Html =>
  html`<section class="card" id="${id}" aria-labelledby="${id}-title">
    <header class="card-head">
      <h2 id="${id}-title">${title}</h2>
      ${beside !== undefined && html`<div class="row">${beside}</div>`}
      ${note !== undefined && html`<p class="card-note">${note}</p>`}
    </header>
    <div class="card-body">${body}</div>
  </section>`;

/** Turns the code spans of a description into elements. */
export const marked = (text: string): Content =>
  text.split('`').map((part, index) => (index % 2 === 1 ? code(part) : part));

export const linkTo = (id: string, label: Content): Html => html`<a href="#${id}">${label}</a>`;

interface FieldTable {
  readonly caption: string;
  /** A description of all fields together. */
  readonly about?: string | undefined;
  readonly rows: readonly FieldRow[];
  readonly direction: 'sent' | 'received';
}

/** Names, types, bounds and meanings, under a heading. */
export function fieldTable({ caption, about, rows, direction }: FieldTable): Content {
  if (rows.length === 0) return null;
  const isRequired: Column<FieldRow> = {
    label: 'Required',
    cell: (row) => (row.isRequired ? 'yes' : 'no'),
    kind: 'brief',
  };
  return [
    html`<h3>${caption}</h3>`,
    about !== undefined && html`<p class="soft"><small>${marked(about)}</small></p>`,
    table<FieldRow>({
      caption,
      rows,
      empty: html``,
      columns: [
        { label: 'Name', cell: ({ name }) => code(name), kind: 'brief', onPhone: 'title' },
        { label: 'Type', cell: (row) => typeAndBounds(row, direction) },
        ...(direction === 'sent' ? [isRequired] : []),
        ...(rows.some(({ meaning }) => meaning !== '') ? [MEANING] : []),
      ],
    }),
  ];
}

const MEANING: Column<FieldRow> = {
  label: 'Meaning',
  cell: ({ meaning }) => marked(meaning),
  onPhone: 'block',
};

/** In one element, because a phone's layout puts the parts of a cell side by side. */
function typeAndBounds({ type, bounds, isRequired }: FieldRow, direction: FieldTable['direction']): Html {
  const mayBeAbsent = direction === 'received' && !isRequired;
  return html`<span>${type}${bounds.map(boundText)}${mayBeAbsent && ', can be missing'}</span>`;
}

const boundText = ({ words, exact = [] }: Bound): Content => [
  ', ',
  words,
  exact.map((value, place) => [place > 0 ? ', ' : ' ', code(value)]),
];

import { type Content, type Html, html } from '../html.ts';
import { type ButtonKind, hiddenFields, type Posting } from './button.ts';

interface ListForm extends Posting {
  readonly label: string;
  /** A list with ticks and buttons, and below it what can be done with the ticked rows. */
  readonly body: Content;
}

/** A form around a list: its rows have ticks and buttons, all of which send the same form. */
export const listForm = ({ label, body, ...posting }: ListForm): Html =>
  html`<form class="list-form" method="post" action="${posting.action}" aria-label="${label}">${hiddenFields(posting)}${body}</form>`;

interface Tick {
  readonly name: string;
  readonly value: string;
  /** What is ticked, for screen readers. */
  readonly label: string;
}

/** A live list with a ticked row is not refreshed, so that the tick stays. */
export const tick = ({ name, value, label }: Tick): Html =>
  html`<label class="tick"><input type="checkbox" name="${name}" value="${value}"><span class="unseen">${label}</span></label>`;

interface RowButton {
  readonly name: string;
  readonly value: string;
  readonly label: string;
  /** What it is about, for screen readers: its row. */
  readonly about: string;
  readonly kind?: ButtonKind;
}

/** Sends the form with this value besides what is ticked. */
export const rowButton = ({ name, value, label, about, kind = 'quiet' }: RowButton): Html =>
  html`<button class="button ${kind} small" type="submit" name="${name}" value="${value}">${label}<span class="unseen"> ${about}</span></button>`;

interface WithTicked {
  /** Unique on the page. */
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly submit: string;
  /** Besides the ticked rows, such as a link to do it with all. */
  readonly beside?: Content;
}

/** What to do with the ticked rows. */
export const withTicked = ({ id, name, label, choices, submit, beside }: WithTicked): Html =>
  html`<div class="with-ticked">
    <label for="${id}">${label}</label>
    <select class="input" id="${id}" name="${name}">${choices.map(
      ([value, text]) => html`<option value="${value}">${text}</option>`,
    )}</select>
    <button class="button quiet" type="submit">${submit}</button>
    ${beside}
  </div>`;

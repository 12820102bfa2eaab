import { type Content, type Html, html } from '../html.ts';

/** Use one primary button per page or form, quiet for the rest, and dangerous for what cannot be undone. */
export type ButtonKind = 'primary' | 'quiet' | 'dangerous' | 'final' | 'plain';

/** A form with only a button. Every change is a POST with the session's token. */
export interface Posting {
  readonly action: string;
  readonly csrf: string;
  /** Hidden fields. */
  readonly with?: Readonly<Record<string, string>>;
}

interface PostButton extends Posting {
  readonly label: string;
  readonly kind?: ButtonKind;
  readonly small?: boolean;
  /** Why the button is disabled; the server would refuse the request anyway. */
  readonly blocked?: string | null;
}

export const submitButton = (label: string, kind: ButtonKind = 'primary'): Html =>
  html`<button class="button ${kind}" type="submit">${label}</button>`;

export const linkButton = (label: Content, href: string, kind: ButtonKind = 'quiet'): Html =>
  html`<a class="button ${kind}" href="${href}">${label}</a>`;

export const postButton = ({ label, kind = 'quiet', small, blocked, ...posting }: PostButton): Html =>
  html`<form method="post" action="${posting.action}">
    ${hiddenFields(posting)}
    <button class="button ${kind}${small && ' small'}" type="submit"
      ${blocked && html`disabled title="${blocked}"`}>${label}</button>
  </form>`;

interface Confirmed extends Posting {
  /** The label of the button that opens the question. */
  readonly label: string;
  readonly question: Content;
  /** The label of the button that confirms; it names the action again. */
  readonly confirm: string;
  readonly small?: boolean;
}

/** Asks for confirmation in a disclosure, which works without script, unlike window.confirm. */
export const confirmedButton = ({ label, question, confirm, small, ...posting }: Confirmed): Html =>
  html`<details class="confirm">
    <summary class="button dangerous${small && ' small'}">${label}</summary>
    <div class="confirm-body">
      <p>${question}</p>
      <form method="post" action="${posting.action}">
        ${hiddenFields(posting)}
        <button class="button final" type="submit">${confirm}</button>
      </form>
    </div>
  </details>`;

export const actions = (...buttons: readonly Content[]): Html => html`<div class="actions">${buttons}</div>`;

export const hiddenFields = ({ csrf, with: fields = {} }: Omit<Posting, 'action'>): Html =>
  html`${Object.entries({ csrf, ...fields }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}`;

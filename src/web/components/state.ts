import { type Content, type Html, html, isEmpty } from '../html.ts';
import type { Tone } from './tone.ts';

interface StateSentence {
  readonly tone: Tone;
  /** For example `Listening on port 8192. 3 sites. Last vote 2 minutes ago.` */
  readonly sentence: Content;
  readonly detail?: Content;
}

/** How everything is, in one large sentence. One per page, at its top. */
export const stateSentence = ({ tone, sentence, detail }: StateSentence): Html =>
  html`<div class="state ${tone}">
    <span class="alert-sign" aria-hidden="true"></span>
    <div class="state-text"><p class="state-sentence">${sentence}</p>${isEmpty(detail) ? null : html`<p class="soft">${detail}</p>`}</div>
  </div>`;

export interface ProblemItem {
  readonly tone: 'bad' | 'warn' | 'busy';
  /** What is wrong, and where. */
  readonly sentence: Content;
  /** What to do. */
  readonly advice: Content;
  /** A button, where one click does it. */
  readonly action?: Content;
}

/** What needs the reader, the most urgent first. */
export const problemList = (label: string, items: readonly ProblemItem[]): Html =>
  html`<ul class="problems" aria-label="${label}">${items.map(
    ({ tone, sentence, advice, action }) => html`<li class="problem ${tone}">
      <span class="alert-sign" aria-hidden="true"></span>
      <div class="problem-text"><p class="problem-sentence">${sentence}</p><div class="problem-advice">${advice}</div></div>
      ${isEmpty(action) ? null : html`<div class="actions">${action}</div>`}
    </li>`,
  )}</ul>`;

export interface Step {
  readonly title: Content;
  readonly state: 'done' | 'current' | 'to-do';
  readonly body?: Content;
}

const STEP_STATES = { done: 'Done: ', current: 'Now: ', 'to-do': '' } as const;

/** The numbered steps of a guide, of which one is current. */
export const steps = (label: string, list: readonly Step[]): Html =>
  html`<ol class="steps" aria-label="${label}">${list.map(
    (
      { title, state, body },
      index,
    ) => html`<li class="step ${state}"${state === 'current' && html` aria-current="step"`}>
      <span class="step-sign" aria-hidden="true">${state === 'done' ? '✓' : index + 1}</span>
      <div class="step-text">
        <p class="step-title"><span class="unseen">${STEP_STATES[state]}</span>${title}</p>
        ${isEmpty(body) ? null : html`<div class="step-body">${body}</div>`}
      </div>
    </li>`,
  )}</ol>`;

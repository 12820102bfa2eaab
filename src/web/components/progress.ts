import { type Html, html } from '../html.ts';

interface Progress {
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

/** The progress of something, as a sentence and a bar. */
export const progress = ({ label, done, total }: Progress): Html =>
  html`<div class="progress"><p><strong>${label}</strong></p>
    <progress max="${Math.max(1, total)}" value="${done}" aria-label="${label}"></progress></div>`;

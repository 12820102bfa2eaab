import { verbatim } from '../html.ts';

/** Buttons, fields, alerts, secrets. */
export const controlStyle = verbatim`
.button {
  display: inline-flex; align-items: center; justify-content: center; gap: var(--space-2);
  min-height: 2.375rem; padding: 0.3125rem 0.875rem; border: 1px solid var(--accent); border-radius: var(--radius-small);
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; line-height: 1.3;
  text-decoration: none; text-align: center; cursor: pointer; list-style: none;
}
.button:hover { background: var(--accent-strong); border-color: var(--accent-strong); color: var(--on-accent); }
.button.quiet { background: var(--surface); border-color: var(--edge); color: var(--ink); font-weight: 500; }
.button.quiet:hover { background: var(--sunken); border-color: var(--ink-soft); }
.button.dangerous { background: var(--surface); border-color: var(--edge); color: var(--bad); font-weight: 500; }
.button.dangerous:hover { background: var(--bad-wash); border-color: var(--bad); }
.button.final { background: var(--bad); border-color: var(--bad); color: var(--on-bad); }
.button.final:hover { background: var(--bad-strong); border-color: var(--bad-strong); }
.button.plain { min-height: 0; padding: 0; border: 0; background: none; color: var(--ink-soft); font-weight: 400; line-height: inherit; text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: 0.18em; }
.button.plain:hover { color: var(--ink); background: none; }
.button:disabled { background: var(--sunken); border-color: var(--line); color: var(--ink-soft); cursor: not-allowed; }
.button.small { min-height: 1.75rem; padding: 0.125rem 0.625rem; font-size: var(--text-small); }
.actions { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-2); }
.actions form { display: contents; }
.actions > .region { display: contents; }

.confirm { position: relative; }
.confirm > summary { width: fit-content; }
.confirm > summary::-webkit-details-marker { display: none; }
.confirm[open] > summary { background: var(--bad-wash); border-color: var(--bad); }
.confirm-body { display: grid; gap: var(--space-3); justify-items: start; margin-top: var(--space-2); padding: var(--space-3) var(--space-4); border-left: 3px solid var(--bad); background: var(--bad-wash); max-width: 30rem; text-align: left; white-space: normal; }

.form { display: grid; gap: var(--space-4); grid-template-columns: minmax(0, 1fr); max-width: 34rem; }
.form .disclosure-body { gap: var(--space-4); }
.field { display: grid; gap: var(--space-1); grid-template-columns: minmax(0, 1fr); }
.field > label, .field > legend, fieldset > legend { font-weight: 600; }
.field .optional { font-weight: 400; color: var(--ink-soft); }
.hint { color: var(--ink-soft); font-size: var(--text-small); }
.fault { color: var(--bad); font-size: var(--text-small); font-weight: 600; display: flex; gap: var(--space-2); align-items: baseline; }
.fault::before, .alert.bad > .alert-sign::before { content: "!"; }
.fault::before { flex: none; display: inline-grid; place-items: center; width: 1.15em; height: 1.15em; border-radius: 50%; background: var(--bad); color: var(--on-bad); font-size: 0.85em; line-height: 1; font-weight: 700; }
.input {
  width: 100%; min-height: 2.375rem; padding: 0.375rem 0.625rem; border: 1px solid var(--edge); border-radius: var(--radius-small);
  background: var(--surface); color: var(--ink); font: inherit;
}
.input:focus-visible { outline-offset: 0; }
/* Browsers add some distance of their own inside these. */
select.input { padding-inline-start: 0.375rem; }
.input[type=date] { padding-block: 0.25rem; }
.input[aria-invalid] { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
.input.exact { font-family: var(--font-code); font-size: 0.92em; }
.field.brief .input { max-width: 8rem; }
textarea.input { min-height: 6.5rem; resize: vertical; line-height: 1.45; }
.choices { display: grid; gap: var(--space-2); margin-top: var(--space-1); }
.choice { display: grid; grid-template-columns: 1.125rem minmax(0, 1fr); gap: 0 var(--space-2); align-items: start; }
.choice input { width: 1.0625rem; height: 1.0625rem; margin: 0.2rem 0 0; accent-color: var(--accent); }
.choice .hint { grid-column: 2; }
.fields-row { display: flex; flex-wrap: wrap; gap: var(--space-4); align-items: start; }
.fields-row > .field { flex: 1 1 12rem; }
.fields-row > .field.brief { flex: 0 1 8rem; }

.filters { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(10.5rem, 100%), 1fr)); gap: var(--space-3) var(--space-4); align-items: end; }
.filters .field > label { font-size: var(--text-small); color: var(--ink-soft); font-weight: 500; }
.filters .actions { min-height: 2.375rem; gap: var(--space-3); }
.filters.compact { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-3); }
.filters.compact > .field { flex: 1 1 8.5rem; max-width: 15rem; }
.filters.compact > .field:first-child:nth-last-child(2) { max-width: 24rem; }
.progress { display: grid; gap: var(--space-2); }
.progress progress { width: 100%; height: 0.625rem; border: 0; border-radius: var(--radius-small); overflow: hidden; background: var(--sunken); accent-color: var(--accent); appearance: none; }
.progress progress::-webkit-progress-bar { background: var(--sunken); }
.progress progress::-webkit-progress-value { background: var(--accent); }
.progress progress::-moz-progress-bar { background: var(--accent); }

.alert { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: var(--space-1) var(--space-3); padding: var(--space-3) var(--space-4); border-radius: var(--radius); border: 1px solid; background: var(--accent-wash); border-color: var(--accent); }
.alert-sign { display: inline-grid; place-items: center; width: 1.25rem; height: 1.25rem; margin-top: 0.0625rem; border-radius: 50%; background: var(--accent); color: var(--accent-wash); font-size: var(--text-small); font-weight: 700; line-height: 1; }
.alert-sign::before { content: "i"; }
.alert-body { display: grid; gap: var(--space-1); }
.alert-body > div > :is(p, ul, form, .actions) + :is(p, ul, form, .actions) { margin-top: var(--space-3); }
.alert-title { font-weight: 650; }
.alert-body ul { display: grid; gap: var(--space-1); }
.alert-body a { color: inherit; }
.alert.good { background: var(--good-wash); border-color: var(--good); }
.alert.good > .alert-sign { background: var(--good); color: var(--good-wash); }
.alert.good > .alert-sign::before { content: "✓"; }
.alert.warn { background: var(--warn-wash); border-color: var(--warn); }
.alert.warn > .alert-sign { background: var(--warn); color: var(--warn-wash); }
.alert.warn > .alert-sign::before { content: "!"; }
.alert.bad { background: var(--bad-wash); border-color: var(--bad); }
.alert.bad > .alert-sign { background: var(--bad); color: var(--bad-wash); }
.focused { border-radius: var(--radius); }
.focused:focus-visible { outline-offset: 0; border-radius: var(--radius); }

.secret { display: grid; gap: var(--space-2); padding: var(--space-4); border: 1px solid var(--good); border-radius: var(--radius); background: var(--good-wash); }
.copy-line { display: flex; gap: var(--space-2); align-items: stretch; }
.copy-line code { flex: 1; min-width: 0; padding: 0.4375rem 0.75rem; border-radius: var(--radius-small); border: 1px solid var(--edge); background: var(--surface); user-select: all; overflow-wrap: anywhere; }
@media (max-width: 44rem) {
  .fields-row > .field.brief { flex-basis: 100%; }
  .filters.compact { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .filters.compact > .field { max-width: none; }
  .filters.compact:has(> :first-child:nth-last-child(2)) { grid-template-columns: minmax(0, 1fr) auto; }
  .filters.compact > .actions .button:not(.plain) { flex: 1; }
  .input { font-size: 1rem; min-height: 2.75rem; }
  .button, .button.small, .button.plain { min-height: 2.75rem; }
  .choice input { width: 1.375rem; height: 1.375rem; margin: 0.6875rem 0 0; }
  .choice { grid-template-columns: 1.375rem minmax(0, 1fr); }
  .choice label { min-height: 2.75rem; display: flex; align-items: center; }
  .choice .hint { margin-top: calc(-1 * var(--space-2)); }
  .choices { gap: 0; }
}
`;

import { verbatim } from '../html.ts';

export const calendarStyle = verbatim`
/* The newest week is at the right, so a narrow screen shows the right end first. */
.year-frame { direction: rtl; overflow-x: auto; padding: 0.125rem 0.125rem 0.5rem; scrollbar-width: thin; scrollbar-color: var(--line) transparent; border-radius: var(--radius-small); }
.year-days { direction: ltr; border-collapse: separate; border-spacing: 3px; margin: 0 auto 0 0; font-size: 0.75rem; line-height: 1; color: var(--ink-soft); }
.year-days thead th { padding: 0 0 0.1875rem; font-weight: 400; text-align: left; white-space: nowrap; }
.year-days tbody th { position: sticky; left: 0; z-index: 1; padding: 0 0.375rem 0 0; font-weight: 400; text-align: left; background: var(--surface); box-shadow: -0.5rem 0 var(--surface); }
.year-days tbody tr:nth-child(even) th > span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.year-days tbody td { position: relative; padding: 0; width: 0.9375rem; min-width: 0.9375rem; height: 0.9375rem; border-radius: 3px; }
.level-0 { --mark: var(--sunken); box-shadow: inset 0 0 0 1px var(--line); }
.level-1 { --mark: color-mix(in srgb, var(--accent) 30%, var(--surface)); }
.level-2 { --mark: color-mix(in srgb, var(--accent) 55%, var(--surface)); }
.level-3 { --mark: color-mix(in srgb, var(--accent) 78%, var(--surface)); }
.level-4 { --mark: var(--accent); }
.year-days [class^=level] { background: var(--mark); }
.year-days [class^=level], .swatch { forced-color-adjust: none; }
.year-days [class^=level]:hover { outline: 2px solid var(--ink); outline-offset: 1px; }

/* Text for screen readers that is also shown to those who point at its place. */
.tip { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
:hover > .tip { z-index: 2; width: auto; height: auto; overflow: visible; clip-path: none; padding: 0.375rem 0.5rem; border-radius: var(--radius-small); background: var(--ink); color: var(--surface); font-size: 0.75rem; line-height: 1.3; pointer-events: none; }
.year-days :hover > .tip { left: 50%; translate: -50% 0; }
.year-days tr:nth-child(-n+4) > :hover > .tip { top: calc(100% + 0.375rem); }
.year-days tr:nth-child(n+5) > :hover > .tip { bottom: calc(100% + 0.375rem); }
.year-days td:nth-child(-n+9):hover > .tip { left: 0; translate: none; }
.year-days td:nth-last-child(-n+8):hover > .tip { left: auto; right: 0; translate: none; }

.plain-table { font-size: var(--text-small); }
.plain-table :is(th, td) { padding: 0.3125rem var(--space-4) 0.3125rem 0; text-align: left; vertical-align: baseline; border-bottom: 1px solid var(--line); white-space: nowrap; }
.plain-table :is(th, td):last-child { padding-right: 0; white-space: normal; }
.plain-table thead th { color: var(--ink-soft); }
.plain-table tbody th { font-weight: 500; }
.plain-table tbody tr:last-child > * { border-bottom: 0; }
.plain-table .number { text-align: right; }

.month { display: grid; gap: var(--space-3); grid-template-columns: minmax(0, 1fr); }
.month-head { display: flex; justify-content: space-between; align-items: center; gap: var(--space-3); min-height: 1.75rem; }
.month-days { table-layout: fixed; width: 100%; font-size: var(--text-small); }
.month-days th { padding: 0 0 var(--space-1) var(--space-2); font-weight: 500; color: var(--ink-soft); text-align: left; }
.month-days td { height: 4.75rem; padding: var(--space-1) var(--space-2); border: 1px solid var(--line); vertical-align: top; }
.month-days td.none, .month-days td.outside { color: var(--ink-soft); }
.month-days td.outside { background: var(--canvas); }
.month-days time { font-weight: 600; }
.month-days .none time { font-weight: 400; }
.month-days .weekday { display: none; }
.month-days [aria-current] time { display: inline-grid; place-items: center; min-width: 1.5rem; height: 1.5rem; margin-left: -0.25rem; padding: 0 0.25rem; border-radius: 1rem; background: var(--accent); color: var(--on-accent); }
.month-content { display: grid; justify-items: start; gap: 0.125rem; margin-top: 0.125rem; line-height: 1.35; overflow-wrap: anywhere; }

@media (max-width: 44rem) {
  .month-days, .month-days tbody, .month-days tr { display: block; }
  .month-days thead, .month-days td.outside, .month-days td.none { display: none; }
  .month-days td { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr); height: auto; padding: var(--space-2) 0; border-width: 1px 0 0; }
  .month-days .weekday { display: inline; font-weight: 400; }
  .month-days [aria-current] time { place-items: start; margin: 0; background: none; color: var(--accent); }
  .month-content { margin: 0; }
}
`;

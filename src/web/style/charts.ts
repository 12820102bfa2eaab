import { verbatim } from '../html.ts';

export const chartStyle = verbatim`
.chart { display: grid; gap: var(--space-2); grid-template-columns: minmax(0, 1fr); }
.chart figcaption { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 var(--space-4); }
.chart figcaption strong { font-weight: 600; }
.chart svg { display: block; width: 100%; overflow: visible; }
.axes { --plot: 10rem; --above: 0.5rem; }
.axes .plot { position: relative; display: grid; grid-template-columns: auto minmax(0, 1fr); gap: var(--space-2); }
.y-axis { display: flex; flex-direction: column-reverse; justify-content: space-between; height: var(--plot); margin-top: var(--above); color: var(--ink-soft); font-size: 0.75rem; text-align: right; }
.y-axis li { height: 0; line-height: 0; white-space: nowrap; }
/* The newest column is at the right, so a narrow screen shows the right end first. */
.plot-frame { direction: rtl; overflow-x: auto; overflow-y: hidden; padding-top: var(--above); scrollbar-width: thin; scrollbar-color: var(--line) transparent; }
/* Grid, lines and columns lie on each other. They have no position, so that on a phone a tip can leave the frame. */
.plot-area { direction: ltr; display: grid; min-width: 100%; width: max-content; padding-bottom: 1.5rem; }
.plot-area > * { grid-area: 1 / 1; height: var(--plot); }
.plot-area > .grid { display: flex; flex-direction: column; border-bottom: 1px solid var(--edge); }
.plot-area > .grid > span { flex: 1; border-top: 1px solid var(--line); }
.plot-columns { display: flex; }
.column { position: relative; flex: 1 1 0; min-width: 0.25rem; }
.column-body { position: relative; display: block; height: 100%; }
.column-body > input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; }
.chart .column-body > svg { position: absolute; inset: 0 11%; width: 78%; height: 100%; pointer-events: none; }
.column:hover > .column-body, .column-body:has(:focus-visible) { background: color-mix(in srgb, var(--ink) 9%, transparent); }
.column-body:has(:focus-visible) { outline: 2px solid var(--accent); outline-offset: -1px; border-radius: 2px; }
/* A line of the background between the parts of a bar. */
.column rect { stroke: var(--surface); stroke-width: 1; }
.column:hover > .tip, .plot-columns:not(:hover) > .column:focus-within > .tip { z-index: 2; top: 0; display: grid; gap: 0.125rem; width: max-content; max-width: 15rem; height: auto; overflow: visible; clip-path: none; padding: 0.375rem 0.5rem; border-radius: var(--radius-small); background: var(--ink); color: var(--surface); font-size: 0.75rem; line-height: 1.35; white-space: normal; pointer-events: none; }
.column.early > .tip { left: calc(100% + 0.25rem); }
.column.late > .tip { right: calc(100% + 0.25rem); }
.tip > span:empty { display: none; }
.tip .swatch { display: inline-block; width: 0.5rem; height: 0.5rem; margin-right: 0.375rem; border-radius: 2px; box-shadow: 0 0 0 1px var(--surface); }
.x-label { position: absolute; top: calc(100% + 0.3125rem); left: 50%; translate: -50%; white-space: nowrap; color: var(--ink-soft); font-size: 0.75rem; line-height: 1.2; }
.x-label.start { left: 0; translate: none; }
.x-label.end { left: auto; right: 0; translate: none; }
.chart-foot { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-5); font-size: var(--text-small); }
.chart-foot > .disclosure[open] { flex-basis: 100%; }
.chart-table { max-height: 20rem; overflow: auto; }
.chart-table thead th { position: sticky; top: 0; background: var(--surface); }
.chart-none { display: grid; place-items: center; min-height: 7rem; border: 1px dashed var(--edge); border-radius: var(--radius-small); color: var(--ink-soft); text-align: center; padding: var(--space-3); }
.chart text { fill: var(--ink-soft); font-size: 0.75rem; }
.tone-good { --mark: var(--good-mark); }
.tone-warn { --mark: var(--warn-mark); }
.tone-bad { --mark: var(--bad-mark); }
.tone-busy { --mark: var(--accent); }
.tone-idle { --mark: var(--edge); }
.series-1 { --mark: var(--series-1); }
.series-2 { --mark: var(--series-2); }
.series-3 { --mark: var(--series-3); }
.series-4 { --mark: var(--series-4); }
.series-5 { --mark: var(--series-5); }
.series-6 { --mark: var(--series-6); }
.swatch { background: var(--mark); forced-color-adjust: none; }
.chart rect:is([class^=tone], [class^=series]) { fill: var(--mark); }
.legend { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); font-size: var(--text-small); }
.legend li { display: flex; align-items: center; gap: var(--space-2); }
.legend .swatch { width: 0.625rem; height: 0.625rem; border-radius: 2px; flex: none; }
.legend strong { font-weight: 600; }

@media (max-width: 44rem) {
  .x-label.wide { display: none; }
  .column { position: static; min-width: 0.3125rem; }
  /* Above the chart, where no finger covers it. */
  .column:is(.early, .late):is(:hover, :focus-within) > .tip { inset: auto 0 calc(100% - 0.25rem) auto; left: auto; max-width: 100%; }
}

/* Text for screen readers that is also shown to those who point at its place. */
.tip { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
:hover > .tip { z-index: 2; width: auto; height: auto; overflow: visible; clip-path: none; padding: 0.375rem 0.5rem; border-radius: var(--radius-small); background: var(--ink); color: var(--surface); font-size: 0.75rem; line-height: 1.3; pointer-events: none; }

.plain-table { font-size: var(--text-small); }
.plain-table :is(th, td) { padding: 0.3125rem var(--space-4) 0.3125rem 0; text-align: left; vertical-align: baseline; border-bottom: 1px solid var(--line); white-space: nowrap; }
.plain-table :is(th, td):last-child { padding-right: 0; white-space: normal; }
.plain-table thead th { color: var(--ink-soft); }
.plain-table tbody th { font-weight: 500; }
.plain-table tbody tr:last-child > * { border-bottom: 0; }
.plain-table .number { text-align: right; }
`;

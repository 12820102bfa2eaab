import { verbatim } from '../html.ts';

export const chartStyle = verbatim`
.chart { display: grid; gap: var(--space-2); grid-template-columns: minmax(0, 1fr); }
.chart figcaption { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 var(--space-4); }
.chart figcaption strong { font-weight: 600; }
.chart svg { display: block; width: 100%; overflow: visible; }
.plot { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: var(--space-2); padding-top: 0.375rem; }
.plot > svg { height: 9rem; }
.plot > .scale { width: 2.25rem; overflow: visible; }
.plot > .scale.of-1 { width: 0.5rem; }
.plot > .scale.of-2 { width: 1rem; }
.plot > .scale.of-3 { width: 1.5rem; }
.plot > .chart-ends { grid-column: 2; }
.chart-none { display: grid; place-items: center; min-height: 7rem; border: 1px dashed var(--edge); border-radius: var(--radius-small); color: var(--ink-soft); text-align: center; padding: var(--space-3); }
.bars .bar-mark { fill: var(--accent); }
.bars .hit { fill: transparent; }
.bars g:hover .hit { fill: var(--sunken); }
.bars .grid { stroke: var(--line); stroke-width: 1; }
.bars .base { stroke: var(--edge); stroke-width: 1; }
.chart text { fill: var(--ink-soft); font-size: 0.75rem; }
.chart-ends { display: flex; justify-content: space-between; color: var(--ink-soft); font-size: 0.75rem; }
.sparkline svg { height: 3rem; }
.sparkline .line { fill: none; stroke: var(--accent); stroke-width: 1.75; stroke-linejoin: round; vector-effect: non-scaling-stroke; }
.sparkline .area { fill: var(--accent-wash); }
.sparkline .base { stroke: var(--line); vector-effect: non-scaling-stroke; }
.shares svg { height: 0.875rem; border-radius: var(--radius-small); overflow: hidden; }
.tone-good { fill: var(--good-mark); background: var(--good-mark); }
.tone-warn { fill: var(--warn-mark); background: var(--warn-mark); }
.tone-bad { fill: var(--bad-mark); background: var(--bad-mark); }
.tone-busy { fill: var(--accent); background: var(--accent); }
.tone-idle { fill: var(--edge); background: var(--edge); }
.shares .none { fill: var(--sunken); }
.shares [class^=tone] { stroke: var(--surface); stroke-width: 1.5; }
.legend { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); font-size: var(--text-small); }
.legend li { display: flex; align-items: center; gap: var(--space-2); }
.legend .swatch { width: 0.625rem; height: 0.625rem; border-radius: 2px; flex: none; }
.legend strong { font-weight: 600; }
`;

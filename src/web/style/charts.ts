import { verbatim } from '../html.ts';

export const chartStyle = verbatim`
.chart { display: grid; gap: var(--space-2); grid-template-columns: minmax(0, 1fr); }
.chart figcaption { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 var(--space-4); }
.chart figcaption strong { font-weight: 600; }
.chart svg { display: block; width: 100%; overflow: visible; }
.bars svg { height: 9rem; }
.bars .bar-mark { fill: var(--accent); }
.bars .bar-mark.latest { fill: var(--accent-strong); }
.bars .bar-none { fill: var(--edge); }
.bars .hit { fill: transparent; }
.bars g:hover .hit { fill: var(--sunken); }
.bars .grid { stroke: var(--line); stroke-width: 1; }
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

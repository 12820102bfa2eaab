import { verbatim } from './html.ts';
import { chartStyle } from './style/charts.ts';
import { controlStyle } from './style/controls.ts';
import { dataStyle } from './style/data.ts';
import { frameStyle } from './style/frame.ts';
import { type Accents, fonts, palettesOf, sizes } from './tokens.ts';

export const stylesheetOf = (accents: Accents): string => tokenStyle(accents) + rules;

const properties = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `--${name}: ${value};`)
    .join(' ');

/** Every rule takes its colours and sizes from these. */
function tokenStyle(accents: Accents): string {
  const { light, dark } = palettesOf(accents);
  return `
:root { color-scheme: light dark; ${properties(sizes)} ${properties(fonts)} ${properties(light)} }
@media (prefers-color-scheme: dark) { :root { ${properties(dark)} } }
`;
}

const baseStyle = verbatim`
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; display: flex; flex-direction: column;
  background: var(--canvas); color: var(--ink);
  font: var(--text)/1.5 var(--font-text); font-variant-numeric: tabular-nums; overflow-wrap: break-word;
}
h1, h2, h3, p, ul, ol, dl, dd, figure, pre, fieldset, legend { margin: 0; padding: 0; border: 0; }
ul, ol { list-style: none; }
h1 { font-size: var(--text-title); line-height: 1.2; font-weight: 650; letter-spacing: -0.01em; }
h2 { font-size: var(--text-large); line-height: 1.3; font-weight: 650; }
h3 { font-size: var(--text); font-weight: 650; }
small { font-size: var(--text-small); }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 0.18em; }
a:hover { color: var(--accent-strong); }
code, pre, kbd, samp { font-family: var(--font-code); font-size: 0.92em; }
table { border-collapse: collapse; }
summary { cursor: pointer; }
[hidden] { display: none !important; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: var(--radius-small); }

h1, h2, p, .alert, dd, code, bdi, .links, .trail, .legend, figcaption { overflow-wrap: anywhere; }

/* Text that others wrote does not change the writing direction of the text around it. */
a, button, summary, label, legend, td, th, dt, dd, li, h1, h2, code, .badge { unicode-bidi: isolate; }

.unseen {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap;
}
.soft { color: var(--ink-soft); }
.stack, .region { display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--space-5); }
.region:empty { display: none; }
.prose { display: grid; gap: var(--space-3); max-width: 42rem; }
@media (max-width: 44rem) {
  /* A finger needs 24 pixels, even for a link in a sentence. Inline padding does not change the line height. */
  p a, li a, dd a, td a { padding-block: 0.3125rem; }
}
.row { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-2) var(--space-3); }
`;

/** State sentence, problems, steps of a guide, changed lines. */
const stateStyle = verbatim`
.state, .problem { --tone: var(--ink-soft); --wash: var(--sunken); }
:is(.state, .problem).good { --tone: var(--good); --wash: var(--good-wash); }
:is(.state, .problem).warn { --tone: var(--warn); --wash: var(--warn-wash); }
:is(.state, .problem).bad { --tone: var(--bad); --wash: var(--bad-wash); }
:is(.state, .problem).busy { --tone: var(--accent); --wash: var(--accent-wash); }
:is(.state, .problem) > .alert-sign { background: var(--tone); color: var(--wash); }
.state.good > .alert-sign::before { content: "✓"; }
:is(.state, .problem):is(.warn, .bad) > .alert-sign::before { content: "!"; }
:is(.state, .problem):is(.busy, .idle) > .alert-sign::before { content: "…"; }

.state { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: var(--space-3) var(--space-4); align-items: start; padding: var(--space-4) var(--space-5); border: 1px solid var(--line); border-left: 4px solid var(--tone); border-radius: var(--radius); background: var(--surface); }
.state > .alert-sign { width: 1.75rem; height: 1.75rem; margin: 0.125rem 0 0; font-size: 1rem; }
.state-sentence { font-size: 1.3125rem; line-height: 1.4; font-weight: 600; letter-spacing: -0.01em; text-wrap: pretty; }
.state-text { display: grid; gap: var(--space-1); }

.problems { display: grid; gap: var(--space-3); }
.problem { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: var(--space-2) var(--space-3); align-items: start; padding: var(--space-3) var(--space-4); border: 1px solid var(--tone); border-radius: var(--radius); background: var(--wash); }
.problem-text { display: grid; gap: var(--space-1); }
.problem-sentence { font-weight: 650; }
.problem > .actions { align-self: center; }

.steps { display: grid; }
.step { position: relative; display: grid; grid-template-columns: 1.75rem minmax(0, 1fr); gap: var(--space-3) var(--space-4); padding-bottom: var(--space-5); }
.step:last-child { padding-bottom: 0; }
/* The line to the next step. */
.step:not(:last-child)::before { content: ""; position: absolute; left: 0.8125rem; top: 2rem; bottom: 0.25rem; width: 2px; background: var(--line); }
.step.done:not(:last-child)::before { background: var(--good-mark); }
.step-sign { display: grid; place-items: center; width: 1.75rem; height: 1.75rem; border: 2px solid var(--edge); border-radius: 50%; background: var(--surface); color: var(--ink-soft); font-size: var(--text-small); font-weight: 700; line-height: 1; }
.step.done > .step-sign { border-color: var(--good); background: var(--good-wash); color: var(--good); }
.step.current > .step-sign { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
.step-text { display: grid; gap: var(--space-3); grid-template-columns: minmax(0, 1fr); }
.step-title { font-weight: 600; line-height: 1.75rem; }
.step-title > .badge { vertical-align: 1px; margin-inline-start: var(--space-1); }
.step.current .step-title { font-weight: 650; }
.step.to-do .step-title { color: var(--ink-soft); }
.step-body { display: grid; gap: var(--space-3); grid-template-columns: minmax(0, 1fr); }

.diff > * { display: block; margin: 0 calc(-1 * var(--space-3)); padding: 0 var(--space-3) 0 calc(var(--space-3) + 1.5ch); text-indent: -1.5ch; text-decoration: none; }
.diff-sign { display: inline-block; width: 1.5ch; text-indent: 0; font-weight: 700; user-select: none; }
.diff ins { background: var(--good-wash); box-shadow: inset 3px 0 var(--good-mark); }
.diff del { background: var(--bad-wash); box-shadow: inset 3px 0 var(--bad-mark); }
.diff ins .diff-sign { color: var(--good); }
.diff del .diff-sign { color: var(--bad); }
.diff-count { display: inline-flex; gap: var(--space-3); font-weight: 600; }
.diff-count .good { color: var(--good); }
.diff-count .bad { color: var(--bad); }

@media (max-width: 44rem) {
  .state { padding: var(--space-4); gap: var(--space-3); }
  .state-sentence { font-size: 1.125rem; }
  .problem { grid-template-columns: auto minmax(0, 1fr); }
  .problem > .actions { grid-column: 1 / -1; }
  .problem > .actions :is(.button, .confirm) { width: 100%; }
}
`;

/** In the order of the cascade. */
export const rules = [baseStyle, frameStyle, controlStyle, dataStyle, stateStyle, chartStyle].join('\n');

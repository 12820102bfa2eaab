import { verbatim } from '../html.ts';
import { type Accents, fonts, palettesOf, sizes } from '../tokens.ts';

const properties = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `--${name}: ${value};`)
    .join(' ');

/** Every rule takes its colours and sizes from these. */
export function tokenStyle(accents: Accents): string {
  const { light, dark } = palettesOf(accents);
  return `
:root { color-scheme: light dark; ${properties(sizes)} ${properties(fonts)} ${properties(light)} }
@media (prefers-color-scheme: dark) { :root { ${properties(dark)} } }
`;
}

export const baseStyle = verbatim`
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

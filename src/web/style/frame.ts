import { verbatim } from '../html.ts';

/** The bar above each page, and the page's head, tabs and foot. */
export const frameStyle = verbatim`
.skip { position: absolute; left: var(--space-4); top: -4rem; z-index: 1; }
.skip:focus { top: var(--space-2); background: var(--surface); padding: var(--space-2) var(--space-3); }

.bar { background: var(--surface); border-bottom: 1px solid var(--line); }
.bar-inside {
  max-width: var(--page); margin: 0 auto; padding: 0 var(--space-5);
  display: flex; align-items: center; gap: var(--space-5); min-height: 3.25rem;
}
.brand {
  display: inline-flex; align-items: center; gap: var(--space-2);
  color: var(--ink); font-weight: 650; text-decoration: none; white-space: nowrap;
}
.brand:hover { color: var(--accent); }
.brand svg { width: 1.375rem; height: 1.375rem; color: var(--accent); flex: none; }
.bar nav { flex: 1; min-width: 0; }
.links { display: flex; gap: var(--space-1); overflow-x: auto; scrollbar-width: none; }
.links a {
  display: block; padding: var(--space-2) var(--space-3); border-radius: var(--radius-small);
  color: var(--ink-soft); text-decoration: none; white-space: nowrap;
}
.links a:hover { color: var(--ink); background: var(--sunken); }
.links a[aria-current] { color: var(--ink); font-weight: 600; background: var(--sunken); }
.links .menu-count:not(:empty) { display: inline-block; min-width: 1.25rem; margin-left: var(--space-2); padding: 0 .375rem; border-radius: 1rem; background: var(--warn-wash); color: var(--warn); font-size: var(--text-small); font-weight: 600; text-align: center; }
.links a:focus-visible, .tabs a:focus-visible { outline-offset: -2px; }
.person { display: flex; align-items: center; gap: var(--space-3); min-width: 0; }
.person form { display: contents; }
.person a { color: var(--ink-soft); max-width: 12rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }

.site-notice { background: var(--accent-wash); border-bottom: 1px solid var(--line); font-size: var(--text-small); }
.site-notice p { max-width: var(--page); margin: 0 auto; padding: var(--space-2) var(--space-5); }

.page { flex: 1; width: 100%; max-width: var(--page); margin: 0 auto; padding: var(--space-5) var(--space-5) var(--space-7); }
.page-head { display: grid; gap: var(--space-2); margin-bottom: var(--space-5); }
.page-head-line { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: var(--space-3) var(--space-5); }
.page-title { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-2) var(--space-3); min-width: 0; }
.lead { color: var(--ink-soft); max-width: 46rem; margin-top: var(--space-1); }
.trail ol { display: flex; flex-wrap: wrap; gap: 0 var(--space-2); font-size: var(--text-small); }
.trail li + li::before { content: "/"; color: var(--ink-soft); margin-right: var(--space-2); }
.trail a { color: var(--ink-soft); text-decoration: none; }
.trail a:hover { color: var(--accent); text-decoration: underline; }

.tabs { border-bottom: 1px solid var(--line); margin-bottom: var(--space-5); }
.page-head + .tabs { margin-top: calc(-1 * var(--space-2)); }
.tabs ul { display: flex; gap: var(--space-1); overflow-x: auto; scrollbar-width: none; margin-bottom: -1px; }
.tabs a {
  display: block; padding: var(--space-2) var(--space-3); white-space: nowrap;
  color: var(--ink-soft); text-decoration: none; border-bottom: 2px solid transparent;
}
.tabs a:hover { color: var(--ink); border-color: var(--line); }
.tabs a[aria-current] { color: var(--ink); font-weight: 600; border-color: var(--accent); }
.tabs .count { color: var(--ink-soft); font-weight: 400; margin-left: var(--space-1); }

.narrow { max-width: 26rem; margin: var(--space-6) auto 0; }
.narrow .page-head { margin-bottom: var(--space-4); }

.foot { border-top: 1px solid var(--line); color: var(--ink-soft); font-size: var(--text-small); }
.foot > div { max-width: var(--page); margin: 0 auto; padding: var(--space-4) var(--space-5); display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-5); }

.outdated { position: fixed; inset: auto 0 var(--space-4); z-index: 2; width: fit-content; max-width: min(34rem, calc(100% - 2rem)); margin: 0 auto; padding: var(--space-2) var(--space-4); border: 1px solid var(--warn); border-radius: var(--radius); background: var(--warn-wash); font-size: var(--text-small); }

/* Below a part that is in use and so is not refreshed. */
.region.stale::after { content: "Something changed. It is shown when you leave this part."; position: sticky; bottom: var(--space-3); justify-self: center; margin: var(--space-3); padding: var(--space-1) var(--space-4); border: 1px solid var(--accent); border-radius: 2rem; background: var(--accent-wash); color: var(--accent); font-size: var(--text-small); }

@media (max-width: 44rem) {
  .bar-inside { flex-wrap: wrap; gap: 0 var(--space-4); padding: 0 var(--space-4); justify-content: space-between; min-height: 3rem; }
  .bar nav { order: 3; flex-basis: 100%; padding-bottom: var(--space-1); }
  .bar nav .links { flex-wrap: wrap; gap: 0; margin: 0 calc(-1 * var(--space-3)); }
  /* Many links are in rows of four. */
  .bar nav .links:has(> :nth-child(5)) { display: grid; grid-template-columns: repeat(4, auto); margin: 0; }
  .links:has(> :nth-child(5)) a { justify-content: center; padding-inline: 0; }
  .tabs ul { flex-wrap: wrap; overflow-x: visible; }
  .brand, .links a, .person a, .person .button.plain, .tabs a, .trail a { min-height: 2.75rem; align-items: center; }
  .links a, .tabs a, .person a, .trail a { display: flex; }
  .person a { max-width: 8rem; }
  .trail { margin: calc(-1 * var(--space-3)) 0 calc(-1 * var(--space-2)); }
  .trail ol { align-items: center; }
  .trail li { display: flex; align-items: center; }
  .site-notice p { padding: var(--space-2) var(--space-4); }
  .page { padding: var(--space-4) var(--space-4) var(--space-6); }
  .foot > div { padding: var(--space-4); }
}
`;

import { verbatim } from '../html.ts';

/** Cards, tables, facts, badges, code, disclosures, pagination, empty states. */
export const dataStyle = verbatim`
.card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); min-width: 0; }
.card-head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: var(--space-2) var(--space-4); padding: var(--space-4) var(--space-5) 0; }
.card-body { container-type: inline-size; padding: var(--space-4) var(--space-5) var(--space-5); display: grid; gap: var(--space-4); grid-template-columns: minmax(0, 1fr); }
.card-head + .card-body { padding-top: var(--space-3); }
.card-note { flex-basis: 100%; color: var(--ink-soft); font-size: var(--text-small); margin-top: calc(-1 * var(--space-1)); }
.card-body > .table-frame, .card-body > .region { margin: 0 calc(-1 * var(--space-5)); }
.card-body > .table-frame:last-child, .card-body > .region:last-child { margin-bottom: calc(-1 * var(--space-5)); }
.card-body > .region { gap: 0; }
.card-body > .region > :not(.table-frame) { margin: var(--space-4) var(--space-5); }
.columns { display: grid; gap: var(--space-5); grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); }
/* Cards below each other end where their content does. */
.columns:has(> .stack) { align-items: start; }
.columns.thirds { grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); }
.tiles { display: grid; gap: var(--space-4); grid-template-columns: repeat(auto-fill, minmax(min(19rem, 100%), 1fr)); }
.tile { display: grid; gap: var(--space-1); padding: var(--space-4) var(--space-5); color: inherit; text-decoration: none; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); }
.tile:hover { border-color: var(--edge); color: inherit; }
.tile h2 { color: var(--accent); }
.tile-line { display: flex; justify-content: space-between; align-items: baseline; gap: var(--space-3); }
.tile-line > .tag, .tile-line > .badge { flex: none; }

.badge { display: inline-flex; align-items: center; gap: 0.375em; padding: 0.0625rem 0.5rem; border-radius: 1rem; font-size: var(--text-small); font-weight: 600; line-height: 1.5; white-space: nowrap; max-width: 100%; overflow: hidden; text-overflow: ellipsis; background: var(--sunken); color: var(--ink-soft); }
.badge::before { content: ""; flex: none; width: 0.5em; height: 0.5em; border-radius: 50%; background: currentColor; }
.badge.good { background: var(--good-wash); color: var(--good); }
.badge.warn { background: var(--warn-wash); color: var(--warn); }
.badge.bad { background: var(--bad-wash); color: var(--bad); }
.badge.busy { background: var(--accent-wash); color: var(--accent); }
.badge.warn::before, .badge.busy::before { background: none; border: 0.125em solid currentColor; }
.badge.bad::before { border-radius: 1px; }

/* What belongs together, such as a name and its state: a line breaks before it rather than in it. */
.pair { display: inline-flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.375rem; margin-block: 0.125rem; margin-inline-end: var(--space-3); }

.tag { display: inline-block; padding: 0 0.4375rem; border: 1px solid var(--line); border-radius: var(--radius-small); font-size: var(--text-small); color: var(--ink-soft); background: var(--surface); white-space: nowrap; unicode-bidi: isolate; }

.facts { display: grid; grid-template-columns: fit-content(55%) minmax(0, 1fr); gap: var(--space-2) var(--space-5); }
.facts dt { min-width: 7rem; }
.name-list { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: var(--space-2) var(--space-4); }
.facts dt { color: var(--ink-soft); }
.figures { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: var(--space-4) var(--space-5); }
.figures:is(.of-3, .of-6) { grid-template-columns: repeat(3, minmax(0, 1fr)); }
@container (min-width: 28rem) { .figures.of-4 { grid-template-columns: repeat(4, minmax(0, 1fr)); } }
/* Outside a card. */
:is(.stack, .region) > :is(.figures, .table-frame) { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); }
:is(.stack, .region) > .figures { padding: var(--space-4) var(--space-5); }
@media (min-width: 44.01rem) {
  :is(.stack, .region) > .figures.of-4 { grid-template-columns: repeat(4, minmax(0, 1fr)); }
  :is(.stack, .region) > .figures.of-6 { grid-template-columns: repeat(6, minmax(0, 1fr)); }
}
.card-body .region > .table-frame { background: none; border: 0; border-radius: 0; }
.figures > div { display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.figures dt { color: var(--ink-soft); font-size: var(--text-small); }
.figures dd { font-size: var(--text-figure); font-weight: 600; line-height: 1.2; letter-spacing: -0.01em; }
.figures .good dd { color: var(--good); }
.figures .warn dd { color: var(--warn); }
.figures .bad dd { color: var(--bad); }

.table-frame { overflow-x: auto; }
.table { width: 100%; font-size: var(--text-small); line-height: 1.4; }
.table th { text-align: left; font-weight: 600; color: var(--ink-soft); white-space: nowrap; border-bottom: 1px solid var(--line); }
.table th, .table td { padding: 0.4375rem var(--space-3); vertical-align: baseline; }
.table .text { overflow-wrap: anywhere; min-width: 6rem; }
.table .button { white-space: nowrap; }
.table th:first-child, .table td:first-child { padding-left: var(--space-5); }
.table th:last-child, .table td:last-child { padding-right: var(--space-5); }
.table td { border-bottom: 1px solid var(--line); }
.table tbody tr:last-child td { border-bottom: 0; }
.table tbody tr:hover td { background: var(--canvas); }
.table .number { text-align: right; white-space: nowrap; }
.table .brief { white-space: nowrap; }
.table .end { text-align: right; }
.table .end .actions { justify-content: flex-end; flex-wrap: nowrap; align-items: start; }
.table .end .confirm > .button, .table .end .confirm-body { margin-left: auto; }
.table tr.detailed td { border-bottom: 0; }
.table tr.detail td { padding-top: 0; color: var(--ink-soft); }
.table tr.detail:hover td, .table tr.detailed:hover td { background: none; }
.table .detail-line { display: flex; flex-wrap: wrap; gap: 0 var(--space-4); }
.table .detail-line > .disclosure[open] { flex-basis: 100%; }
.table .disclosure-body { color: var(--ink); }

@media (prefers-reduced-motion: no-preference) {
  .fresh > td, li.fresh { animation: fresh 4s var(--fresh-for, 0s) ease-out; }
  @keyframes fresh { from { background: var(--accent-wash); } }
}

.pills { display: flex; flex-wrap: wrap; gap: var(--space-2); }
.pills a { display: inline-flex; align-items: center; min-height: 2rem; padding: 0 var(--space-3); border: 1px solid var(--line); border-radius: 2rem; color: var(--ink-soft); text-decoration: none; font-size: var(--text-small); }
.pills a:hover { border-color: var(--edge); color: var(--ink); }
.pills a[aria-current] { background: var(--accent-wash); border-color: var(--accent); color: var(--accent); font-weight: 600; }
.attempts { display: grid; gap: var(--space-3); border-left: 2px solid var(--line); padding-left: var(--space-4); }
.attempt { display: grid; gap: var(--space-1); }
.attempt-line { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-1) var(--space-4); }

.list-form { display: grid; gap: var(--space-4); grid-template-columns: minmax(0, 1fr); }
.card-body > .list-form > .table-frame { margin: 0 calc(-1 * var(--space-5)); border-block: 1px solid var(--line); }
.tick { display: inline-flex; align-items: center; }
.tick input { position: relative; top: 0.1875rem; width: 1.125rem; height: 1.125rem; margin: 0; accent-color: var(--accent); }
.with-ticked { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-2) var(--space-3); }
.with-ticked > label { font-size: var(--text-small); color: var(--ink-soft); }
.with-ticked > .input { width: auto; }
.with-ticked > a { margin-left: auto; }
.list-form th:first-child { width: 1%; }
.commands { display: grid; gap: var(--space-2); grid-template-columns: minmax(0, 1fr); width: 100%; padding-bottom: var(--space-2); }
/* The end of a card is far enough away. */
.card-body > .commands:last-child, .step-body > .commands:last-child { padding-bottom: 0; }
.commands li { display: grid; gap: 0.125rem; padding-left: var(--space-3); border-left: 3px solid var(--line); overflow-wrap: anywhere; }
.commands li.refused { border-color: var(--bad-mark); }
.commands li.unknown { border-color: var(--warn-mark); }
.commands li.delivered { border-color: var(--good-mark); }

.ways { display: grid; gap: var(--space-3); grid-template-columns: minmax(0, 1fr); }
@media (min-width: 44.01rem) {
  .ways { grid-template-columns: max-content minmax(0, 1fr); gap: var(--space-3) var(--space-4); }
  .ways li { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; align-items: center; }
}
.ways .hint { margin-top: var(--space-1); }

.fates { display: grid; gap: var(--space-1); grid-template-columns: minmax(0, 1fr); width: 100%; padding-bottom: var(--space-2); }
.fates li { display: flex; gap: var(--space-3); align-items: baseline; overflow-wrap: anywhere; }
.fates .tag { flex: 0 0 7.5rem; text-align: center; }
.fates code { color: var(--ink); min-width: 0; }
.commands code { color: var(--ink); }
.commands li > :not(code) { color: var(--ink-soft); font-size: var(--text-small); }

.code-block { background: var(--sunken); border-radius: var(--radius-small); padding: var(--space-3); font-size: 0.8125rem; line-height: 1.5; max-height: 24rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
.code-line { display: grid; gap: var(--space-1); grid-template-columns: minmax(0, 1fr); }
.code-label { font-size: var(--text-small); color: var(--ink-soft); }
.code-head { display: flex; justify-content: space-between; align-items: center; gap: var(--space-3); font-size: var(--text-small); color: var(--ink-soft); min-height: 1.75rem; }

.disclosure > summary { display: flex; align-items: center; gap: var(--space-2); width: fit-content; color: var(--accent); list-style: none; border-radius: var(--radius-small); }
.disclosure > summary::-webkit-details-marker { display: none; }
.disclosure > summary::before { content: ""; flex: none; width: 0.4em; height: 0.4em; border: solid currentColor; border-width: 0 1.5px 1.5px 0; transform: rotate(-45deg); margin-right: 0.125em; }
.disclosure[open] > summary::before { transform: rotate(45deg); }
.disclosure > summary:hover { color: var(--accent-strong); text-decoration: underline; }
.disclosure-body { display: grid; gap: var(--space-3); grid-template-columns: minmax(0, 1fr); padding: var(--space-3) 0 var(--space-1); }

.pagination { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: var(--space-2) var(--space-4); color: var(--ink-soft); font-size: var(--text-small); }
.empty { display: grid; gap: var(--space-2); justify-items: center; text-align: center; padding: var(--space-6) var(--space-4); border: 1px dashed var(--edge); border-radius: var(--radius); color: var(--ink-soft); }
.empty-title { color: var(--ink); font-weight: 650; font-size: var(--text-large); }
.empty .actions { margin-top: var(--space-2); justify-content: center; }
.empty p { max-width: 30rem; }
.card .empty { border: 0; padding: var(--space-4); }

@media (max-width: 44rem) {
  .card-head { padding: var(--space-4) var(--space-4) 0; }
  .card-body { padding: var(--space-3) var(--space-4) var(--space-4); }
  .card-body > .table-frame, .card-body > .region { margin: 0 calc(-1 * var(--space-4)); }
  .card-body > .table-frame:last-child, .card-body > .region:last-child { margin-bottom: calc(-1 * var(--space-4)); }
  .card-body > .region > :not(.table-frame) { margin: var(--space-3) var(--space-4); }
  .card-body > .list-form > .table-frame { margin: 0 calc(-1 * var(--space-4)); }
  .tick { min-width: 2.75rem; min-height: 2.75rem; justify-content: center; }
  .tick input { top: 0; width: 1.5rem; height: 1.5rem; }
  .with-ticked > .input, .with-ticked > .button { flex: 1 1 auto; }
  .with-ticked > a { flex-basis: 100%; min-height: 2.75rem; display: flex; align-items: center; }
  .facts { grid-template-columns: fit-content(45%) minmax(0, 1fr); gap: var(--space-2) var(--space-3); }
  .facts dt { min-width: 6.5rem; }
  .name-list { gap: 0 var(--space-4); }
  .name-list a { display: flex; align-items: center; min-height: 2.75rem; }
  .disclosure > summary { min-height: 2.75rem; }
  .pills a { min-height: 2.75rem; }

  /* A row becomes a block: its title and state at the top, the rest as lines with the column's name. */
  .table, .table tbody { display: block; }
  .table thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .table tr { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 var(--space-3); padding: var(--space-3) var(--space-4); border-bottom: 1px solid var(--line); }
  .table tbody tr:last-child, .table tr.detailed { border-bottom: 0; }
  .table tr.detailed { padding-bottom: 0; }
  .table tr.detail { padding-top: 0.375rem; }
  .table td, .table td:first-child, .table td:last-child { padding: 0.0625rem 0; border: 0; text-align: left; flex: 0 0 100%; white-space: normal; }
  .table tbody tr:hover td { background: none; }
  .table td.number { text-align: left; }
  /* The name is beside the content, which flows as in a sentence. */
  .table td.line { position: relative; padding: var(--space-1) 0 var(--space-1) calc(6.5rem + var(--space-3)); }
  .table td.line::before { content: attr(data-label); position: absolute; inset-inline-start: 0; width: 6.5rem; color: var(--ink-soft); }
  .table td.none { display: none; }
  .table td.title { order: -2; flex: 1 1 40%; font-size: var(--text); font-weight: 600; }
  .table td.title a { display: inline-flex; align-items: center; min-height: 2.75rem; }
  .table tr:has(> .title a) { padding-block: var(--space-1); }
  .table tr.detailed:has(> .title a) { padding-bottom: 0; }
  .table tr:has(> .title a):has(> .line) { padding-bottom: var(--space-3); }
  :is(.stack, .region) > .figures { padding: var(--space-4); }
  .table td.corner { order: -1; flex: none; }
  .table td.block { padding-top: var(--space-2); }
  .table .end .actions { justify-content: flex-start; flex-wrap: wrap; }
  .table .end .confirm > .button, .table .end .confirm-body { margin-left: 0; }
}
`;

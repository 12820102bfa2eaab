/** Everything that pages are built from. */

export { durationText } from '../core/duration.ts';
export type { Series } from './components/axes.ts';
export { type BarColumn, barChart, dailyBars } from './components/bar-chart.ts';
export {
  actions,
  confirmedButton,
  linkButton,
  type Posting,
  postButton,
  submitButton,
} from './components/button.ts';
export { code, codeBlock, copyLine, diff, disclosure } from './components/code.ts';
export { longDayText } from './components/day.ts';
export { errorSummary, focused, type Refused, refusedForm } from './components/error-summary.ts';
export { dateFilter, filters, selectFilter, textFilter } from './components/filters.ts';
export {
  areaField,
  type Choice,
  checkField,
  type FormState,
  fieldsRow,
  form,
  freshForm,
  inputField,
  radioField,
  selectField,
} from './components/form.ts';
export {
  card,
  columns,
  facts,
  figures,
  live,
  menuCount,
  nameList,
  pagination,
  pills,
  refreshed,
  stack,
  tabs,
  thirds,
  tiles,
} from './components/layout-parts.ts';
export { listForm, rowButton, tick, withTicked } from './components/list-form.ts';
export { ago, clockText, dated, dayText, instant, withTimes } from './components/moment.ts';
export { alert, badge, copyButton, empty, oneTimeSecret, tag } from './components/notice.ts';
export { amount, count, type Unit, VOTES } from './components/number.ts';
export { progress } from './components/progress.ts';
export { type ProblemItem, problemList, type Step, stateSentence, steps } from './components/state.ts';
export { type Column, table } from './components/table.ts';
export type { Tone } from './components/tone.ts';
export { type Content, type Html, html, quoted } from './html.ts';
export type { Link, Page } from './layout.ts';

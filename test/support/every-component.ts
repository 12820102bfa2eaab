import type { Content, Html } from '../../src/web/html.ts';
import * as kit from '../../src/web/kit.ts';

/** Components that take text. The rest of the kit turns numbers into text, or is the template tag. */
type Component = Exclude<
  keyof typeof kit,
  | 'html'
  | 'freshForm'
  | 'refusedForm'
  | 'count'
  | 'amount'
  | 'VOTES'
  | 'dayText'
  | 'clockText'
  | 'ago'
  | 'dated'
  | 'instant'
  | 'durationText'
  | 'longDayText'
>;

const POSTING = (text: string) => ({ action: text, csrf: text, with: { [text]: text } });
const STATE = (text: string): kit.FormState => ({ entered: { field: [text] }, faults: { field: text } });
const CHOICE = (text: string) => [[text, text]] as const;
const CHOICES = (text: string) => [{ value: text, label: text, hint: text }];

/** Each component of the kit with the same text in all its texts. A component that is missing here is a type error. */
export const everyComponent = (text: string): Record<Component, Html> => ({
  quoted: kit.quoted(text),
  actions: kit.actions(text),
  submitButton: kit.submitButton(text),
  linkButton: kit.linkButton(text, text),
  postButton: kit.postButton({ ...POSTING(text), label: text, blocked: text }),
  confirmedButton: kit.confirmedButton({ ...POSTING(text), label: text, question: text, confirm: text }),
  alert: kit.alert({ tone: 'bad', title: text, body: text }),
  errorSummary: kit.errorSummary({ title: text, advice: text, faults: { [text]: text } }),
  focused: kit.focused(kit.tag(text)),
  tag: kit.tag(text),
  badge: kit.badge(text, 'good'),
  copyButton: kit.copyButton(text),
  empty: kit.empty({ title: text, advice: text, actions: text }),
  oneTimeSecret: kit.oneTimeSecret({ id: text, title: text, value: text, advice: text }),
  code: kit.code(text),
  codeBlock: kit.codeBlock({ id: text, label: text, text }),
  copyLine: kit.copyLine({ id: text, label: text, text }),
  diff: kit.diff({ id: text, label: text, lines: [`+ ${text}`, `- ${text}`, `  ${text}`, text] }),
  disclosure: kit.disclosure(text, text),
  card: kit.card({ title: text, note: text, actions: text, body: text }),
  stack: kit.stack(text),
  columns: kit.columns(text),
  thirds: kit.thirds(text),
  tiles: kit.tiles([{ title: text, href: text, badge: text, body: text }]),
  nameList: kit.nameList([text]),
  withTimes: kit.withTimes(`${text} 2026-06-03T14:05:09.000Z ${text} 9999-99-99T99:99:99.999Z`),
  facts: kit.facts([[text, text]]),
  figures: kit.figures([{ label: text, value: text }]),
  tabs: kit.tabs(text, [{ label: text, href: text, current: true, count: 1 }]),
  pills: kit.pills(text, [{ label: text, href: text, current: true }]),
  listForm: kit.listForm({ ...POSTING(text), label: text, body: text }),
  tick: kit.tick({ name: text, value: text, label: text }),
  rowButton: kit.rowButton({ name: text, value: text, label: text, about: text }),
  withTicked: kit.withTicked({
    ...{ id: text, name: text, label: text, choices: CHOICE(text), submit: text, beside: text },
  }),
  pagination: kit.pagination({ shown: text, newest: text, older: text }),
  refreshed: kit.refreshed(text, 5, text),
  live: kit.live(text, text),
  menuCount: kit.menuCount(text, text, text),
  table: kit.table({
    caption: text,
    columns: [{ label: text, cell: (row: string): Content => row }],
    rows: [text],
    detail: (row: string): Content => row,
    key: (row: string) => row,
    empty: kit.empty({ title: text, advice: text }),
  }),
  stateSentence: kit.stateSentence({ tone: 'good', sentence: text, detail: text }),
  problemList: kit.problemList(text, [{ tone: 'bad', sentence: text, advice: text, action: text }]),
  steps: kit.steps(text, [{ title: text, state: 'current', body: text }]),
  form: kit.form({ ...POSTING(text), state: STATE(text), fields: text, submit: text }),
  fieldsRow: kit.fieldsRow(text),
  filters: kit.filters({ action: text, label: text, fields: text, submit: text, clear: text }),
  selectFilter: kit.selectFilter({ name: text, label: text, value: text, choices: [[text, text]] }),
  dateFilter: kit.dateFilter({ name: text, label: text, value: text }),
  textFilter: kit.textFilter({ name: text, label: text, value: text }),
  progress: kit.progress({ label: text, done: 1, total: 2 }),
  inputField: kit.inputField(STATE(text), { name: 'field', label: text, hint: text, autocomplete: text }),
  areaField: kit.areaField(STATE(text), { name: 'field', label: text, hint: text, rows: 3 }),
  selectField: kit.selectField(STATE(text), {
    ...{ name: 'field', label: text, hint: text, choices: [[text, text]] },
  }),
  radioField: kit.radioField(STATE(text), { name: 'field', label: text, hint: text, choices: CHOICES(text) }),
  checkField: kit.checkField(STATE(text), { name: 'field', label: text, hint: text, choices: CHOICES(text) }),
  barChart: kit.barChart({
    ...{ id: text, title: text, unit: { one: text, many: text }, per: text, none: text, csv: text },
    series: [{ label: text }, { label: text }],
    columns: [{ name: text, label: text, values: [1, 2] }],
  }),
  dailyBars: kit.dailyBars({
    ...{ id: text, title: text, unit: { one: text, many: text }, values: [1, 2], lastDay: 0 },
  }),
});

import { parseDay, periodOf } from '../../core/period.ts';
import type { ConfigFile } from '../../operator/config-file/compare.ts';
import type { WordsChange } from '../../operator/config-file/words-changes.ts';
import type { MonthCalendar } from '../../operator/simulation/month/calendar.ts';
import type { MonthState } from '../../operator/simulation/month/coming-months.ts';
import { PAST_DAYS } from '../../operator/simulation/month/past.ts';
import type { ConfigWords } from '../../operator/words/config.ts';
import type { ChoiceWords, EntryWords } from '../../operator/words/entry.ts';
import type { SiteWords } from '../../operator/words/site.ts';
import {
  alert,
  amount,
  type Content,
  card,
  code,
  count,
  diff,
  empty,
  facts,
  type Html,
  html,
  live,
  longDayText,
  monthCalendar,
  postButton,
  progress,
  quoted,
  refreshed,
  table,
  tag,
  VOTES,
} from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { paths } from '../paths.ts';
import { type Typed, toldToDo } from '../told.ts';

export interface RewardsView {
  readonly words: ConfigWords;
  readonly file: ConfigFile;
  readonly month: MonthState;
  readonly csrf: string;
  /** The name of the config file. */
  readonly fileName: string;
  /** How commands are typed on this machine. */
  readonly command: Typed;
}

/** What the config promises, in everyday language, and what the file would change. */
export const rewardsPage = ({ words, file, month, ...around }: RewardsView): Omit<Page, 'json'> => ({
  title: 'Rewards',
  lead: ['What the running config promises, in everyday words. ', quoted(words.notes.join(' '))],
  body: [
    live('file', fileCard(file, around)),
    live('promises', [
      words.entries.length === 0
        ? empty({
            title: 'No rewards',
            advice: html`Add some to ${code('rewards')} in ${code(around.fileName)}.`,
          })
        : words.entries.map(entryCard),
      sitesCard(words.sites),
    ]),
    // The same region in the end, or the page would not find what takes the place of the progress.
    month.kind === 'running' ? refreshed('month', 1, monthCard(month)) : live('month', monthCard(month)),
  ],
});

/** What is more than a reward for a vote says so. */
const KINDS: Readonly<Record<Exclude<EntryWords['kind'], 'reward'>, string>> = {
  party: 'vote party',
  top: 'top voters',
  publish: 'published',
  remind: 'reminder',
};

const entryCard = ({ kind, name, when, choices, odds, paid }: EntryWords): Html =>
  card({
    title: name,
    actions: kind !== 'reward' && tag(KINDS[kind]),
    body: facts([
      ['When', sentences(when)],
      ...choices
        .filter(isWorthSaying)
        .map((choice): readonly [string, Content] => [choiceLead(choice), commands(choice)]),
      ...(odds === null ? [] : [['Odds', quoted(odds)] as const]),
      ...(paid.length === 0 ? [] : [['How', sentences(paid)] as const]),
    ]),
  });

const sentences = (list: readonly string[]): Content => list.map((each) => html`<p>${quoted(each)}</p>`);

/** That nothing runs is in the odds already. */
const isWorthSaying = ({ steps, share }: ChoiceWords): boolean => steps.length > 0 || share === null;

const choiceLead = ({ lead }: ChoiceWords): string => (lead === null ? 'Runs' : `Runs, ${lead}`);

const commands = ({ steps }: ChoiceWords): Content =>
  steps.length === 0
    ? 'nothing'
    : steps.map(({ command, means }) => html`<p>${means === null ? code(command) : quoted(means)}</p>`);

const sitesCard = (sites: readonly SiteWords[]): Html =>
  card({
    title: 'Sites',
    body: facts(
      sites.map(({ name, sentences: said }) => [
        name === 'default' ? 'Every other site' : name,
        sentences(said),
      ]),
    ),
  });

/** Rule 15: whether what is shown is what the file says. */
function fileCard(
  file: ConfigFile,
  { fileName, csrf, command }: Pick<RewardsView, 'fileName' | 'csrf' | 'command'>,
): Html | null {
  const reload = postButton({ action: paths.reload, csrf, label: 'Reload' });
  switch (file.kind) {
    case 'same':
      return null;
    case 'newer':
      return card({
        title: `${fileName} is newer than what runs`,
        note: html`${toldToDo(file.toApply, command)}.`,
        actions: reload,
        body: [
          diff({ id: 'changes', label: 'Values that change', lines: file.changes.flatMap(changedLines) }),
          file.words.map(meaning),
        ],
      });
    case 'refused':
      return alert({
        tone: 'bad',
        title: `${fileName} cannot be loaded, so what runs stays as it is`,
        body:
          file.faults.length === 0
            ? quoted(file.sentence)
            : html`<ul>${file.faults.map(
                ({ path, sentence, line }) => html`<li>Line ${line}: ${code(path)} ${quoted(sentence)}</li>`,
              )}</ul>`,
      });
  }
}

type Newer = Extract<ConfigFile, { readonly kind: 'newer' }>;

const changedLines = ({ key, before, after }: Newer['changes'][number]): readonly string[] => [
  ...(before === null ? [] : [`- ${key}: ${before}`]),
  ...(after === null ? [] : [`+ ${key}: ${after}`]),
];

const meaning = ({ name, change, before, after }: WordsChange): Html =>
  html`<p><strong>${quoted(name)}</strong> is ${change}.</p>
    ${before.length > 0 && html`<p class="soft">Before: ${quoted(before.join(' '))}</p>`}
    ${after.length > 0 && html`<p>Then: ${quoted(after.join(' '))}</p>`}`;

const TITLE = 'The coming month';

function monthCard(state: MonthState): Html {
  if (state.kind === 'running') {
    const { done, of } = state.progress ?? { done: 0, of: 0 };
    return card({
      title: TITLE,
      body: progress({ label: 'Simulating the votes of a month', done, total: of }),
    });
  }
  if (state.kind === 'failed')
    return card({ title: TITLE, body: 'The month could not be simulated; the log says why.' });
  const { month } = state;
  switch (month.kind) {
    case 'calendar':
      return calendarCard(month.calendar);
    case 'no-votes':
      return card({
        title: TITLE,
        body: `Nobody voted in the ${PAST_DAYS} days before today, so there is nothing to go by yet.`,
      });
    case 'too-many':
      return card({
        title: TITLE,
        body: `${count(month.votes)} votes came in the last weeks, and at most ${count(month.most)} are simulated.`,
      });
    case 'stopped':
      return card({ title: TITLE, body: 'The simulation has ended by itself; the log says why.' });
  }
}

const GRANTS = { one: 'reward', many: 'rewards' };
const COMMANDS = { one: 'command', many: 'commands' };

function calendarCard({ days, servers, votes, players }: MonthCalendar): Html {
  const byDay = new Map(days.map((day) => [parseDay(day.date), day]));
  const months = [
    ...new Set([...byDay.keys()].flatMap((day) => (day === null ? [] : [periodOf('month', day)]))),
  ];
  const cell = (day: number): Content => {
    const found = byDay.get(day);
    if (found === undefined) return null;
    const granted = found.grants.reduce((sum, each) => sum + each.grants, 0);
    const isQuiet = found.votes + granted === 0;
    return [
      html`<span class="${isQuiet && 'soft'}">${isQuiet ? 'no votes' : amount(found.votes, VOTES)}</span> `,
      !isQuiet && html`<span class="soft">${amount(granted, GRANTS)}</span>`,
    ];
  };
  return card({
    title: TITLE,
    note: `If players vote as in the last ${PAST_DAYS} days: ${count(votes)} votes by ${count(players)} players. Chances are drawn.`,
    body: [
      ...months.map((month) => monthCalendar({ month, caption: 'What the coming month would pay', cell })),
      table({
        caption: 'Commands on each game server',
        rows: servers,
        empty: html``,
        columns: [
          { label: 'Game server', onPhone: 'title', cell: ({ server }) => quoted(server) },
          { label: 'Commands', kind: 'number', cell: (each) => count(each.commands) },
          {
            label: 'Busiest day',
            cell: ({ busiest }) =>
              `${longDayText(parseDay(busiest.date) ?? 0)}, ${amount(busiest.commands, COMMANDS)}`,
          },
        ],
      }),
    ],
  });
}

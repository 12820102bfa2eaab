import type { Config } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import { percent } from '../../core/percent.ts';
import { configWords } from '../words/config.ts';
import type { ChoiceWords, EntryKind, EntryWords } from '../words/entry.ts';
import type { SiteWords } from '../words/site.ts';

/** What a change of the config means in everyday language. */
export interface WordsChange {
  /** `config`: what concerns all of it. */
  readonly kind: EntryKind | 'site' | 'gameServer' | 'config';
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** What was said only before. */
  readonly before: readonly string[];
  /** What is said only after. */
  readonly after: readonly string[];
}

/** Leaves out what stays as it is. */
export function wordsChanges(
  running: Config,
  wanted: Config,
  clock: Pick<Clock, 'zone'>,
): readonly WordsChange[] {
  const [before, after] = [partsOf(running, clock), partsOf(wanted, clock)];
  const removed = before.filter(({ key }) => after.every((each) => each.key !== key));
  return [
    ...after.flatMap((part) => changeOf(before.find(({ key }) => key === part.key) ?? null, part)),
    ...removed.map(({ kind, name, lines }) => ({
      ...{ kind, name, change: 'removed' as const },
      before: lines,
      after: [],
    })),
  ];
}

interface Part extends Pick<WordsChange, 'kind' | 'name'> {
  readonly key: string;
  readonly lines: readonly string[];
}

function changeOf(before: Part | null, { kind, name, lines }: Part): readonly WordsChange[] {
  if (before === null) return [{ kind, name, change: 'added', before: [], after: lines }];
  const change: WordsChange = {
    ...{ kind, name, change: 'changed' },
    before: before.lines.filter((line) => !lines.includes(line)),
    after: lines.filter((line) => !before.lines.includes(line)),
  };
  return change.before.length + change.after.length === 0 ? [] : [change];
}

function partsOf(config: Config, clock: Pick<Clock, 'zone'>): readonly Part[] {
  const { notes, entries, sites, gameServers } = configWords(config, clock);
  const part = (kind: Part['kind'], name: string, lines: readonly string[]): Part => ({
    ...{ kind, name, lines },
    key: JSON.stringify([kind, name]),
  });
  return [
    part('config', '', notes),
    ...entries.map((entry) => part(entry.kind, entry.name, entryLines(entry))),
    ...sites.map((site) => part('site', site.name, siteLines(site))),
    ...gameServers.map(({ name, what }) => part('gameServer', name, [`It is ${what}.`])),
  ];
}

const entryLines = ({ when, choices, paid }: EntryWords): readonly string[] => [
  ...when,
  ...choices.flatMap(choiceLines),
  ...paid,
];

/** Each line with its case, so that it can stand alone. */
function choiceLines({ lead, share, steps }: ChoiceWords): readonly string[] {
  const drawn = share === null ? '' : ` (${percent(share)})`;
  const before = lead === null ? '' : `${lead}${drawn}: `;
  return steps.length === 0 && lead !== null
    ? [`${lead}${drawn}`]
    : steps.map(({ command, means }) => `${before}${means ?? command}`);
}

const siteLines = ({ label, url, sentences }: SiteWords): readonly string[] => [
  ...sentences,
  ...(label === null ? [] : [`Players see it as ${label}.`]),
  ...(url === null ? [] : [`Players vote at ${url}`]),
];

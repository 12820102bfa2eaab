import type { Clock } from '../core/clock.ts';
import { percent } from '../core/percent.ts';
import { printable } from '../core/printable.ts';
import { shownService } from '../core/service-name.ts';
import { type ConfigWords, configWords } from '../operator/words/config.ts';
import type { ChoiceWords, EntryKind, EntryWords } from '../operator/words/entry.ts';
import type { SiteWords } from '../operator/words/site.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, type FlagsOf, printJson } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { noteOlderConfig } from './older-config.ts';
import { readConfig } from './with-ledger.ts';

const newCommand = () =>
  new Command('list')
    .description(
      'say in everyday language what the config promises: when, what, how likely and how it is paid',
    )
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts');

type ListFlags = FlagsOf<typeof newCommand>;

export const rewardsListCommand = (terminal: Terminal, clock: Clock) =>
  newCommand().action(action(terminal, (flags) => list(flags, terminal, clock)));

async function list(flags: ListFlags, terminal: Terminal, clock: Clock): Promise<ExitCode> {
  const { config } = await readConfig(flags.config, terminal, clock);
  await noteOlderConfig(config, terminal, flags.json);
  const words = configWords(config, clock);
  if (flags.json) printJson(terminal, rowsOf(words));
  else for (const line of linesOf(words)) terminal.out(line);
  return 0;
}

const rowsOf = ({ notes, entries, sites, gameServers }: ConfigWords): readonly object[] => [
  ...notes.map((sentence) => ({ kind: 'note', sentence })),
  ...entries,
  ...sites.map((site) => ({ kind: 'site', ...site })),
  ...gameServers.map((server) => ({ kind: 'gameServer', ...server })),
];

const linesOf = ({ notes, entries, sites, gameServers }: ConfigWords): readonly string[] => [
  ...notes,
  ...entries.flatMap(entryLines),
  ...sites.flatMap(siteLines),
  ...(gameServers.length === 0 ? [] : ['', 'game servers']),
  ...gameServers.map(({ name, what }) => `  ${name}: ${what}`),
];

const HEADINGS: Readonly<Record<EntryKind, string>> = {
  reward: 'reward',
  party: 'vote party',
  top: 'top',
  publish: 'published figures',
  remind: 'reminder',
};

const entryLines = ({ kind, name, when, choices, odds, paid }: EntryWords): readonly string[] => [
  '',
  `${HEADINGS[kind]} ${name}`,
  ...when.map((sentence) => `  ${sentence}`),
  ...(odds === null ? [] : [`  Drawn: ${odds}.`]),
  ...choices.flatMap(choiceLines),
  ...paid.map((sentence) => `  ${sentence}`),
];

function choiceLines({ lead, share, steps }: ChoiceWords): readonly string[] {
  const chance = share === null ? '' : `, ${percent(share)}`;
  const heading = lead === null ? [] : [`    ${lead}${chance}:`];
  const indent = lead === null ? '    ' : '      ';
  // What a lost chance costs is said by the odds.
  if (steps.length === 0) return [];
  return [
    ...heading,
    ...steps.map(({ command, means }) => `${indent}${means === null ? command : printable(means)}`),
  ];
}

const siteLines = ({ name, label, url, sentences }: SiteWords): readonly string[] => [
  '',
  `site ${shownService(name)}${label === null ? '' : `, shown as ${label}`}`,
  ...sentences.map((sentence) => `  ${sentence}`),
  ...(url === null ? [] : [`  Players vote at ${url}`]),
];

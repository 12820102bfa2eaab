import { isoTime } from '../core/instant.ts';
import { printable } from '../core/printable.ts';
import type { ComparedPlayer, ShadowReport } from '../operator/shadow/report.ts';
import type { Terminal } from '../platform/terminal.ts';
import { printTable } from './command.ts';

export interface ReportView {
  readonly since: number;
  /** How many players of each kind. */
  readonly limit: number;
  /** The file with the payments; null: none. */
  readonly against: string | null;
}

export function printReport(terminal: Terminal, report: ShadowReport, view: ReportView): void {
  printDecided(terminal, report, view);
  printLacking(terminal, report, view);
  printCompared(terminal, report, view);
}

function printDecided(terminal: Terminal, { rewards, players }: ShadowReport, view: ReportView): void {
  const votes = players.reduce((sum, each) => sum + each.votes, 0);
  const since = isoTime(view.since);
  if (players.length === 0) {
    terminal.out(`Since ${since} no vote was left to the other side.`);
    return;
  }
  terminal.out(
    `Since ${since} the other side had to pay ${count(votes, 'vote')} of ${count(players.length, 'player')}. Teller would have paid:`,
  );
  printTable(terminal, [
    ['REWARD', 'GRANTS', 'PLAYERS'],
    ...rewards.map((each) => [each.reward, String(each.grants), String(each.players)]),
  ]);
  terminal.out('');
  const shown = players.slice(0, view.limit);
  printTable(terminal, [
    ['PLAYER', 'VOTES', 'REWARDS'],
    ...shown.map(({ player, votes: cast, rewards: earned }) => [
      printable(player, 40),
      String(cast),
      [...earned].map(([reward, times]) => (times === 1 ? reward : `${reward} ×${times}`)).join(', ') || '-',
    ]),
  ]);
  more(terminal, players.length, view);
}

function printLacking(terminal: Terminal, { lacking }: ShadowReport, view: ReportView): void {
  if (lacking.length === 0) return;
  const votes = lacking.reduce((sum, each) => sum + each.votes, 0);
  terminal.out('');
  terminal.out(
    `${count(votes, 'vote')} since then ${votes === 1 ? 'was' : 'were'} paid here, so the other side’s totals lack ${votes === 1 ? 'it' : 'them'}:`,
  );
  const shown = lacking.slice(0, view.limit);
  printTable(terminal, [
    ['PLAYER', 'VOTES'],
    ...shown.map((each) => [printable(each.player, 40), String(each.votes)]),
  ]);
  more(terminal, lacking.length, view);
}

function printCompared(terminal: Terminal, { compared }: ShadowReport, view: ReportView): void {
  if (compared === null) return;
  const { payments, players } = compared;
  terminal.out('');
  terminal.out(`${view.against} has ${count(payments, 'payment')} since then.`);
  const groups = groupsOf(players).filter(({ lines }) => lines.length > 0);
  if (groups.length === 0) terminal.out('Every vote was paid once, and nothing else was.');
  for (const { sentence, lines } of groups) {
    terminal.out(sentence(count(lines.length, 'player')));
    for (const line of lines.slice(0, view.limit)) terminal.out(`  ${line}`);
    more(terminal, lines.length, view);
  }
}

interface Group {
  readonly sentence: (players: string) => string;
  /** One for each player. */
  readonly lines: readonly string[];
}

function groupsOf(players: readonly ComparedPlayer[]): readonly Group[] {
  const linesOf = (isIn: (of: ComparedPlayer) => boolean, text: (of: ComparedPlayer) => string): string[] =>
    players.filter(isIn).map((each) => `${printable(each.player, 40)}: ${text(each)}`);
  const unpaid = ({ unpaid: votes }: ComparedPlayer): string =>
    votes.map(({ id, receivedAt }) => `vote ${id} of ${isoTime(receivedAt)}`).join(', ');
  const lines = (of: readonly { readonly line: number }[]): string =>
    of.map(({ line }) => `line ${line}`).join(', ');
  return [
    {
      sentence: (some) => `${some} got nothing:`,
      lines: linesOf(({ unpaid: votes, owed }) => votes.length > 0 && votes.length === owed, unpaid),
    },
    {
      sentence: (some) => `${some} got less than owed:`,
      lines: linesOf(({ unpaid: votes, owed }) => votes.length > 0 && votes.length < owed, unpaid),
    },
    {
      sentence: (some) => `${some} got a vote paid twice:`,
      lines: linesOf(
        ({ twice }) => twice.length > 0,
        ({ twice }) => lines(twice),
      ),
    },
    {
      sentence: (some) =>
        `${some} got something for a vote that was not to be paid, such as one within the cooldown:`,
      lines: linesOf(
        ({ notOwed }) => notOwed.length > 0,
        ({ notOwed }) => lines(notOwed),
      ),
    },
    {
      sentence: (some) => `${some} got something without a vote since then, perhaps for an earlier one:`,
      lines: linesOf(
        ({ withoutVote }) => withoutVote.length > 0,
        ({ withoutVote }) => lines(withoutVote),
      ),
    },
  ];
}

function more(terminal: Terminal, all: number, { limit }: ReportView): void {
  if (all > limit) terminal.out(`  … and ${all - limit} more (--limit)`);
}

const count = (number: number, what: string): string =>
  `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;

import { isoTime } from '../core/instant.ts';
import { printable } from '../core/printable.ts';
import type { ShadowReport } from '../operator/shadow/report.ts';
import type { Terminal } from '../platform/terminal.ts';
import { printTable } from './command.ts';

export interface ReportView {
  readonly since: number;
  /** How many players of each kind. */
  readonly limit: number;
}

export function printReport(terminal: Terminal, report: ShadowReport, view: ReportView): void {
  printDecided(terminal, report, view);
  printLacking(terminal, report, view);
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

function more(terminal: Terminal, all: number, { limit }: ReportView): void {
  if (all > limit) terminal.out(`  … and ${all - limit} more (--limit)`);
}

const count = (number: number, what: string): string =>
  `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;

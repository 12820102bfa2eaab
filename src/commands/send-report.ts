import type { WireVote } from '../../protocol/votifier/vote.ts';
import type { Terminal } from '../platform/terminal.ts';
import type { SendResult } from '../sender/result.ts';
import { Tally } from '../sender/tally.ts';
import { printJson, printTable } from './command.ts';

export interface NumberedVote {
  /** The vote's number, counted from 1. */
  readonly n: number;
  readonly vote: WireVote;
}

/** One element of `--json`. */
interface Row {
  readonly n: number;
  readonly player: string;
  readonly kind: SendResult['kind'];
  readonly code: SendResult['code'];
  /** Whether the listener accepted the vote; version 1 listeners do not say. */
  readonly reached: 'yes' | 'no' | 'unknown';
  readonly detail: string | null;
  readonly sentence: string;
}

/** The results: each vote for scripts, counts for people. */
export class SendReport {
  readonly tally = new Tally();
  /** Only with --json, because a million results take memory. */
  private readonly rows: Row[] | null;

  constructor(json: boolean) {
    this.rows = json ? [] : null;
  }

  add(numbered: NumberedVote, result: SendResult): void {
    this.tally.add(result);
    if (this.rows !== null) this.rows[numbered.n - 1] = rowOf(numbered, result);
  }

  print(terminal: Terminal, elapsedMs: number): void {
    if (this.rows === null) printSummary(this.tally, elapsedMs, terminal);
    else printJson(terminal, this.rows);
  }

  /** Prints no array for scripts, because an array with missing votes would look complete. */
  printInterrupted(terminal: Terminal, elapsedMs: number): void {
    terminal.err('stopped: votes that were being sent are not in these counts, but may have been recorded');
    if (this.rows === null) printSummary(this.tally, elapsedMs, terminal);
  }
}

const rowOf = ({ n, vote }: NumberedVote, result: SendResult): Row => ({
  n,
  player: vote.username,
  kind: result.kind,
  code: result.code,
  reached: reachedOf(result),
  detail: result.kind === 'failed' ? result.detail : null,
  sentence: result.sentence,
});

function reachedOf(result: SendResult): Row['reached'] {
  if (result.kind === 'failed') return result.reached;
  return result.kind === 'accepted' ? 'yes' : 'unknown';
}

function printSummary(tally: Tally, elapsedMs: number, terminal: Terminal): void {
  const rows = tally.rows();
  const [first] = rows;
  if (first !== undefined && tally.total === 1) {
    terminal.out(`${first.sentence} [${first.code}]`);
    return;
  }
  const lines = rows.map(({ count, code, sentence }) => [grouped(count), code, sentence]);
  printTable(terminal, [['votes', 'outcome', ''], ...lines]);
  const seconds = Math.max(elapsedMs, 1) / 1000;
  const rate = grouped(Math.round(tally.total / seconds));
  terminal.out(`${grouped(tally.total)} votes in ${seconds.toFixed(1)} s, ${rate} a second`);
}

const grouped = (count: number): string => count.toLocaleString('en');

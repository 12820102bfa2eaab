import type { WireVote } from '../../protocol/votifier/wire.ts';
import type { Terminal } from '../platform/terminal.ts';
import type { SendResult } from '../sender/conversation.ts';
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
  readonly reached: SendResult['reached'];
  readonly detail: string | null;
  readonly sentence: string;
}

interface Counted {
  readonly count: number;
  /** The sentence of the first result with this code; later results may have another message of the listener. */
  readonly sentence: string;
}

/** The results: each vote for scripts, counts for people. */
export class SendReport {
  total = 0;
  failed = 0;
  private readonly byCode = new Map<SendResult['code'], Counted>();
  /** Only with --json, because a million results take memory. */
  private readonly rows: Row[] | null;

  constructor(json: boolean) {
    this.rows = json ? [] : null;
  }

  add({ n, vote }: NumberedVote, result: SendResult): void {
    const { kind, code, reached, sentence } = result;
    const counted = this.byCode.get(code) ?? { count: 0, sentence };
    this.byCode.set(code, { ...counted, count: counted.count + 1 });
    this.total++;
    if (kind === 'failed') this.failed++;
    if (this.rows === null) return;
    const detail = kind === 'failed' ? result.detail : null;
    this.rows[n - 1] = { n, player: vote.username, kind, code, reached, detail, sentence };
  }

  print(terminal: Terminal, elapsedMs: number): void {
    if (this.rows === null) this.printSummary(terminal, elapsedMs);
    else printJson(terminal, this.rows);
  }

  /** Prints no array for scripts, because an array with missing votes would look complete. */
  printInterrupted(terminal: Terminal, elapsedMs: number): void {
    terminal.err('stopped: votes that were being sent are not in these counts, but may have been recorded');
    if (this.rows === null) this.printSummary(terminal, elapsedMs);
  }

  private printSummary(terminal: Terminal, elapsedMs: number): void {
    const counts = [...this.byCode].sort(([, a], [, b]) => b.count - a.count);
    const [first] = counts;
    if (first !== undefined && this.total === 1) {
      const [code, { sentence }] = first;
      terminal.out(`${sentence} [${code}]`);
      return;
    }
    const lines = counts.map(([code, { count, sentence }]) => [grouped(count), code, sentence]);
    printTable(terminal, [['votes', 'outcome', ''], ...lines]);
    const seconds = Math.max(elapsedMs, 1) / 1000;
    const rate = grouped(Math.round(this.total / seconds));
    terminal.out(`${grouped(this.total)} votes in ${seconds.toFixed(1)} s, ${rate} a second`);
  }
}

const grouped = (count: number): string => count.toLocaleString('en');

import type { Clock } from '../../core/clock.ts';
import type { ConfigNews } from '../../core/config-news.ts';
import type { Facts } from '../../core/reason.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Absences } from './absences.ts';
import type { Alarm, Seen } from './alarm.ts';

/** What the config says about what is watched. */
export interface Watched {
  /** The service names of the entries of `sites`. */
  readonly sites: readonly string[];
  readonly gameServers: readonly WatchedServer[];
  /** The folder of the ledger. */
  readonly folder: string;
}

export interface WatchedServer {
  readonly name: string;
  /** Whether it takes votes instead of commands. */
  readonly takesVotes: boolean;
}

export interface KindParts {
  readonly ledger: Pick<Ledger, 'grants' | 'grantStates' | 'clock' | 'queues' | 'receipts'>;
  readonly clock: Clock;
  /** In MiB, on the disk of a folder; null: not known. */
  readonly freeSpace: (folder: string) => Promise<number | null>;
}

/** What is known at the time of a look. */
export interface Around {
  readonly watched: Watched;
  /** When no Teller ran. */
  readonly absences: Absences;
  /** null: what runs is what the config file says. */
  readonly configNews: { readonly since: number; readonly news: ConfigNews } | null;
}

/** Looks once. Rejects with the ledger's Problem. */
export type Look<F extends Facts = Facts> = (around: Around) => Promise<readonly Seen<F>[]>;

/** A time as the reader of a message is told it. */
export type Say = (at: number) => string;

export type Told<F extends Facts> = Pick<Alarm, 'subject' | 'since'> & { readonly facts: F };

/** What alarms of one kind are about, and what people are told. Adding one means adding a file and naming it in `kinds.ts`. */
export interface AlarmKind<F extends Facts = Facts> {
  readonly code: string;
  /** When it holds, for the reference. */
  readonly means: string;
  /** How long it has to last before the operator is notified. */
  readonly lastsMs: number;
  /** @returns looks that may remember what the ones before have read. */
  watch(parts: KindParts): Look<F>;
  /** One or two sentences. */
  began(alarm: Told<F>, say: Say): string;
  toDo(alarm: Told<F>): string;
  ended(alarm: Told<F>, say: Say): string;
}

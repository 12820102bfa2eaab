/**
 * A history: the config with which Teller starts, and what then happens, step by step; and how it is shown as lines.
 */
import { changedEntries, LISTING, type ServerName, type WrittenConfig } from './config.ts';
import type { Failing, Shown } from './peers.ts';

export type Via = 'v1' | 'v2' | 'wrong token' | 'webhook' | 'api';

export interface Vote {
  readonly service: string;
  readonly player: string;
  /** One report after another, of the same vote. */
  readonly via: readonly Via[];
  readonly castAt: number;
  /** How the listener is told the time: in milliseconds, in seconds, or not at all. */
  readonly stamp: 'ms' | 's' | 'none';
  /** 1 for the first one of the history. */
  readonly number: number;
}

export type Step =
  /** Wall time goes on to this. */
  | { readonly kind: 'time'; readonly at: number }
  | { readonly kind: 'vote'; readonly vote: Vote }
  /** From now on the game server lists exactly these players. */
  | { readonly kind: 'online'; readonly server: ServerName; readonly players: readonly Shown[] }
  /** A command of the CLI, with `@vote N`, `@newest N` and `@STATE N` for the ID of a vote or of a grant in a state. */
  | { readonly kind: 'command'; readonly words: readonly string[] }
  | { readonly kind: 'reload'; readonly config: WrittenConfig }
  /** There is one at a time. */
  | { readonly kind: 'backup' }
  /** From now on the machine's clock shows another time than it is; 0: the right one. */
  | { readonly kind: 'clock'; readonly wrongByMs: number }
  /** kill -9, or a stop in order, after which the backup may be restored, and the next start at a later time. */
  | {
      readonly kind: 'down';
      readonly how: 'kill' | 'stop' | 'restore';
      readonly until: number;
      readonly config?: WrittenConfig;
    }
  | { readonly kind: 'fault'; readonly server: ServerName; readonly failing: Failing }
  | { readonly kind: 'listing'; readonly isUp: boolean };

export interface History {
  readonly seed: number;
  readonly startedAt: number;
  readonly config: WrittenConfig;
  readonly names: readonly string[];
  readonly steps: readonly Step[];
}

const iso = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z');

/** A history as lines: the config, and the steps with their numbers. */
export function described({ startedAt, config, steps }: History): readonly string[] {
  let known = config;
  return [
    ...changedEntries(null, config),
    `it is ${iso(startedAt)}, and Teller starts`,
    ...steps.flatMap((step, index) => {
      const next = 'config' in step ? step.config : undefined;
      const changes = next === undefined ? [] : changedEntries(known, next);
      known = next ?? known;
      return [`${index}: ${line(step)}`, ...changes.map((change) => `    ${change}`)];
    }),
  ];
}

function line(step: Step): string {
  switch (step.kind) {
    case 'time':
      return `it is ${iso(step.at)}`;
    case 'vote': {
      const { player, service, via, castAt, stamp, number } = step.vote;
      return `  ${player} votes on ${service} by ${via.join(', then ')}, cast at ${iso(castAt)} (${stamp}, number ${number})`;
    }
    case 'online':
      return `  on ${step.server}: ${step.players.map(({ name, uuid }) => `${name} ${uuid.slice(14, 15)}…${uuid.slice(-2)}`).join(', ') || 'nobody'}`;
    case 'command':
      return `  teller ${step.words.join(' ')}`;
    case 'reload':
      return '  reload';
    case 'backup':
      return '  backup';
    case 'clock':
      return `the clock is wrong by ${step.wrongByMs / 60_000} minutes`;
    case 'down':
      return `${step.how}; it starts again at ${iso(step.until)}`;
    case 'fault':
      return `  ${step.server} fails ${step.failing.times} times (${step.failing.kind}, ${step.failing.reward} for ${step.failing.player})`;
    case 'listing':
      return `  the API of ${LISTING} ${step.isUp ? 'answers' : 'is down'}`;
  }
}

import { onTestFinished } from 'vitest';
import { pause } from '../../../src/core/clock.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { SendResult } from '../../../src/sender/result.ts';
import { type Auth, type Place, sendVote } from '../../../src/sender/send-vote.ts';

/** What a listing knows about a vote that it sent. */
export interface SentVote {
  readonly player: string;
  readonly service: string;
  readonly version: 'v1' | 'v2';
  /** Of the last try, by the monotonic clock in ms. */
  from: number;
  /** Infinity: it is being sent. */
  to: number;
  tries: number;
  result: SendResult | null;
}

const RETRY_PAUSE_MS = 50;
/** Between two votes of a sender. */
export const CALM_MS = 200;
const SENDERS = 6;

export const SERVICES = ['A.example', 'B.example', 'C.example', 'D.example', 'E.example', 'F.example'];

/** How votes are sent, which a test may change while they are. */
export interface Addresses {
  placeOf(service: string): Place;
  /** The version of each vote, by its number. */
  authOf(service: string, number: number): Auth;
}

/** Listings that send votes of many players all the time, each vote until it is certain that it arrived, or not known. */
export class Listings {
  readonly votes: SentVote[] = [];
  pauseMs = CALM_MS;
  private readonly planted: string[] = [];
  private readonly running: Promise<void>[];
  private isOver = false;
  private isAbandoned = false;

  constructor(
    private readonly services: readonly string[],
    private readonly addresses: Addresses,
    private readonly join: (player: string) => void,
  ) {
    this.running = Array.from({ length: SENDERS }, () => this.work());
    onTestFinished(() => {
      this.isAbandoned = true;
      return this.stop();
    });
  }

  /** Lets a player vote among the others. */
  plant(player: string): void {
    this.planted.push(player);
  }

  /** Resolves when every vote has been sent. */
  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.running);
  }

  private async work(): Promise<void> {
    while (!this.isOver) {
      await this.send(this.votes.length);
      await pause(systemClock, this.pauseMs);
    }
  }

  /** Every player votes on every service, one after another. */
  private async send(number: number): Promise<void> {
    const { length } = this.services;
    const service = this.services[number % length] ?? '';
    const player = this.planted.shift() ?? `Player${Math.floor(number / length)}`;
    this.join(player);
    const auth = this.addresses.authOf(service, number);
    const { version } = auth;
    const vote: SentVote = { player, service, version, from: 0, to: 0, tries: 0, result: null };
    this.votes.push(vote);
    const wire = {
      serviceName: service,
      username: player,
      address: '192.0.2.7',
      timestamp: String(Date.now()),
    };
    // A vote that may have arrived and is tried again elsewhere would be two votes, of which the page promises nothing.
    const target = { ...this.addresses.placeOf(service), auth };
    while (!this.isAbandoned) {
      vote.tries += 1;
      vote.from = performance.now();
      vote.to = Number.POSITIVE_INFINITY;
      vote.result = await sendVote(wire, target, { clock: systemClock });
      vote.to = performance.now();
      if (vote.result.kind !== 'failed') return;
      // A vote of version 1 that may have arrived could be a second one there.
      if (version === 'v1' && vote.result.reached === 'unknown') return;
      await pause(systemClock, RETRY_PAUSE_MS);
    }
  }
}

/** A time in which a listener ended, by the monotonic clock in ms. */
export interface End {
  readonly from: number;
  readonly to: number;
}

/** Whether its listing cannot know what became of it: version 1, and the listener ended while it was being sent. */
export const isLostToEnd = (vote: SentVote, ends: readonly End[]): boolean =>
  vote.version === 'v1' && ends.some(({ from, to }) => vote.from <= to && from <= vote.to);

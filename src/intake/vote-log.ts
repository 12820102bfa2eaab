import type { Clock } from '../core/clock.ts';
import { isoTime } from '../core/instant.ts';
import type { Log } from '../core/log.ts';
import type { Problem } from '../core/problem.ts';
import type { Vote } from '../core/vote.ts';
import type { Recorded } from '../ledger/ledger.ts';
import { DEFAULT_SITE, entryToAdd } from './sites.ts';

/** Unlisted service names that are remembered as mentioned; beyond them nothing more is said. */
const MENTIONED_MAX = 200;
const UNABLE_SILENCE_MS = 10_000;

/** What the log says about votes, in sentences for the operator. */
export class VoteLog {
  private readonly log: Log;
  private readonly clock: Clock;
  private readonly practice: boolean;
  private readonly mentioned = new Set<string>();
  private unableLoggedAt = Number.NEGATIVE_INFINITY;
  private unableSince = 0;

  constructor(log: Log, clock: Clock, practice: boolean) {
    this.log = log;
    this.clock = clock;
    this.practice = practice;
  }

  recorded(vote: Vote, recorded: Recorded): void {
    const fields = {
      vote: recorded.id,
      service: vote.service,
      recipient: vote.recipient.key,
      channel: vote.channel,
    };
    const who = vote.recipient.kind === 'player' ? vote.recipient.player : vote.recipient.key;
    if (recorded.kind === 'same') {
      this.log.info(
        { ...fields, code: 'same-vote' },
        `${who} on ${vote.service}: vote ${recorded.id} again, counted once`,
      );
      return;
    }
    const { decision } = recorded;
    this.log.info(
      { ...fields, code: decision.kind },
      `${who} voted on ${vote.service}: ${describe(recorded)}`,
    );
    if (vote.site === DEFAULT_SITE) this.mentionUnlisted(vote.service);
    if (this.practice && isFromElsewhere(vote.address)) {
      this.log.warn(
        { ...fields, code: 'practice' },
        `vote ${recorded.id} came from ${vote.address}, but rewards go to a practice server: name a real one in gameServers`,
      );
    }
  }

  /** One line, then silence for a while: while the disk is full every vote fails. */
  unable(vote: Vote, problem: Problem): void {
    this.unableSince++;
    if (this.clock.monotonic() - this.unableLoggedAt < UNABLE_SILENCE_MS) return;
    this.log.error(
      { code: problem.code, votes: this.unableSince, service: vote.service, recipient: vote.recipient.key },
      `${this.unableSince} vote(s) could not be stored, and were not answered ok: ${problem.message}`,
    );
    this.unableLoggedAt = this.clock.monotonic();
    this.unableSince = 0;
  }

  private mentionUnlisted(service: string): void {
    if (this.mentioned.has(service) || this.mentioned.size >= MENTIONED_MAX) return;
    this.mentioned.add(service);
    this.log.warn(
      { code: 'unlisted-service', service },
      `${service} has no entry in sites, so it shares one window with all unlisted services; to give it its own, add ${entryToAdd(service)} to sites`,
    );
  }
}

function describe({ decision }: Extract<Recorded, { kind: 'new' }>): string {
  switch (decision.kind) {
    case 'rewarded':
      return `rewarded, ${decision.grants.length} grant(s): ${decision.grants.map((grant) => grant.reward).join(', ') || 'none'}`;
    case 'cooldown':
      return `counted; not rewarded again before ${isoTime(decision.nextAt)}`;
    case 'too-old':
    case 'before-start':
    case 'no-player':
      return `counted, not rewarded (${decision.kind})`;
  }
}

const isFromElsewhere = (address: string | null): boolean =>
  address !== null && !address.startsWith('127.') && address !== '::1';

/**
 * What the operator reads about votes in the log: one line for each vote, with its decision. What strangers can repeat at will has few
 * lines and then a count (rule 11). The doubt about the clock by which votes are judged is logged here too.
 */
import { isLoopback } from '../core/address.ts';
import type { Clock } from '../core/clock.ts';
import { doubtSentence } from '../core/clock-doubt.ts';
import type { WindowDecision } from '../core/decide.ts';
import { isoTime } from '../core/instant.ts';
import { INTERVAL_MS, IntervalTally } from '../core/interval-tally.ts';
import type { Log } from '../core/log.ts';
import { printable } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import { DEFAULT_SITE, shownService } from '../core/service-name.ts';
import type { Vote } from '../core/vote.ts';
import type { ClockNews, Recorded } from '../ledger/ledger.ts';
import { entryToAdd } from './sites.ts';

type NewVote = Extract<Recorded, { kind: 'new' }>;

/** At most this many unlisted service names are remembered and logged; further names are not logged. */
const MENTIONED_MAX = 200;
const SAME_VOTE = 'same-vote';
/** Lines for each reason in an interval; one more line gives the count. */
const NOT_REWARDED_SHOWN = 10;

/** Logs votes in sentences for the operator. */
export class VoteLog {
  private readonly mentioned = new Set<string>();
  private readonly mentionedShared = new Set<string>();
  /** Counts repeats, unrewarded votes by decision, and votes that could not be stored by the code of the reason. */
  private readonly tally: IntervalTally<string>;

  constructor(
    private readonly log: Log,
    clock: Clock,
    /** Whether rewards go to a practice server. */
    private practice: boolean,
  ) {
    this.tally = new IntervalTally(clock, (counts) => this.logRest(counts));
  }

  /** @param practice whether rewards go to a practice server from now on. */
  apply(practice: boolean): void {
    this.practice = practice;
  }

  recorded(vote: Vote, recorded: Recorded): void {
    if (recorded.kind === 'new') this.logNew(vote, recorded);
    else if (this.tally.count(SAME_VOTE) === 1) {
      const sentence = `${whoOf(vote)} on ${shownService(vote.service)}: vote ${recorded.id} arrived again, counted once`;
      this.log.info(fieldsOf(vote, recorded.id, SAME_VOTE), sentence);
    }
  }

  /** @param error a Problem, or a bug. */
  unable(vote: Vote, error: unknown): void {
    const code = error instanceof Problem ? error.code : 'bug';
    if (this.tally.count(code) > 1) return; // while the disk is full, every vote fails
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    const fields = { code, service: vote.service, recipient: vote.recipient.key };
    const sentence = `a vote of ${printable(vote.recipient.key)} on ${shownService(vote.service)} could not be stored`;
    if (code === 'bug')
      this.log.error({ ...fields, stack }, `${sentence} because of a bug in Teller: ${message}`);
    else this.log.error(fields, `${sentence}: ${message}`);
  }

  /** Logs the counts of the lines that were suppressed. */
  close(): void {
    this.tally.end();
  }

  private logNew(vote: Vote, recorded: NewVote): void {
    const { id, decision, sharedWith } = recorded;
    // Anyone who has seen the public key can send any number of valid votes, but only new names are rewarded.
    if (decision.kind === 'rewarded' || this.tally.count(decision.kind) <= NOT_REWARDED_SHOWN) {
      const sentence = `${whoOf(vote)} voted on ${shownService(vote.service)}: ${describe(recorded)}`;
      this.log.info(fieldsOf(vote, id, decision.kind), sentence);
    }
    if (vote.site === DEFAULT_SITE) this.mentionUnlisted(vote.service);
    if (sharedWith !== undefined) this.mentionShared(vote, id, sharedWith);
    if (this.practice && vote.address !== null && !isLoopback(vote.address)) {
      const sentence = `vote ${id} came from ${vote.address}, but rewards go to a practice server: add a real one to gameServers`;
      this.log.warn(fieldsOf(vote, id, 'practice'), sentence);
    }
  }

  private mentionUnlisted(service: string): void {
    if (!isFirstMention(service, this.mentioned)) return;
    const sentence = `${shownService(service)} has no entry in sites, so it shares one window with all unlisted services${ownWindow(service)}`;
    this.log.warn({ code: 'unlisted-service', service }, sentence);
  }

  /** Once for each service: its players lose rewards until it has an entry. */
  private mentionShared(vote: Vote, id: number, sharedWith: string): void {
    const { service } = vote;
    if (!isFirstMention(service, this.mentionedShared)) return;
    const toPay =
      entryToAdd(service) === null
        ? `\`teller votes reward ${id}\` pays this vote`
        : '`teller sites add` gives it its own and pays this vote';
    this.log.warn(
      { ...fieldsOf(vote, id, 'window-shared'), sharedWith },
      `${whoOf(vote)} gets no reward yet for vote ${id} on ${shownService(service)}, because a vote on ${shownService(sharedWith)} took the window that all services without an entry in sites share${ownWindow(service)}; ${toPay}`,
    );
  }

  private logRest(counts: ReadonlyMap<string, number>): void {
    const span = `in the last ${INTERVAL_MS / 1000} s`;
    for (const [code, count] of counts) {
      const isDecision = code in notRewarded;
      if (count <= (isDecision ? NOT_REWARDED_SHOWN : 1)) continue;
      if (isDecision)
        this.log.info(
          { code, votes: count },
          `${count} votes ${span} were counted but not rewarded (${code})`,
        );
      else if (code === SAME_VOTE)
        this.log.info({ code, repeats: count }, `${count} repeated votes ${span}, each counted once`);
      else this.log.error({ code, votes: count }, `${count} votes could not be stored ${span}`);
    }
  }
}

function isFirstMention(service: string, mentioned: Set<string>): boolean {
  if (mentioned.has(service) || mentioned.size >= MENTIONED_MAX) return false;
  mentioned.add(service);
  return true;
}

function ownWindow(service: string): string {
  const toAdd = entryToAdd(service);
  return toAdd === null ? '' : `; to give it its own, add ${toAdd} to sites`;
}

const fieldsOf = ({ service, recipient, channel }: Vote, id: number, code: string) => ({
  vote: id,
  service,
  recipient: recipient.key,
  channel,
  code,
});

const whoOf = ({ recipient }: Vote): string =>
  recipient.kind === 'player' ? recipient.player : printable(recipient.key);

function describe({ decision, rewards, isPaidElsewhere }: NewVote): string {
  if (decision.kind !== 'rewarded')
    return notRewarded[decision.kind]('nextAt' in decision ? isoTime(decision.nextAt) : '');
  const paid = isPaidElsewhere === true ? ' that the other side pays' : '';
  return `rewarded, ${rewards.length} grant(s)${paid}: ${rewards.join(', ') || 'none'}`;
}

const notRewarded: Readonly<Record<Exclude<WindowDecision['kind'], 'rewarded'>, (nextAt: string) => string>> =
  {
    unlisted: (nextAt) =>
      `counted, not rewarded yet: it waits for an entry in sites (unlisted); the next reward is possible at ${nextAt}`,
    cooldown: (nextAt) => `counted, not rewarded: the next reward is possible at ${nextAt}`,
    'no-player': () => 'counted, not rewarded: the vote names no player (no-player)',
    'too-old': () => 'counted, not rewarded (too-old)',
    'before-start': () => 'counted, not rewarded (before-start)',
  };

/** Logs when Teller starts to doubt the clock and when it trusts it again. */
export function reportClock(news: ClockNews, log: Log): void {
  if (news.kind === 'believed') {
    const sentence =
      'this machine’s clock is trusted again: it shows the expected time. Held rewards stay held until `teller clock release`';
    log.info({ code: 'clock-believed' }, sentence);
    return;
  }
  const { reason, aheadMs } = news.doubt;
  log.warn({ code: 'clock-doubtful', reason, aheadMs }, doubtSentence(news.doubt));
}

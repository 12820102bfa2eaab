import type { Clock } from '../../core/clock.ts';
import { DAY_MS } from '../../core/duration.ts';
import type { Log } from '../../core/log.ts';
import type { Random } from '../../core/random.ts';
import { uuid7 } from '../../core/uuid.ts';
import { Outbox } from '../../notify/outbox/outbox.ts';
import { NEWEST, type Page, type PageWanted, pageOf } from '../../web/paging.ts';
import type { ClaimedSend } from '../changes/send-changes.ts';
import type { Listing, VoteObserver } from '../contracts.ts';
import { isDatabaseFault } from '../database/database-fault.ts';
import type { ListingDatabase } from '../database/listing-database.ts';
import { IN_ALL_MAX } from '../outbox/claim-due.ts';
import type { Targets } from '../targets/target-rule.ts';
import { isPlayer, PLAYER_RULE } from '../votes/player.ts';
import { ListenerOutlet } from './listener-outlet.ts';
import { sendReasonSentence } from './send-reasons.ts';
import {
  type ListenerSettings,
  type LoggedSend,
  type NewSend,
  type SendEnd,
  type SendFigures,
  SendStore,
  toLoggedSend,
} from './send-store.ts';
import { CUT_OFF, type Send } from './sending.ts';
import { type EnteredSettings, type ReadSettings, readSettings } from './settings.ts';

export interface ListenerSendsParts extends ListingDatabase {
  readonly targets: Targets;
  readonly send: Send;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The service's own name, the same for every listing and vote (VT-06). */
  readonly serviceName: string;
}

/** Settings as they are shown, without the token. */
export type ShownSettings = Omit<ListenerSettings, 'credential'>;

/** Why a test vote is not sent. */
const testVoteRefusals = {
  'no-settings': 'There is no listener yet. Save its host, port and key first.',
  'player-not-allowed': PLAYER_RULE,
} as const satisfies Record<string, string>;

export type TestVoteResult =
  | { readonly kind: 'refused'; readonly code: keyof typeof testVoteRefusals; readonly sentence: string }
  | {
      readonly kind: 'tried';
      readonly outcome: SendEnd['outcome'];
      readonly code: SendEnd['code'];
      readonly sentence: string;
      /**
       * When a vote of this listing for the same player was last sent in the past 24 h, in which a player is rewarded
       * once; else null. The protocol's "ok" says that a vote was accepted, not whether it is rewarded.
       */
      readonly earlierAt: number | null;
    };

/**
 * Sends each vote that names a player to the listing's listener, at most once: a vote is marked before it is sent, and
 * votes that an earlier process marked are never sent.
 */
export class ListenerSends implements VoteObserver {
  private readonly store: SendStore;
  private readonly outbox: Outbox<ClaimedSend, SendEnd | null, SendEnd>;

  constructor(private readonly parts: ListenerSendsParts) {
    this.store = new SendStore(parts.database);
    this.outbox = new Outbox({
      ...{ outlet: new ListenerOutlet(parts), clock: parts.clock },
      ...{ isStorageFault: isDatabaseFault, mostAtOnce: IN_ALL_MAX },
    });
  }

  /** Call this before anything is sent: records how the votes ended that the last process left. */
  async cutOffOpen(): Promise<void> {
    const cutOff = await this.parts.changes.endOpenSends(CUT_OFF);
    if (cutOff === 0) return;
    this.parts.log.warn(
      { code: 'listener-sends-cut-off', votes: cutOff },
      `${cutOff} votes were being sent to listeners when the service stopped; they are not sent again`,
    );
  }

  close(): Promise<void> {
    return this.outbox.close();
  }

  voteCast(): void {
    this.outbox.nudge();
  }

  /** Sends a real vote for a named player, to find out whether the listener accepts it. */
  async testVote(listing: Listing, player: string): Promise<TestVoteResult> {
    const settings = listing.game === 'minecraft' ? this.store.settings(listing.id) : null;
    if (settings === null) return refused('no-settings');
    if (!isPlayer(player)) return refused('player-not-allowed');
    const marked = await this.outbox.marked(this.markTest(listing, player));
    const end = await this.outbox.send({ ...marked, settings });
    const earlierAt = await this.parts.reads.lastSentFor(marked, marked.startedAt - DAY_MS);
    const { outcome, code } = end;
    return { kind: 'tried', outcome, code, sentence: sendReasonSentence(end), earlierAt };
  }

  settings(listingId: string): ShownSettings | null {
    const settings = this.store.settings(listingId);
    if (settings === null) return null;
    const { host, port, method, updatedAt } = settings;
    return { host, port, method, updatedAt };
  }

  /** Checks the form, and stores it if it is valid. */
  async save(listingId: string, entered: EnteredSettings): Promise<ReadSettings> {
    const { targets, clock, changes } = this.parts;
    const read = await readSettings(entered, this.store.settings(listingId), targets);
    if (read.kind === 'settings') {
      await changes.saveListener(listingId, { ...read.settings, updatedAt: clock.now() });
    }
    return read;
  }

  remove(listingId: string): Promise<void> {
    return this.parts.changes.removeListener(listingId);
  }

  /** The outcomes of the last 24 hours. */
  day(listingId: string): Promise<SendFigures> {
    return this.parts.reads.sendFigures(listingId, this.parts.clock.now() - DAY_MS);
  }

  /** The votes of a listing with their outcomes, newest first. */
  async page(listingId: string, { limit, before }: PageWanted): Promise<Page<LoggedSend>> {
    const rows = await this.parts.reads.sendRows(listingId, before ?? NEWEST, limit + 1);
    return pageOf(rows.map(toLoggedSend), limit, (row) => ({ at: row.startedAt, id: row.id }));
  }

  private async markTest({ id: listingId }: Listing, player: string): Promise<NewSend> {
    const { clock, random, changes } = this.parts;
    const startedAt = clock.now();
    const send = { id: uuid7(startedAt, random), listingId, voteId: null, player, startedAt };
    await changes.beginSend(send);
    return send;
  }
}

const refused = (code: keyof typeof testVoteRefusals): TestVoteResult => ({
  kind: 'refused',
  code,
  sentence: testVoteRefusals[code],
});

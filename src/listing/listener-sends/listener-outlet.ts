import type { Log } from '../../core/log.ts';
import type { EndedJob, Outlet, Turn, TurnWanted } from '../../notify/outbox/outlet.ts';
import type { Changes } from '../changes/changes.ts';
import type { ClaimedSend } from '../changes/send-changes.ts';
import { sendReasonSentence } from './send-reasons.ts';
import type { SendEnd } from './send-store.ts';
import { CUT_OFF, SETTINGS_REMOVED, type Send, wireVote } from './sending.ts';

export interface ListenerOutletParts {
  readonly changes: Pick<Changes, 'sendsTurn'>;
  readonly send: Send;
  readonly log: Log;
  /** The service's own name, the same for every listing and vote (VT-06). */
  readonly serviceName: string;
}

/** The answer is null if the service stopped before the listener answered. */
type Ended = EndedJob<ClaimedSend, SendEnd | null>;

/**
 * Sends votes to listeners, at most once (VT-10). The mark is written with the vote, so claiming writes nothing. Votes
 * that an earlier process marked but did not finish are recorded as cut off when the service starts, and never claimed.
 */
export class ListenerOutlet implements Outlet<ClaimedSend, SendEnd | null, SendEnd> {
  constructor(private readonly parts: ListenerOutletParts) {}

  turn(wanted: TurnWanted<ClaimedSend, SendEnd | null>): Promise<Turn<ClaimedSend, SendEnd>> {
    const ended = wanted.ended.map(({ job: { id }, answer }) => ({ id, end: answer ?? CUT_OFF }));
    const inProgress = wanted.inProgress.map(({ id, listingId }) => ({ id, listingId }));
    return this.parts.changes.sendsTurn({ ...wanted, ended, inProgress });
  }

  /** Resolves with null if the service stops before the listener answers. */
  send({ settings, player, startedAt }: ClaimedSend, stop: AbortSignal): Promise<SendEnd | null> {
    if (settings === null) return Promise.resolve(SETTINGS_REMOVED);
    const sent = this.parts.send(wireVote(this.parts.serviceName, player, startedAt), settings);
    return new Promise((resolve) => {
      const cutOff = (): void => resolve(null);
      stop.addEventListener('abort', cutOff, { once: true });
      void sent.then((end) => {
        stop.removeEventListener('abort', cutOff);
        resolve(end);
      });
    });
  }

  report({ job: { listingId, voteId } }: Ended, end: SendEnd): void {
    const { log } = this.parts;
    const fields = { code: end.code, listing: listingId, vote: voteId };
    const sentence = sendReasonSentence(end);
    if (end.outcome === 'failed') log.info(fields, `a vote did not reach its listener: ${sentence}`);
    else log.debug(fields, sentence);
  }

  reportPause(error: Error): void {
    const fields = { code: 'listener-send-unrecorded', err: error };
    this.parts.log.error(
      fields,
      `sending votes to listeners is paused, because the database cannot be written: ${error.message}`,
    );
  }
}

import { isClockSet } from '../../core/clock.ts';
import { doubtSentence } from '../../core/clock-doubt.ts';
import { durationText } from '../../core/duration.ts';
import { type Finding, ok, problem, warning } from '../../core/finding.ts';
import { isoTime } from '../../core/instant.ts';
import { CLAIM_TOLERANCE_MS, isFoundLate } from '../../core/vote.ts';
import { kindOf } from '../../delivery/kinds.ts';
import type { ClockHistory } from '../../ledger/clock.ts';
import type { VoteRow } from '../../ledger/ledger.ts';
import type { Subject } from './subject.ts';

const VOTES_LOOKED_AT = 50;
/** Fewer prove nothing: one site's clock may be wrong. */
const VOTES_TELLING = 3;
const SET_BACK_MS = 60_000;

export const SET_CLOCK = 'set this machine’s clock by NTP (timedatectl set-ntp true)';

/** Cooldowns and claimed times depend on this clock. */
export async function checkClock({ clock, ledger, config }: Subject): Promise<readonly Finding[]> {
  const now = clock.now();
  if (!isClockSet(now))
    return [
      problem('clock-wrong', `this machine’s clock shows ${isoTime(now)}, so it is not set`, SET_CLOCK),
    ];
  const doubtful = ledger === null ? null : doubtFinding(await ledger.clock());
  if (doubtful !== null) return [doubtful];
  const votes = ledger === null ? [] : await ledger.votes({ limit: VOTES_LOOKED_AT });
  const [newest] = votes;
  if (newest !== undefined && newest.receivedAt > now + SET_BACK_MS && !isAllPractice(config)) {
    const sentence = `the latest vote was received at ${isoTime(newest.receivedAt)}, but the clock shows ${isoTime(now)}`;
    return [problem('clock-wrong', `${sentence}: it was set back`, SET_CLOCK)];
  }
  const apart = medianOfUnbelieved(votes);
  if (apart === null) return [ok('clock', `it is ${isoTime(now)}`)];
  const side = apart > 0 ? 'before' : 'after';
  const sentence = `most votes claim to have been cast ${durationText(apart)} ${side} they arrived, so the time of receipt is used instead`;
  return [warning('clock-wrong', sentence, SET_CLOCK)];
}

const RELEASE =
  'look at `date -u`, set the clock if it is wrong, then `teller clock release`; see docs/operators/clock.md';

const FIX = { kind: 'release-clock' } as const;

/** Rule 4: while the clock is doubted nothing is paid, and held rewards stay held until the operator releases them. */
function doubtFinding({ doubt, held }: ClockHistory): Finding | null {
  const rewards = held === 1 ? '1 reward is held' : `${held} rewards are held`;
  if (doubt !== null) return problem('clock-doubtful', `${doubtSentence(doubt)}; ${rewards}`, RELEASE, FIX);
  if (held === 0) return null;
  const sentence = `${rewards}, because this machine’s clock was doubtful when their votes arrived; the clock is trusted again`;
  return warning('clock-doubtful', sentence, 'look at `teller clock`, then `teller clock release`', FIX);
}

/** With practice servers only, wall time can be moved forward at any time (rule 9). */
const isAllPractice = ({ gameServers }: Subject['config']): boolean =>
  [...gameServers.values()].every((server) => kindOf(server).isPractice);

/** The median difference in ms from claimed time to receipt, if most claimed times are too far off; else null. */
function medianOfUnbelieved(votes: readonly VoteRow[]): number | null {
  const apart = votes.flatMap(({ channel, claimedAt, receivedAt }) =>
    claimedAt === null || isFoundLate(channel) ? [] : [receivedAt - claimedAt],
  );
  const far = apart.filter((ms) => Math.abs(ms) > CLAIM_TOLERANCE_MS).sort((a, b) => a - b);
  if (far.length < VOTES_TELLING || far.length * 2 <= apart.length) return null;
  return far[Math.floor(far.length / 2)] ?? null;
}

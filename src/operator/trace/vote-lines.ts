import type { Config, SiteConfig } from '../../config/config.ts';
import type { DecisionKind, RewardReasons } from '../../core/decide.ts';
import { durationText } from '../../core/duration.ts';
import { isoTime } from '../../core/instant.ts';
import { printable } from '../../core/printable.ts';
import { DEFAULT_SITE, shownService } from '../../core/service-name.ts';
import { type Channel, CLAIM_TOLERANCE_MS } from '../../core/vote.ts';
import type { VoteRow } from '../../ledger/ledger.ts';
import { explainRewards } from '../../rewards/words.ts';
import { adderOf } from '../../votes/judge-vote.ts';
import { entryToAdd, matchSite } from '../../votes/sites.ts';
import type { Line } from './line.ts';
import type { VoteTrace } from './vote-trace.ts';

const channelTexts: Readonly<Record<Channel, string>> = {
  'listener-v1': 'by Votifier v1',
  'listener-v2': 'by Votifier v2',
  webhook: 'by the signed webhook',
  api: 'found in the listing’s API, because it had been missed',
  operator: 'added by the operator',
  import: 'imported',
};

/** The clocks of two machines differ by this much anyway, so smaller differences are not shown. */
const WORTH_SAYING_MS = 1_000;

/** What became of a vote, line by line, without its grants. */
export function voteLines(
  { vote, takenBy }: VoteTrace,
  { sites, party }: Pick<Config, 'sites' | 'party'>,
): readonly Line[] {
  const parties = new Set(party.map(({ name }) => name));
  return [
    { about: 'came', text: cameText(vote) },
    ...(vote.sentAs === null ? [] : [{ about: 'name', text: nameText(vote.sentAs) }]),
    { about: 'cast', text: castText(vote) },
    { about: 'site', text: siteText(vote, sites) },
    { about: 'decision', text: decisionText(vote, takenBy) },
    ...clockLines(vote, takenBy),
    ...payLines(vote),
    ...rewardLines(vote.reasons, parties),
    ...listedLines(vote, parties),
    ...operatorLines(vote, parties),
    ...voidedLines(vote),
    ...(vote.repeats === 0 ? [] : [{ about: 'again', text: repeatText(vote) }]),
  ];
}

const cameText = ({ receivedAt, channel, address, wire }: VoteRow): string => {
  const adder = channel === 'operator' || channel === 'import' ? adderOf(wire) : null;
  const by = adder === null ? '' : `, ${printable(adder)}`;
  return `${isoTime(receivedAt)}, ${channelTexts[channel]}${by}${address === null ? '' : `, from ${address}`}`;
};

const nameText = (sentAs: string): string =>
  `the site sent “${printable(sentAs, 64)}”: a space in a name is read as _, as Bedrock names are shown`;

/** Rule 4: which time is used, and why. */
function castText({ castAt, claimedAt, receivedAt, channel }: VoteRow): string {
  const at = isoTime(castAt);
  if (channel === 'operator') return `${at}, as the operator said`;
  if (channel === 'import') return `${at}, the time in the file that it was imported from`;
  if (channel === 'webhook' || channel === 'api') return `${at}, the time that the listing reports`;
  if (castAt !== receivedAt && castAt !== claimedAt)
    return `${at}, the time that Teller believed when the vote arrived, because this machine’s clock was doubtful; it may be wrong, and the day that the vote counts for with it`;
  if (claimedAt === null) return `${at}, the time of receipt, because the site sent no usable time`;
  const apartMs = receivedAt - claimedAt;
  const side = apartMs > 0 ? 'before' : 'after';
  if (castAt === claimedAt) {
    const apart = Math.abs(apartMs) < WORTH_SAYING_MS ? '' : `, ${durationText(apartMs)} ${side} it arrived`;
    return `${at}, the time that the site sent${apart}`;
  }
  const tolerance = durationText(CLAIM_TOLERANCE_MS);
  return `${at}, the time of receipt: the site sent ${isoTime(claimedAt)}, which is ${durationText(apartMs)} ${side} it arrived, and a difference of more than ${tolerance} is not believed`;
}

function siteText({ service, site }: VoteRow, sites: ReadonlyMap<string, SiteConfig>): string {
  const name = shownService(service, 128);
  if (site !== DEFAULT_SITE) return `${name}, with its own entry in sites`;
  const shares = `${name} shares the window of unlisted sites`;
  if (matchSite(sites, service).isListed) return `${shares}; it now has its own entry`;
  const toAdd = entryToAdd(service);
  return toAdd === null ? shares : `${shares}; to give it its own window, add ${toAdd} to sites`;
}

const notRewarded: Readonly<
  Record<Exclude<DecisionKind, 'rewarded' | 'cooldown' | 'unlisted' | 'practice'>, string>
> = {
  'too-old': 'it was cast too long before it arrived',
  'before-start': 'it was cast before Teller first knew this site',
  'no-player': 'it names no player',
};

function decisionText(vote: VoteRow, takenBy: VoteRow | null): string {
  const { decision, nextAt } = vote;
  const next = nextAt === null ? '' : `; the next vote is rewarded from ${isoTime(nextAt)}`;
  switch (decision) {
    case 'rewarded':
      return `rewarded: it took the window ${windowText(vote)}${next}`;
    case 'cooldown':
      return `cooldown, so it came too early to be rewarded: ${takenText(vote, takenBy)} has the window ${windowText(vote)}${next}`;
    case 'unlisted':
      return `unlisted, so counted for its day and not rewarded${vote.channel === 'import' ? '' : ' yet'}: ${takenText(vote, takenBy)} has the window ${windowText(vote)} that services without an entry in sites share${entryHint(vote)}${next}`;
    case 'practice':
      return 'practice: it was sent from this machine before a real game server was connected, so it gave back its window and is in no total';
    default:
      return `${decision}, so it is not rewarded: ${notRewarded[decision]}`;
  }
}

/** Rule 4: by their cast times the two votes are far enough apart. */
function clockLines({ id, castAt, window }: VoteRow, takenBy: VoteRow | null): readonly Line[] {
  if (takenBy === null) return [];
  const ms = window.end - window.start;
  // A window that does not start with its vote is a calendar day.
  const isClose =
    window.start === castAt
      ? Math.abs(castAt - takenBy.castAt) < ms
      : takenBy.castAt >= window.start && takenBy.castAt < window.end;
  if (isClose) return [];
  const text = `this machine’s clock was doubtful when vote ${takenBy.id} came or since, so the two votes may be closer than their times; \`teller votes reward ${id}\` rewards this one too`;
  return [{ about: 'clock', text }];
}

/** What it earned is stored, and cancelled. */
const payLines = ({ isPaidElsewhere, channel }: VoteRow): readonly Line[] =>
  isPaidElsewhere
    ? [
        {
          about: 'pay',
          text:
            channel === 'import'
              ? 'not paid here: it is of the time before Teller'
              : 'not paid here: `pay` in the config left it to the other side',
        },
      ]
    : [];

/** A window that does not start with its vote is a calendar day. */
const windowText = ({ castAt, window: { start, end } }: VoteRow): string =>
  start === castAt ? `of ${durationText(end - start)}` : `from ${isoTime(start)} to ${isoTime(end)}`;

/** No entry pays an imported vote. */
function entryHint({ id, service, channel, operatorRewardedAt }: VoteRow): string {
  if (channel === 'import') return '';
  const byHand = operatorRewardedAt === null ? `, and \`teller votes reward ${id}\` without one` : '';
  return `; an entry for ${shownService(service, 128)} within 7 days pays this vote${byHand}`;
}

function takenText(vote: VoteRow, takenBy: VoteRow | null): string {
  if (takenBy === null) return `vote ${vote.takenBy}`;
  const where = takenBy.service === vote.service ? '' : ` on ${shownService(takenBy.service, 128)}`;
  return `vote ${takenBy.id}, cast at ${isoTime(takenBy.castAt)}${where},`;
}

/** @param parties the names of the config's parties; those of earlier configs are known by what is said of them. */
const rewardLines = (reasons: RewardReasons, parties: ReadonlySet<string>): readonly Line[] =>
  explainRewards(reasons).map(({ reward, code, sentence }) => ({
    about: parties.has(reward) || code === 'party' || code === 'party-over' ? 'party' : 'reward',
    text: `${reward}: ${sentence}`,
  }));

function listedLines({ listed, service }: VoteRow, parties: ReadonlySet<string>): readonly Line[] {
  if (listed === null) return [];
  const text = `decided at ${isoTime(listed.at)}, because ${shownService(service, 128)} got an entry in sites; until then it was unlisted: vote ${listed.takenBy} had the window that services without an entry share`;
  return [{ about: 'listed', text }, ...rewardLines(listed.reasons, parties)];
}

function operatorLines(
  { operatorRewardedAt, operatorReasons }: VoteRow,
  parties: ReadonlySet<string>,
): readonly Line[] {
  if (operatorRewardedAt === null) return [];
  const at = isoTime(operatorRewardedAt);
  return [
    { about: 'rewarded', text: `by the operator at ${at}; it takes no window` },
    ...rewardLines(operatorReasons, parties),
  ];
}

function voidedLines({ voided, decision }: VoteRow): readonly Line[] {
  if (voided === null) return [];
  const { at, by, reason } = voided;
  // A practice vote gives its window back.
  const rest =
    decision === 'practice'
      ? 'what was granted for it stays'
      : 'it is in no total and marks no day, and keeps its window and what was granted for it';
  const text = `by ${printable(by)} at ${isoTime(at)}: “${printable(reason, 200)}”; ${rest}`;
  return [{ about: 'voided', text }];
}

function repeatText({ repeats, repeatedAt }: VoteRow): string {
  const last = repeatedAt === null ? '' : `, last ${isoTime(repeatedAt)}`;
  const times = repeats === 1 ? '1 more time' : `${repeats} more times`;
  return `the same vote arrived ${times}${last}; it is counted once`;
}

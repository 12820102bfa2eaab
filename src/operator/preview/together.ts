import { localDay } from '../../core/local-time.ts';
import { periodName, periodOf } from '../../core/period.ts';
import { playerKey } from '../../core/player-name.ts';
import type { Recipient } from '../../core/vote.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { JudgedVote } from '../../rewards/condition.ts';
import { filteredOut, type RewardReason } from '../../rewards/judge-if.ts';
import type { Party, Rules, Top } from '../../rewards/reward.ts';
import {
  addStandings,
  countedReason,
  countedVote,
  countWith,
  leftUntil,
  OVER,
  type PartyCount,
  type Placed,
  partyPeriod,
  placesOf,
  type Standing,
  uncountedReason,
} from '../../rewards/together.ts';
import { reasonText } from '../../rewards/words.ts';
import { standingsIn } from '../together/top-places.ts';
import type { Preview } from './preview.ts';

/** What a vote would add to a party. */
export interface PartyPreview {
  readonly party: string;
  readonly for: Party['for'];
  readonly every: number;
  /** Of the party that is reached next. */
  readonly number: number;
  /** Votes that are left before this one. */
  readonly left: number;
  /** Those that are left after it; 0: it reaches the party. null: it does not count. */
  readonly leftAfter: number | null;
  /** Why it counts or not. */
  readonly reason: string;
}

/** Where the player stands in the period of a top that the vote belongs to. */
export interface TopPreview {
  readonly top: string;
  /** Such as `2026-11`. */
  readonly period: string;
  /** Whether its places are final, so that no vote changes them. */
  readonly isSettled: boolean;
  /** null: no place, because the player has no votes or gets none. */
  readonly place: number | null;
  readonly votes: number;
  /** The player who is one place better; null if there is none. */
  readonly ahead: { readonly player: string; readonly votes: number } | null;
  /** With this vote; null: it does not count. */
  readonly after: { readonly place: number; readonly votes: number } | null;
  /** Why it does not count; null: it does. */
  readonly uncounted: string | null;
}

export interface TogetherPreview {
  readonly parties: readonly PartyPreview[];
  readonly tops: readonly TopPreview[];
}

type Reader = Pick<Ledger, 'partyProgress' | 'standings' | 'settledPlaces' | 'playerTotals'>;

/** No recipient has this ID. */
const NOBODY = -1;
const NOT_IN_TOTALS = 'not rewarded';

/** What each of these votes would add to what players earn together, each as if it were the next one. */
export async function previewTogether(
  previews: readonly Preview[],
  { rules, tops }: { readonly rules: Rules; readonly tops: readonly Top[] },
  ledger: Reader,
): Promise<readonly TogetherPreview[]> {
  const progress = rules.parties.length === 0 ? [] : await ledger.partyProgress();
  const standings = new TopStandings(ledger, rules.zone);
  const together: TogetherPreview[] = [];
  for (const { arrival, decision } of previews) {
    const { vote } = arrival;
    const counted = countedVote(arrival, decision, rules.zone);
    const today = localDay(vote.receivedAt, rules.zone);
    const parties = rules.parties.map((party) => {
      const stored = progress.find((each) => each.party === party.name) ?? null;
      return partyPreview(party, stored, counted, today);
    });
    const day = localDay(vote.castAt, rules.zone);
    const places: TopPreview[] = [];
    for (const top of tops) places.push(await topPreview(top, counted, vote, day, standings));
    together.push({ parties, tops: places });
  }
  return together;
}

type Stored = PartyCount & { readonly number: number };

function partyPreview(
  party: Party,
  stored: Stored | null,
  counted: JudgedVote | null,
  today: number,
): PartyPreview {
  const number = stored?.number ?? 1;
  const left = leftUntil(party, stored, today);
  const shown = { party: party.name, for: party.for, every: party.every, number, left };
  const why =
    counted === null
      ? NOT_IN_TOTALS
      : reasonTextOrNull(uncountedReason(party, counted, today) ?? overReason(party, stored, counted));
  if (why !== null) return { ...shown, leftAfter: null, reason: why };
  // What is stored may be more than a smaller `every` needs.
  const leftAfter = Math.max(0, left - 1);
  return { ...shown, leftAfter, reason: reasonText(countedReason(number, leftAfter)) };
}

const overReason = (party: Party, stored: Stored | null, { day }: JudgedVote): RewardReason | null =>
  countWith(stored, partyPeriod(party, day)) === 'over' ? OVER : null;

const reasonTextOrNull = (reason: RewardReason | null): string | null =>
  reason === null ? null : reasonText(reason);

/** Reads the standings of each period once, however many votes are previewed. */
class TopStandings {
  private readonly read = new Map<string, Promise<readonly Standing[]>>();

  constructor(
    private readonly ledger: Reader,
    private readonly zone: string,
  ) {}

  of(top: Top, period: number): Promise<readonly Standing[]> {
    const key = JSON.stringify([top.name, period]);
    const found = this.read.get(key) ?? standingsIn(this.ledger, top, period, this.zone);
    this.read.set(key, found);
    return found;
  }

  settled(top: Top, period: number) {
    return this.ledger.settledPlaces(top, period);
  }

  /** The row of a recipient's history; one of their own for someone who was never named. */
  async idOf({ kind, key }: Pick<Recipient, 'kind' | 'key'>): Promise<number> {
    const [known] = await this.ledger.playerTotals([key], kind);
    return known?.recipientId ?? NOBODY;
  }

  async isExcluded({ exclude }: Top, { kind, key }: Pick<Recipient, 'kind' | 'key'>): Promise<boolean> {
    if (kind === 'user' || exclude.length === 0) return false;
    const keys = exclude.map(playerKey);
    const known = await this.ledger.playerTotals(keys);
    const id = await this.idOf({ kind, key });
    return keys.some((each) => each === key) || known.some(({ recipientId }) => recipientId === id);
  }
}

async function topPreview(
  top: Top,
  counted: JudgedVote | null,
  { recipient, castAt }: { readonly recipient: Recipient; readonly castAt: number },
  day: number,
  standings: TopStandings,
): Promise<TopPreview> {
  const period = periodOf(top.period, day);
  const shown = { top: top.name, period: periodName(top.period, period) };
  const settled = await standings.settled(top, period);
  if (settled !== null) {
    const own = settled.find((each) => each.recipient === recipient.key);
    const uncounted = 'the places are final';
    return {
      ...{ ...shown, isSettled: true, place: own?.place ?? null, votes: own?.votes ?? 0 },
      ...{ ahead: null, after: null, uncounted },
    };
  }
  const before = await standings.of(top, period);
  const id = await standings.idOf(recipient);
  const uncounted = (await standings.isExcluded(top, recipient)) ? 'excluded' : uncountedText(top, counted);
  const player = recipient.kind === 'player' ? recipient.player : null;
  const more: Standing = { recipientId: id, player, votes: 1, reachedAt: castAt };
  const after = uncounted === null ? placeOf(placesOf(top, withVote(before, more)), id) : null;
  return { ...shown, isSettled: false, ...standingOf(placesOf(top, before), id), after, uncounted };
}

const uncountedText = ({ if: filter }: Top, counted: JudgedVote | null): string | null =>
  counted === null ? NOT_IN_TOTALS : reasonTextOrNull(filteredOut(filter, counted));

function withVote(before: readonly Standing[], more: Standing): readonly Standing[] {
  const sums = new Map(before.map((each) => [each.recipientId, each]));
  addStandings(sums, [more]);
  return [...sums.values()];
}

function placeOf(places: readonly Placed[], id: number): TopPreview['after'] {
  const own = places.find(({ recipientId }) => recipientId === id);
  return own === undefined ? null : { place: own.place, votes: own.votes };
}

/** Without a place, everyone is ahead: the last of them is shown. */
function standingOf(places: readonly Placed[], id: number): Pick<TopPreview, 'place' | 'votes' | 'ahead'> {
  const own = places.find(({ recipientId }) => recipientId === id);
  const better = places.filter(({ place }) => own === undefined || place < own.place).at(-1);
  return {
    place: own?.place ?? null,
    votes: own?.votes ?? 0,
    ahead: better === undefined ? null : { player: better.player ?? 'a user ID', votes: better.votes },
  };
}

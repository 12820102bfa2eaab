import type { SiteConfig } from '../../config/config.ts';
import type { DecisionKind } from '../../core/decide.ts';
import { DAY_MS, UNLISTED_PAID_MS } from '../../core/duration.ts';
import { nearestWord } from '../../core/nearest-word.ts';
import { DEFAULT_SITE, OTHER_SERVICES, serviceNameOf } from '../../core/service-name.ts';
import type { Ledger, TallyRow } from '../../ledger/ledger.ts';
import { entryToAdd, matchSite } from '../../votes/sites.ts';
import {
  isProbablyFixed,
  type NoiseFigure,
  noiseFigures,
  REFUSALS_SHOWN_MS,
  type RefusalFigure,
  refusalFigures,
} from '../trace/refusals.ts';

/** A refusal of a service, compared with the votes of that service. */
export interface SiteRefusal extends RefusalFigure {
  /** A vote was counted later, which shows that the cause is gone. */
  readonly isProbablyFixed: boolean;
}

/** Everything known about one service name. */
export interface SiteFigures {
  readonly service: string;
  /** The entry of `sites` that applies to its votes now. */
  readonly site: string;
  readonly isListed: boolean;
  /** The page where players vote; null if its entry has none. */
  readonly url: string | null;
  readonly lastVoteAt: number | null;
  readonly today: number;
  readonly decisions: Partial<Record<DecisionKind, number>>;
  /** Votes of the last 7 days that are paid when the service gets an entry; if it has one, at the next start or reload. */
  readonly waiting: number;
  readonly refusals: readonly SiteRefusal[];
  /** The entry to add to `sites`; null if it has one or cannot have one. */
  readonly toAdd: string | null;
  /**
   * Needs an entry. False for a sender whose every vote had a wrong token: it needs the right token, or is a stranger.
   */
  readonly lacksEntry: boolean;
  /** A similar listed name, probably misspelled in the config. */
  readonly nearly: string | null;
}

export interface FiguresOfSites {
  /** By latest vote, newest first; then services that were only refused; then listed services that sent nothing. */
  readonly services: readonly SiteFigures[];
  /** Refusals without a readable service name, excluding scanners' noise. */
  readonly nameless: readonly RefusalFigure[];
  readonly noise: readonly NoiseFigure[];
  /** Votes under unlisted names that are not counted separately; null if there are none. */
  readonly others: OtherFigures | null;
}

export interface OtherFigures {
  readonly votes: number;
  readonly today: number;
  readonly lastVoteAt: number;
}

export async function figuresOfSites(
  ledger: Ledger,
  sites: ReadonlyMap<string, SiteConfig>,
  now: number,
): Promise<FiguresOfSites> {
  const startOfDay = Math.floor(now / DAY_MS) * DAY_MS;
  const rows = await ledger.tallies(startOfDay);
  const isOthers = ({ service }: TallyRow): boolean => service === OTHER_SERVICES;
  const tallies = groupedBy(
    rows.filter((row) => !isOthers(row)),
    ({ service }) => service,
  );
  const waiting = await ledger.waitingVotes(now - UNLISTED_PAID_MS);
  const counts = await ledger.refusals(now - REFUSALS_SHOWN_MS);
  const refused = refusalFigures(counts);
  const refusals = groupedBy(refused, ({ service }) => service);
  const hasFigures = (name: string) => tallies.has(name) || refusals.has(name);
  const refusedOnly = [...refusals.keys()]
    .filter((name) => name !== null)
    .filter((name) => !tallies.has(name));
  const silent = [...sites.keys()].filter((key) => key !== DEFAULT_SITE && !hasFigures(serviceNameOf(key)));
  return {
    services: [...tallies.keys(), ...refusedOnly, ...silent].map((service) => ({
      ...figuresOf(service, sites, tallies.get(service) ?? [], refusals.get(service) ?? []),
      waiting: waiting.get(service) ?? 0,
    })),
    nameless: refusals.get(null) ?? [],
    noise: noiseFigures(counts),
    others: otherFigures(rows.find(isOthers)),
  };
}

const otherFigures = (row: TallyRow | undefined): OtherFigures | null =>
  row === undefined
    ? null
    : {
        votes: Object.values(row.decisions).reduce((sum, votes) => sum + votes, 0),
        today: row.today,
        lastVoteAt: row.lastAt,
      };

function figuresOf(
  service: string,
  sites: ReadonlyMap<string, SiteConfig>,
  tallies: readonly TallyRow[],
  refusals: readonly RefusalFigure[],
): Omit<SiteFigures, 'waiting'> {
  const { key, entry, isListed } = matchSite(sites, service);
  const listed = [...sites.keys()].filter((name) => name !== DEFAULT_SITE);
  const lastVoteAt = tallies.length === 0 ? null : Math.max(...tallies.map(({ lastAt }) => lastAt));
  const toAdd = isListed ? null : entryToAdd(service);
  const mayBeListing = lastVoteAt !== null || refusals.some(({ code }) => code === 'v2-unknown-service');
  return {
    service,
    site: key,
    isListed,
    url: isListed ? entry.url : null,
    lastVoteAt,
    today: tallies.reduce((sum, { today }) => sum + today, 0),
    decisions: summed(tallies.map(({ decisions }) => decisions)),
    refusals: refusals.map((figure) => ({ ...figure, isProbablyFixed: isProbablyFixed(figure, lastVoteAt) })),
    toAdd,
    lacksEntry: toAdd !== null && mayBeListing,
    nearly: isListed ? null : nearestWord(service, listed),
  };
}

/** A service that got its entry later has statistics both under `default` and under its entry. */
function summed(parts: readonly SiteFigures['decisions'][]): SiteFigures['decisions'] {
  const sum: Partial<Record<DecisionKind, number>> = {};
  for (const [kind, votes] of parts.flatMap((part) => Object.entries(part))) {
    sum[kind as DecisionKind] = (sum[kind as DecisionKind] ?? 0) + votes;
  }
  return sum;
}

function groupedBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

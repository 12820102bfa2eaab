import type { SiteConfig } from '../../config/config.ts';
import type { DecisionKind } from '../../core/decide.ts';
import { DAY_MS } from '../../core/duration.ts';
import { nearestWord } from '../../core/nearest-word.ts';
import { OTHER_SERVICES, serviceNameOf } from '../../core/service-name.ts';
import { DEFAULT_SITE, entryToAdd, matchSite } from '../../intake/sites.ts';
import type { LedgerReader, TallyRow } from '../../ledger/ledger.ts';
import {
  isProbablyFixed,
  type NoiseFigure,
  noiseFigures,
  REFUSALS_SHOWN_MS,
  type RefusalFigure,
  refusalFigures,
} from '../../trace/refusals.ts';

/** A refusal beside the votes of the same service. */
export interface SiteRefusal extends RefusalFigure {
  /** A vote has counted since, and it shows that the cause is gone. */
  readonly isProbablyFixed: boolean;
}

/** What is known of one service name. */
export interface SiteFigures {
  readonly service: string;
  /** The entry of `sites` that its votes fall under now. */
  readonly site: string;
  readonly isListed: boolean;
  readonly lastVoteAt: number | null;
  readonly today: number;
  readonly decisions: Partial<Record<DecisionKind, number>>;
  readonly refusals: readonly SiteRefusal[];
  /** The entry to add to `sites`; null where it has one, or can have none. */
  readonly toAdd: string | null;
  /** It looks like a listing. A sender that only ever had a wrong token needs the right one, and is perhaps a stranger. */
  readonly lacksEntry: boolean;
  /** A listed name that is nearly this one: probably a slip in the config. */
  readonly nearly: string | null;
}

export interface FiguresOfSites {
  /** The latest vote first, then those that were only refused, then those that were never heard of. */
  readonly services: readonly SiteFigures[];
  /** Refusals that came before a service name could be read, scanners' noise left out. */
  readonly nameless: readonly RefusalFigure[];
  readonly noise: readonly NoiseFigure[];
  /** Votes of unlisted names beyond those that are kept apart; null where there are none. */
  readonly others: OtherFigures | null;
}

export interface OtherFigures {
  readonly votes: number;
  readonly today: number;
  readonly lastVoteAt: number;
}

export async function figuresOfSites(
  ledger: LedgerReader,
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
  const counts = await ledger.refusals(now - REFUSALS_SHOWN_MS);
  const refused = refusalFigures(counts);
  const refusals = groupedBy(refused, ({ service }) => service);
  const heard = (name: string) => tallies.has(name) || refusals.has(name);
  const refusedOnly = [...refusals.keys()]
    .filter((name) => name !== null)
    .filter((name) => !tallies.has(name));
  const silent = [...sites.keys()].filter((key) => key !== DEFAULT_SITE && !heard(serviceNameOf(key)));
  return {
    services: [...tallies.keys(), ...refusedOnly, ...silent].map((service) =>
      figuresOf(service, sites, tallies.get(service) ?? [], refusals.get(service) ?? []),
    ),
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
): SiteFigures {
  const { key, isListed } = matchSite(sites, service);
  const listed = [...sites.keys()].filter((name) => name !== DEFAULT_SITE);
  const lastVoteAt = tallies.length === 0 ? null : Math.max(...tallies.map(({ lastAt }) => lastAt));
  const toAdd = isListed ? null : entryToAdd(service);
  const mayBeListing = lastVoteAt !== null || refusals.some(({ code }) => code === 'v2-unknown-service');
  return {
    service,
    site: key,
    isListed,
    lastVoteAt,
    today: tallies.reduce((sum, { today }) => sum + today, 0),
    decisions: summed(tallies.map(({ decisions }) => decisions)),
    refusals: refusals.map((figure) => ({ ...figure, isProbablyFixed: isProbablyFixed(figure, lastVoteAt) })),
    toAdd,
    lacksEntry: toAdd !== null && mayBeListing,
    nearly: isListed ? null : nearestWord(service, listed),
  };
}

/** A service that got its entry later has figures under both. */
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

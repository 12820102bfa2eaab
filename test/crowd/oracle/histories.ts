/**
 * Random histories of crowds: a few people who vote, join a game server, change their names and take names that others
 * gave up, on listed and unlisted sites, while Teller is stopped for hours or days now and then. The same seed always
 * makes the same history. Then their configs, as operators could write them without an error.
 */

import { DAY, HOUR, MINUTE } from '../../rewards/oracle/calendar.ts';
import type { RawIf, RawLimit } from '../../rewards/oracle/written.ts';
import { Seeded } from '../../support/seeded.ts';
import type { CrowdConfig, CrowdEvent, CrowdHistory, CrowdReward, RawParty, RawTop } from './written.ts';

const JAVA_NAMES = ['Alex', 'Sasha', 'Kim', 'Robin', 'Lee', 'Toni'];
const BEDROCK_NAMES = ['.Alex', '.Kim', '.Lee'];
/** The evenings before the end of a month, a Sunday, and both changes of the clock. */
const BEGINNINGS = ['2026-11-27', '2026-12-29', '2026-10-23', '2026-10-30', '2027-03-26', '2027-02-26'];
/** Where Teller has time to do what is due. Twice the longest step of the comparison. */
const APART = 6 * MINUTE;
const UNLISTED = ['U1', 'U2', 'U3', 'U4', 'U5'];

type UuidKind = 'online' | 'offline' | 'floodgate';

/** Someone with a UUID, who has one name at a time. */
interface Person {
  readonly uuid: string;
  /** The names that they can have. */
  readonly names: readonly string[];
  name: string;
}

export function randomCrowd(seed: number): CrowdHistory {
  const random = new Seeded(seed);
  const startedAt = Date.parse(`${random.pick(BEGINNINGS)}T00:00:00Z`) + random.below(24) * HOUR;
  const config = randomCrowdConfig(random);
  const people = new People(random, random.chance(0.85) ? 'online' : 'offline');
  const events: CrowdEvent[] = [];
  const count = 30 + random.below(40);
  // Somebody who never comes, so that Teller always wants to know who is online.
  events.push({ kind: 'vote', at: startedAt + APART, service: 'Far', player: 'Nobody' });
  while (events.length < count) events.push(...nextEvents(random, config, people, endOf(events)));
  events.push(people.allShown(endOf(events) + DAY));
  return { startedAt, config, events };
}

/** When the last event is over. */
function endOf(events: readonly CrowdEvent[]): number {
  const last = events.at(-1) as CrowdEvent;
  return last.kind === 'down' ? last.until : last.at;
}

const PAUSES = [APART, APART, APART, 12 * MINUTE, HOUR, 5 * HOUR, 13 * HOUR, DAY, DAY];

function nextEvents(random: Seeded, config: CrowdConfig, people: People, end: number): CrowdEvent[] {
  // Votes are cast at the whole minute, and everything else happens half a minute later: nothing is due at either.
  const minute = Math.ceil((end + random.pick(PAUSES)) / MINUTE) * MINUTE;
  const at = minute + MINUTE / 2;
  const kind = random.below(22);
  if (kind >= 20) return kind === 20 ? people.void(at) : people.merge(at);
  if (kind < 9) {
    const votes = people.votes(minute, [...Object.keys(config.sites).slice(1), ...UNLISTED]);
    return random.chance(0.3) ? [...votes, people.someShown(endOf(votes) + APART + MINUTE / 2)] : votes;
  }
  if (kind < 13) return [people.someShown(at)];
  if (kind < 15)
    return [{ kind: 'listed', at: at + random.pick([0, DAY, 2 * DAY]), service: random.pick(UNLISTED) }];
  if (kind === 15) {
    const until = at + random.pick([HOUR, DAY, 3 * DAY]);
    // Who has taken which name is then seen soon after the start.
    return [{ kind: 'down', at, until }, ...(random.chance(0.5) ? people.rename(until + APART) : [])];
  }
  if (kind === 16) return [{ kind: 'passed', at: at + random.pick([DAY, 3 * DAY, 8 * DAY]) }];
  return people.rename(at);
}

class People {
  private readonly people: Person[];
  private newcomers = 0;
  /** How many votes there are, with the one of nobody. */
  private cast = 1;
  private readonly voided = new Set<number>();
  /** The names that have voted. */
  private readonly voted = new Set<string>();

  constructor(
    private readonly random: Seeded,
    private readonly kind: UuidKind,
  ) {
    this.people = JAVA_NAMES.slice(0, 3 + random.below(2)).map((name) => this.newcomer(name, JAVA_NAMES));
    if (random.chance(0.3)) this.people.push(this.newcomer('.Alex', BEDROCK_NAMES));
  }

  /** One person on several sites, or several people, most of them in their own names, and some in one that they had or will have. */
  votes(at: number, services: readonly string[]): CrowdEvent[] {
    const isOne = this.random.chance(0.5);
    const voter = this.voter();
    const first = this.random.below(services.length);
    const count = this.random.pick([1, 2, 3, 4]);
    this.cast += count;
    return Array.from({ length: count }, (_, index) => {
      const service = isOne ? services[(first + index) % services.length] : this.random.pick(services);
      const player = isOne ? voter : this.voter();
      this.voted.add(player);
      return { kind: 'vote', at: at + index * MINUTE, service: service as string, player };
    });
  }

  /** Where UUIDs say nothing, somebody turns out to be another one whose votes the operator knows: two become one person. */
  merge(at: number): CrowdEvent[] {
    const [one, other] = this.people.filter(({ name }) => this.voted.has(name) && !name.startsWith('.'));
    if (this.kind !== 'offline' || one === undefined || other === undefined) return this.void(at);
    this.people.splice(this.people.indexOf(one), 1);
    return [{ kind: 'merged', at, name: one.name, into: other.name }];
  }

  void(at: number): CrowdEvent[] {
    const vote = this.random.below(this.cast);
    if (this.voided.has(vote)) return [];
    this.voided.add(vote);
    return [{ kind: 'void', at, vote }];
  }

  private voter(): string {
    const person = this.random.pick(this.people);
    return this.random.chance(0.75) ? person.name : this.random.pick(person.names);
  }

  someShown(at: number): CrowdEvent {
    const share = this.random.pick([0, 0.3, 0.6]);
    return this.shown(
      at,
      this.people.filter(() => this.random.chance(share)),
    );
  }

  allShown(at: number): CrowdEvent {
    return this.shown(at, this.people);
  }

  /** Someone takes a name that is free; perhaps someone new takes the one that was given up, and comes first. */
  rename(at: number): CrowdEvent[] {
    const person = this.random.pick(this.people);
    const free = person.names.filter((name) => !this.people.some((one) => one.name === name));
    if (free.length === 0) return [];
    const given = person.name;
    person.name = this.random.pick(free);
    if (this.random.chance(0.3)) return [];
    const stranger = this.newcomer(given, person.names);
    this.people.push(stranger);
    return this.random.chance(0.5) ? [this.shown(at, [stranger])] : [];
  }

  private shown(at: number, people: readonly Person[]): CrowdEvent {
    return { kind: 'shown', at, players: people.map(({ name, uuid }) => ({ name, uuid })) };
  }

  private newcomer(name: string, names: readonly string[]): Person {
    this.newcomers++;
    const kind = names === BEDROCK_NAMES ? 'floodgate' : this.kind;
    return { uuid: UUIDS[kind] + String(this.newcomers).padStart(12, '0'), name, names };
  }
}

/** All but the last 12 digits. */
const UUIDS: Readonly<Record<UuidKind, string>> = {
  online: '11111111-1111-4111-8111-',
  offline: '11111111-1111-3111-8111-',
  floodgate: '00000000-0000-0000-0009-',
};

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York'];

function randomCrowdConfig(random: Seeded): CrowdConfig {
  const listed = ['A', 'B'].slice(0, 1 + random.below(2));
  return {
    timeZone: random.pick(ZONES),
    sites: {
      default: { cooldown: random.pick(['24h', '24h', 'day', '8h']) },
      ...Object.fromEntries(listed.map((name) => [name, {}])),
      Far: {},
    },
    rewards: [{ name: 'daily', commands: [] }, ...several(random, randomReward)],
    party: several(random, randomParty),
    tops: several(random, randomTop),
  };
}

const several = <T>(random: Seeded, one: (random: Seeded, index: number) => T): T[] =>
  Array.from({ length: 1 + random.below(2) }, (_, index) => one(random, index));

const randomReward = (random: Seeded, index: number): CrowdReward => {
  const condition = random.pick(CONDITIONS);
  const when = random.pick(['online', 'always'] as const);
  const isLimited = condition.streak === undefined && random.chance(0.3);
  const limit = isLimited ? { limit: randomLimit(random) } : {};
  return { name: `reward${index}`, if: condition, when, ...limit, commands: [] };
};

const randomLimit = (random: Seeded): RawLimit => ({
  per: random.pick(['player', 'network'] as const),
  count: 1 + random.below(2),
  within: random.pick(['day', 'week', '24h', 'ever'] as const),
});

const CONDITIONS: readonly RawIf[] = [
  {},
  { votes: { every: 2 } },
  { votes: { at: [3, 5, 8] } },
  { votes: { every: 2, of: 'week' } },
  { votes: { every: 5, of: 'network' } },
  { firstVote: true },
  { firstVote: 'day' },
  { streak: 2 },
  { streak: 2 },
  { streak: 3 },
  { streak: { length: 2, repeat: true } },
  { streak: { length: 3, repeat: true, forgive: { missed: 1, in: 3 } } },
  { site: 'A' },
  { returning: '36h' },
];

function randomParty(random: Seeded, index: number): RawParty {
  const kind = random.pick(['voters', 'voters', 'online', 'online', 'once'] as const);
  return {
    name: `party${index}`,
    every: 2 + random.below(4),
    for: kind,
    ...(kind === 'online' && random.chance(0.6) ? { minOnline: 2 + random.below(2) } : {}),
    ...(kind !== 'once' && random.chance(0.3) ? { userVotes: 2 } : {}),
    ...(kind === 'once' ? {} : { when: random.pick(['online', 'always'] as const) }),
    ...(random.chance(0.5) ? { reset: random.pick(['day', 'day', 'week', 'month'] as const) } : {}),
    ...(random.chance(0.2) ? { if: { weekday: ['sat', 'sun'] } as const } : {}),
    commands: [],
  };
}

const randomTop = (random: Seeded, index: number): RawTop => ({
  name: `top${index}`,
  period: random.pick(['day', 'week', 'month'] as const),
  prizes: random.pick([{ '1': [] }, { '1': [], '2..3': [] }, { '2': [] }]),
  ties: random.pick(['first', 'share'] as const),
  ...(random.chance(0.3) ? { exclude: ['Alex'] } : {}),
  ...(random.chance(0.3) ? { settle: '5h' } : {}),
  ...(random.chance(0.2) ? { if: { site: 'A' } } : {}),
  when: random.pick(['online', 'always'] as const),
});

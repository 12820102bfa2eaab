import { localDay } from '../../../core/local-time.ts';
import { periodName } from '../../../core/period.ts';
import type { Rules, Top } from '../../../rewards/reward.ts';
import type { SimulatedVote } from '../simulate.ts';
import { FigureCounter, type Figures } from './figures.ts';
import { type Sum, Sums } from './sums.ts';

/** What simulated votes would be paid, day by day, as if everything were paid at once. */
export interface MonthCalendar extends Figures {
  /** One for each day, also those without a vote. */
  readonly days: readonly CalendarDay[];
  /** By game server, in the order of the config's rewards. */
  readonly servers: readonly ServerFigures[];
}

export interface CalendarDay {
  /** Such as `2026-11-24`. */
  readonly date: string;
  readonly votes: number;
  /** How often each reward, party and top was granted, without those that were not. */
  readonly grants: readonly DayGrants[];
  readonly commands: number;
  /** The first of what its commands add up to. */
  readonly sums: readonly Sum[];
  /** How many kinds of commands are left out of `sums`. */
  readonly otherSums: number;
}

export interface DayGrants {
  readonly name: string;
  /** Once for each player and occasion, on however many game servers. */
  readonly grants: number;
}

export interface ServerFigures {
  /** A name, or several of which the player is on one, such as `sky or lobby`. */
  readonly server: string;
  readonly commands: number;
  /** The day with the most commands. */
  readonly busiest: { readonly date: string; readonly commands: number };
  readonly sums: readonly Sum[];
  readonly otherSums: number;
}

const SUMS_OF_A_DAY = 10;
const SUMS_OF_A_SERVER = 50;

/** A command that is run, and when. */
interface Run {
  readonly day: number;
  readonly server: string;
  readonly command: string;
  readonly player: string | null;
}

/** Counts simulated votes by day and game server. */
export class CalendarCounter {
  private readonly figures: FigureCounter;
  private readonly days = new Map<number, DayCounts>();
  private readonly servers = new Map<string, ServerCounts>();

  constructor(
    private readonly rules: Pick<Rules, 'rewards' | 'parties' | 'zone'>,
    tops: readonly Top[],
  ) {
    this.figures = new FigureCounter(rules, tops);
  }

  add(simulated: SimulatedVote): void {
    this.figures.add(simulated);
    const { vote } = simulated.arrival;
    const day = localDay(vote.castAt, this.rules.zone);
    const player = vote.recipient.kind === 'player' ? vote.recipient.player : vote.recipient.key;
    this.on(day).votes += 1;
    this.grant(day, new Set(simulated.grants.map((each) => `${each.reward}\n${each.occasion}`)));
    for (const { server, commands } of simulated.grants)
      for (const command of commands) this.run({ day, server, command, player });
    for (const { at, grants } of simulated.together) {
      const paidOn = localDay(at, this.rules.zone);
      this.grant(
        paidOn,
        new Set(grants.map((each) => `${each.reward}\n${each.occasion}\n${each.player ?? ''}`)),
      );
      for (const { server, commands, player: paid } of grants)
        for (const command of commands) this.run({ day: paidOn, server, command, player: paid });
    }
  }

  /** @param first the first day, as days since 1970-01-01. */
  calendar(first: number, days: number): MonthCalendar {
    return {
      ...this.figures.figures(),
      days: Array.from({ length: days }, (_, at) => dayOf(first + at, this.days.get(first + at))),
      servers: [...this.servers].map(([server, counts]) => serverOf(server, counts)),
    };
  }

  /** @param keys each begins with the name of a reward. */
  private grant(day: number, keys: ReadonlySet<string>): void {
    const { grants } = this.on(day);
    for (const key of keys) {
      const [name = ''] = key.split('\n', 1);
      grants.set(name, (grants.get(name) ?? 0) + 1);
    }
  }

  private run({ day, server, command, player }: Run): void {
    const ofDay = this.on(day);
    ofDay.commands += 1;
    ofDay.sums.add(command, player);
    const ofServer = this.servers.get(server) ?? { sums: new Sums(), byDay: new Map<number, number>() };
    this.servers.set(server, ofServer);
    ofServer.sums.add(command, player);
    ofServer.byDay.set(day, (ofServer.byDay.get(day) ?? 0) + 1);
  }

  private on(day: number): DayCounts {
    const known = this.days.get(day) ?? newDay();
    this.days.set(day, known);
    return known;
  }
}

interface DayCounts {
  votes: number;
  commands: number;
  readonly grants: Map<string, number>;
  readonly sums: Sums;
}

const newDay = (): DayCounts => ({ votes: 0, commands: 0, grants: new Map(), sums: new Sums() });

interface ServerCounts {
  readonly sums: Sums;
  /** Commands by day. */
  readonly byDay: Map<number, number>;
}

function dayOf(day: number, counts: DayCounts = newDay()): CalendarDay {
  const { votes, commands, grants } = counts;
  return {
    date: periodName('day', day),
    votes,
    grants: [...grants].map(([name, times]) => ({ name, grants: times })),
    commands,
    ...shortened(counts.sums, SUMS_OF_A_DAY),
  };
}

function serverOf(server: string, { sums, byDay }: ServerCounts): ServerFigures {
  const [day, commands] = [...byDay].reduce((most, each) => (each[1] > most[1] ? each : most));
  return {
    server,
    commands: [...byDay.values()].reduce((sum, each) => sum + each, 0),
    busiest: { date: periodName('day', day), commands },
    ...shortened(sums, SUMS_OF_A_SERVER),
  };
}

function shortened(sums: Sums, most: number): Pick<CalendarDay, 'sums' | 'otherSums'> {
  const all = sums.all();
  return { sums: all.slice(0, most), otherSums: Math.max(0, all.length - most) };
}

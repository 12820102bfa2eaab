import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { operator } from './operator.ts';

/** Votes on A.example earn a diamond, and those on B.example a beacon. */
const REWARDS = [
  { name: 'diamond', if: { site: 'A.example' }, commands: ['give {player} diamond 1'] },
  { name: 'beacon', if: { site: 'B.example' }, commands: ['give {player} beacon 1'] },
];
const SITES = { 'A.example': {}, 'B.example': {} };
const NOON = Date.parse('2026-06-01T08:00:00Z');
const MINUTE = 60_000;

const DEEDS = [
  ...(['right', 'nothing', 'twice', 'another player', 'wrong reward'] as const),
  ...(['late', 'paid again within the cooldown', 'right'] as const),
];
type Deed = (typeof DEEDS)[number];

interface Paid {
  readonly at: number;
  readonly player: string;
  readonly item: 'Diamond' | 'Beacon';
}

/** What the other side pays for a vote on A.example. */
function paidFor(deed: Deed, player: string, votedAt: number): readonly Paid[] {
  const at = votedAt + 700;
  const diamond = { at, player, item: 'Diamond' } as const;
  switch (deed) {
    case 'nothing':
      return [];
    case 'twice':
      return [diamond, { ...diamond, at: at + 400 }];
    case 'another player':
      return [{ ...diamond, player: `Not${player}` }];
    case 'wrong reward':
      return [{ ...diamond, item: 'Beacon' }];
    case 'late':
      return [{ ...diamond, at: at + 90 * MINUTE }];
    case 'paid again within the cooldown':
      return [diamond, { ...diamond, at: at + 5 * MINUTE }];
    case 'right':
      return [diamond];
  }
}

/** Each deed for several players, who vote one after another; and players whose votes earn the other reward. */
async function beside() {
  const one = await operator({ rewards: REWARDS, sites: { default: {}, ...SITES }, pay: { mode: 'shadow' } });
  const cast = Array.from({ length: 5 }, () => DEEDS)
    .flat()
    .map((deed, index) => ({ deed, player: `P${index}`, at: NOON + index * 2 * MINUTE }));
  const paid: Paid[] = [];
  for (const { deed, player, at } of cast) {
    await one.vote(player, 'A.example', { at: new Date(at).toISOString() });
    paid.push(...paidFor(deed, player, at));
  }
  for (const { deed, player, at } of cast)
    if (deed === 'paid again within the cooldown')
      await one.vote(player, 'A.example', { at: new Date(at + 5 * MINUTE).toISOString() });
  for (const { player, at } of cast.slice(0, 8)) {
    await one.vote(`Q${player}`, 'B.example', { at: new Date(at).toISOString() });
    paid.push({ at: at + 300, player: `Q${player}`, item: 'Beacon' });
  }
  one.clock.set('2026-06-01T13:00:00Z');
  const playersOf = (...deeds: readonly Deed[]) =>
    cast.filter(({ deed }) => deeds.includes(deed)).map(({ player }) => player);
  return { one, paid: paid.toSorted((a, b) => a.at - b.at), playersOf };
}

interface Format {
  readonly name: string;
  readonly hasTimes: boolean;
  readonly file: string;
  /** Of all payments if its lines name the item; of one item otherwise. */
  readonly text: (paid: readonly Paid[], item: Paid['item']) => string;
  readonly flags: (item: Paid['item']) => readonly string[];
}

const only = (paid: readonly Paid[], item: Paid['item']) => paid.filter((each) => each.item === item);
const iso = (at: number): string => new Date(at).toISOString();
const PLUGIN_LINE = '^\\[(?<time>[^\\]]+)\\] Gave 1 \\[ITEM\\] to (?<player>\\S+)';
/** That of the page. */
const SERVER_LINE = '^\\[(?<time>[\\d:]{8}).*\\[ITEM\\]\\sto\\s(?<player>[\\w.*]+)';

/** Each payment, and what else a log has. */
const linesOf = (paid: readonly Paid[], line: (at: number, said: string) => string): readonly string[] =>
  paid.flatMap(({ at, player, item }) => [
    line(at, `${player} issued server command: /vote`),
    line(at, `Gave 1 [${item}] to ${player}`),
  ]);

const serverLine = (at: number, said: string): string =>
  `[${iso(at).slice(11, 19)}] [Server thread/INFO]: ${said}`;

const FORMATS: readonly Format[] = [
  {
    ...{ name: 'CSV with times and services', hasTimes: true, file: 'paid.csv', flags: () => [] },
    text: (paid, item) => ['player,service,time', ...only(paid, item).map((each) => rowOf(each))].join('\n'),
  },
  {
    ...{ name: 'CSV with players alone', hasTimes: false, file: 'paid.csv', flags: () => [] },
    text: (paid, item) => ['player', ...only(paid, item).map(({ player }) => player)].join('\r\n'),
  },
  {
    ...{ name: 'JSON lines', hasTimes: true, file: 'paid.jsonl', flags: () => [] },
    text: (paid, item) =>
      only(paid, item)
        .map(({ player, at }) => JSON.stringify({ username: player, timestamp: at }))
        .join('\n'),
  },
  {
    ...{ name: 'a log with days', hasTimes: true, file: 'votes.log' },
    flags: (item) => ['--line', PLUGIN_LINE.replace('ITEM', item)],
    text: (paid) =>
      linesOf(paid, (at, said) => `[${iso(at).slice(0, 19).replace('T', ' ')}] ${said}`).join('\r\n'),
  },
  {
    ...{ name: 'a log of a game server, with its day in its name', hasTimes: true, file: '2026-06-01-1.log' },
    flags: (item) => ['--line', SERVER_LINE.replace('ITEM', item)],
    text: (paid) => linesOf(paid, serverLine).join('\n'),
  },
  {
    ...{ name: 'the log of a game server', hasTimes: true, file: 'latest.log' },
    flags: (item) => ['--line', SERVER_LINE.replace('ITEM', item), '--day', '2026-06-01'],
    text: (paid) => linesOf(paid, serverLine).join('\n'),
  },
];

const rowOf = ({ player, item, at }: Paid): string =>
  `${player},${item === 'Diamond' ? 'A.example' : ''},${iso(at)}`;

const KINDS = ['unpaid', 'twice', 'notOwed', 'withoutVote'] as const;
type Found = Readonly<Record<(typeof KINDS)[number], readonly string[]>>;

interface ReportedPlayer extends Readonly<Record<(typeof KINDS)[number], readonly object[]>> {
  readonly player: string;
}

/** The players of each kind of difference, once for each payment or vote. */
function foundIn(out: string): Found {
  const { compared } = JSON.parse(out) as { compared: { players: readonly ReportedPlayer[] } };
  const of = (kind: (typeof KINDS)[number]): string[] =>
    compared.players.flatMap((each) => each[kind].map(() => each.player.toLowerCase())).toSorted();
  return { unpaid: of('unpaid'), twice: of('twice'), notOwed: of('notOwed'), withoutVote: of('withoutVote') };
}

const lowered = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase()).toSorted();

describe.each(FORMATS)('$name', ({ file, text, flags, hasTimes }) => {
  test('shows every vote that was paid wrongly, and no other', async () => {
    const { one, paid, playersOf } = await beside();
    const against = path.join(one.folder, file);
    writeFileSync(against, text(paid, 'Diamond'));
    const words = ['--against', against, ...flags('Diamond'), '--reward', 'diamond', '--json'];
    const { out, exit } = await one.teller('shadow', 'report', ...words);
    expect(exit).toBe(1);
    const doubled = lowered(playersOf('twice'));
    const again = lowered(playersOf('paid again within the cooldown'));
    const others = lowered(playersOf('another player').map((player) => `Not${player}`));
    expect(foundIn(out)).toEqual({
      unpaid: lowered(playersOf('nothing', 'another player', 'wrong reward')),
      twice: hasTimes ? doubled : [],
      notOwed: hasTimes ? again : [],
      withoutVote: hasTimes ? others : [...others, ...doubled, ...again].toSorted(),
    });
  });

  test('shows who got a reward that their vote did not earn', async () => {
    const { one, paid, playersOf } = await beside();
    const against = path.join(one.folder, file);
    writeFileSync(against, text(paid, 'Beacon'));
    const words = ['--against', against, ...flags('Beacon'), '--reward', 'beacon', '--json'];
    const { out } = await one.teller('shadow', 'report', ...words);
    const wrong = lowered(playersOf('wrong reward'));
    expect(foundIn(out)).toEqual({
      ...{ unpaid: [], twice: [] },
      notOwed: hasTimes ? wrong : [],
      withoutVote: hasTimes ? [] : wrong,
    });
  });
});

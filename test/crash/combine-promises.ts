import type { GrantRow } from '../../src/ledger/ledger.ts';
import { stateFaults } from './grant-promises.ts';
import { grantsOf, type LedgerContents } from './ledger-contents.ts';
import { hasRun, type RecordedCommand } from './minecraft-server.ts';
import { COINS } from './sites.ts';

/**
 * Grants that are paid as one have one command, one outcome, and `{count}` is how many they are; the counts that a player
 * was sent add up to the grants that are delivered, and at most to those that may be.
 */
export function combineFaults(contents: LedgerContents, recorded: readonly RecordedCommand[]): string[] {
  const grants = grantsOf(contents, COINS.name);
  return [
    ...grants.flatMap(stateFaults),
    ...[...grouped(grants, ({ id, combined }) => combined?.with ?? id)].flatMap(([first, lot]) =>
      lotFaults(first, lot),
    ),
    ...[...grouped(grants, ({ player }) => player?.toLowerCase())].flatMap(([player, own]) =>
      sumFaults(player ?? '', own, coinsGiven(recorded, player ?? '')),
    ),
  ];
}

function lotFaults(first: number, lot: readonly GrantRow[]): string[] {
  const ends = new Set(
    lot.map(({ state, commands }) => `${state}: ${commands[0]?.command} ${commands[0]?.outcome}`),
  );
  const [end = ''] = ends;
  const count = / (\d+) \w+$/.exec(end)?.[1];
  return [
    ...(ends.size === 1
      ? []
      : [`the grants that are paid with ${first} have ended differently: ${[...ends].join('; ')}`]),
    ...(Number(count) === lot.length ? [] : [`${lot.length} grants are paid with ${first} by “${end}”`]),
  ];
}

function sumFaults(player: string, grants: readonly GrantRow[], given: number): string[] {
  const delivered = grants.filter(({ state }) => state === 'delivered').length;
  const held = grants.filter(({ state }) => state === 'held').length;
  if (given >= delivered && given <= delivered + held) return [];
  return [`${player} was given ${given} coins, and has ${delivered} grants delivered and ${held} held`];
}

const coinsGiven = (recorded: readonly RecordedCommand[], player: string): number =>
  recorded
    .filter(hasRun)
    .map(({ command }) => /^give (\S+) gold_ingot (\d+)$/.exec(command))
    .filter((match) => match?.[1]?.toLowerCase() === player)
    .reduce((sum, match) => sum + Number(match?.[2]), 0);

function grouped<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

import { describe, expect, test } from 'vitest';
import { type OpenConnection, OpenConnections } from '../../src/core/open-connections.ts';
import { FakeClock } from '../support/fake-clock.ts';

interface Named extends OpenConnection {
  readonly name: string;
  address: string;
}

/** Open connections, and the names of those that were closed to make room, in order. */
function openConnections(maxConnections: number, maxConnectionsPerAddress = 1_000) {
  const open = new OpenConnections({ maxConnections, maxConnectionsPerAddress }, new FakeClock());
  const closed: string[] = [];
  const make = (name: string, address: string, openedAt: number): Named => ({
    name,
    address,
    openedAt,
    evict: () => closed.push(name),
  });
  /** Adds one. Returns it, or null if there was no room. */
  const add = (name: string, address: string, openedAt = 0) => {
    const connection = make(name, address, openedAt);
    return open.add(connection) ? connection : null;
  };
  return { open, closed, add };
}

describe('the cap on all connections', () => {
  test('accepts connections up to the cap without closing any', () => {
    const { open, closed, add } = openConnections(3);
    for (const name of ['a', 'b', 'c']) add(name, '192.0.2.1');
    expect([open.size, closed]).toEqual([3, []]);
  });

  test('closes the busiest address’s oldest connection to make room for a new one', () => {
    const { open, closed, add } = openConnections(4);
    add('lone', '192.0.2.1');
    for (const name of ['busy1', 'busy2', 'busy3']) add(name, '192.0.2.2');
    expect(add('new', '192.0.2.3', 1_000)).not.toBeNull();
    expect([open.size, closed]).toEqual([4, ['busy1']]);
    add('newer', '192.0.2.4', 1_000);
    expect(closed).toEqual(['busy1', 'busy2']);
  });

  test('does not close the two connections of one sender while 1,000 connections are silent', () => {
    const { closed, add } = openConnections(1_002);
    for (let last = 0; last < 1_000; last++) add(`silent${last}`, `198.51.${last >> 8}.${last & 255}`, 0);
    for (const vote of ['vote1', 'vote2']) add(vote, '192.0.2.1', 900);
    for (let last = 0; last < 500; last++) add(`new${last}`, `203.0.${last >> 8}.${last & 255}`, 1_000);
    expect(closed).toEqual(Array.from({ length: 500 }, (_, last) => `silent${last}`));
  });

  test('closes the oldest connections of a few addresses that fill the cap within a second, not a slow sender’s connection', () => {
    const { closed, add } = openConnections(1_024, 32);
    add('slow', '192.0.2.1', 0);
    for (let number = 0; number < 1_100; number++) add(`flood${number}`, `198.51.100.${number % 3}`, 1_200);
    expect([closed.length, closed.includes('slow')]).toEqual([77, false]);
  });

  test('closes the flooding address’s oldest connection if all are younger than a second', () => {
    const { closed, add } = openConnections(7, 3);
    for (const vote of ['vote1', 'vote2']) add(vote, '192.0.2.1', 0);
    for (const name of ['flood1', 'flood2', 'flood3', 'flood4', 'flood5']) add(name, '192.0.2.2', 1);
    for (const vote of ['vote3', 'vote4']) add(vote, '192.0.2.3', 2);
    expect(closed).toEqual(['flood1', 'flood2']);
  });

  test('closes the oldest connection of a flooding range with two or three per address, not a site’s only connection', () => {
    const { closed, add } = openConnections(90);
    add('vote', '192.0.2.1', 0);
    for (let number = 0; number < 100; number++) add(`${number}`, `198.51.100.${number % 40}`, 1);
    expect(closed).not.toContain('vote');
  });

  test('closes the oldest connection of all if every address has one', () => {
    const { closed, add } = openConnections(3);
    for (const last of [1, 2, 3, 4, 5]) add(`from${last}`, `192.0.2.${last}`);
    expect(closed).toEqual(['from1', 'from2']);
  });

  test('closes an address’s oldest connection to make room for a new one from the same address', () => {
    const { closed, add } = openConnections(3);
    for (const name of ['a', 'b', 'c', 'd']) add(name, '192.0.2.1');
    expect(closed).toEqual(['a']);
  });

  test('closes answered connections before others, the oldest first', () => {
    const { open, closed, add } = openConnections(3);
    add('reading', '192.0.2.1');
    for (const name of ['answered1', 'answered2']) {
      const connection = add(name, '192.0.2.1');
      open.markDeciding(connection!);
      open.markAnswered(connection!);
    }
    for (const name of ['x', 'y', 'z']) add(name, '192.0.2.2');
    expect(closed).toEqual(['answered1', 'answered2', 'x']);
  });

  test('never closes a connection whose vote is being stored, and refuses a new one if that leaves none to close', () => {
    const { open, closed, add } = openConnections(2);
    for (const name of ['a', 'b']) open.markDeciding(add(name, '192.0.2.1')!);
    expect(add('c', '192.0.2.2')).toBeNull();
    expect([open.size, closed]).toEqual([2, []]);
  });

  test('forgets a removed connection, whatever its stage', () => {
    const { open, closed, add } = openConnections(3);
    const [reading, deciding, answered] = [add('a', '::1')!, add('b', '::1')!, add('c', '::1')!];
    open.markDeciding(deciding);
    open.markAnswered(answered);
    expect(open.all).toHaveLength(3);
    for (const connection of [reading, deciding, answered]) open.remove(connection);
    open.remove(reading);
    expect([open.size, open.all, closed]).toEqual([0, [], []]);
  });
});

describe('the cap for one address', () => {
  test('closes no connection younger than one second, because a site may send a hundred votes at once', () => {
    const { open, closed, add } = openConnections(1_000, 4);
    for (let number = 0; number < 100; number++) add(`${number}`, '192.0.2.1', 0);
    expect(open.trim(999)).toBe(true);
    expect([open.size, closed]).toEqual([100, []]);
  });

  test('closes the oldest connections over the cap when they are one second old, and returns whether more are left', () => {
    const { open, closed, add } = openConnections(1_000, 4);
    for (let number = 0; number < 6; number++) add(`${number}`, '192.0.2.1', number);
    expect(open.trim(1_000)).toBe(true);
    expect(closed).toEqual(['0']);
    expect(open.trim(1_001)).toBe(false);
    expect(closed).toEqual(['0', '1']);
    expect(open.trim(9_999)).toBe(false);
    expect(open.size).toBe(4);
  });

  test('makes room for a new connection at once if the oldest is past its grace period', () => {
    const { open, closed, add } = openConnections(1_000, 2);
    add('a', '192.0.2.1', 0);
    add('b', '192.0.2.1', 500);
    add('c', '192.0.2.1', 1_000);
    expect([open.size, closed]).toEqual([2, ['a']]);
  });

  test('counts only connections without a vote', () => {
    const { open, closed, add } = openConnections(1_000, 2);
    open.markDeciding(add('a', '192.0.2.1')!);
    open.markAnswered(add('b', '192.0.2.1')!);
    add('c', '192.0.2.1');
    add('d', '192.0.2.1');
    expect([open.isOverCap('192.0.2.1'), open.trim(5_000), closed]).toEqual([false, false, []]);
    add('e', '192.0.2.1', 4_500);
    expect(closed).toEqual(['c']);
  });

  test('does not affect other addresses', () => {
    const { open, closed, add } = openConnections(1_000, 1);
    add('other', '192.0.2.2', 0);
    add('a', '192.0.2.1', 0);
    add('b', '192.0.2.1', 1);
    open.trim(5_000);
    expect(closed).toEqual(['a']);
  });

  test('counts an IPv6 /64 as one address, and the next /64 as another', () => {
    const { open, closed, add } = openConnections(1_000, 2);
    for (const last of ['1', '2', 'ffff:ffff:ffff:ffff'])
      add(last, `2001:db8:0:1:${last === '1' || last === '2' ? `:${last}` : last}`);
    add('neighbour', '2001:db8:0:2::1');
    open.trim(1_000);
    expect(closed).toEqual(['1']);
    expect([open.isOverCap('2001:db8:0:1::9'), open.size]).toEqual([false, 3]);
  });

  test('follows a connection to the address that its PROXY header names', () => {
    const { open, closed, add } = openConnections(1_000, 2);
    const [first, second, third] = [add('a', '10.0.0.1')!, add('b', '10.0.0.1')!, add('c', '10.0.0.1')!];
    expect(open.isOverCap('10.0.0.1')).toBe(true);
    open.readdress(first, () => (first.address = '198.51.100.7'));
    expect([open.isOverCap('10.0.0.1'), open.isOverCap('198.51.100.7')]).toEqual([false, false]);
    open.trim(9_999);
    expect(closed).toEqual([]);
    for (const connection of [first, second, third]) open.remove(connection);
    expect(open.size).toBe(0);
  });

  test('closes the oldest connection first, even if the PROXY headers arrived in another order', () => {
    const { open, closed, add } = openConnections(1_000, 1);
    const [old, young] = [add('old', '10.0.0.1', 0)!, add('young', '10.0.0.2', 500)!];
    open.readdress(young, () => (young.address = '198.51.100.7'));
    open.readdress(old, () => (old.address = '198.51.100.7'));
    open.trim(1_200);
    expect(closed).toEqual(['old']);
  });
});

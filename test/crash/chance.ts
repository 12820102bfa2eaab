import { createHash } from 'node:crypto';
import type { Random } from '../../src/core/random.ts';
import { seededRandom } from '../../src/core/seeded-random.ts';

/**
 * Each part of a run throws random of its own: how often one of them throws is the machine's doing, and must not change
 * what the others get.
 */
export const randomFor = (seed: number, part: string): Random =>
  seededRandom(createHash('sha256').update(`${seed} ${part}`).digest().readUInt32LE(0));

export const happens = (random: Random, chance: number): boolean => random.next() < chance;

/** From 0 on. */
export const below = (random: Random, end: number): number => Math.floor(random.next() * end);

export const oneOf = <Item>(random: Random, items: readonly Item[]): Item =>
  items[below(random, items.length)] as Item;

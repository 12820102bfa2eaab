import { createHash } from 'node:crypto';
import type { Random } from '../../src/core/random.ts';
import { seededRandom } from '../../src/core/seeded-random.ts';

/**
 * Random numbers for one part of a run. Each part has its own, because how many one part draws depends on timing and must
 * not change what the others draw.
 */
export const randomFor = (seed: number, part: string): Random =>
  seededRandom(createHash('sha256').update(`${seed} ${part}`).digest().readUInt32LE(0));

export const happens = (random: Random, chance: number): boolean => random.next() < chance;

/** A whole number from 0 up to, and without, `end`. */
export const below = (random: Random, end: number): number => Math.floor(random.next() * end);

export const oneOf = <Item>(random: Random, items: readonly Item[]): Item =>
  items[below(random, items.length)] as Item;

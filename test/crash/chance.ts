import { createHash } from 'node:crypto';
import type { Dice } from '../../src/core/dice.ts';
import { seededDice } from '../../src/core/seeded-dice.ts';

/**
 * Each part of a run throws dice of its own: how often one of them throws is the machine's doing, and must not change
 * what the others get.
 */
export const diceFor = (seed: number, part: string): Dice =>
  seededDice(createHash('sha256').update(`${seed} ${part}`).digest().readUInt32LE(0));

export const happens = (dice: Dice, chance: number): boolean => dice.roll() < chance;

/** From 0 on. */
export const below = (dice: Dice, end: number): number => Math.floor(dice.roll() * end);

export const oneOf = <Item>(dice: Dice, items: readonly Item[]): Item =>
  items[below(dice, items.length)] as Item;

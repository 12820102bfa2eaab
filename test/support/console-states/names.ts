import { Seeded } from '../seeded.ts';

const FIRST =
  'Amber Arctic Blocky Brave Clever Cosmic Crimson Dusty Ender Frosty Gentle Golden Hidden Iron'.split(' ');
const SECOND =
  'Axolotl Badger Builder Cat Creeper Dragon Falcon Fox Golem Hunter Knight Miner Otter Panda'.split(' ');
const GIVEN =
  'anna ben carla david emma finn greta hugo ida jonas klara leo mia noah olga paul rosa tim'.split(' ');

/** So many different names as players have them, always the same ones. */
export function playerNames(count: number): readonly string[] {
  const random = new Seeded(count);
  const names = new Map<string, string>();
  while (names.size < count) {
    const name = playerName(random).slice(0, 16);
    if (!names.has(name.toLowerCase())) names.set(name.toLowerCase(), name);
  }
  return [...names.values()];
}

function playerName(random: Seeded): string {
  const number = random.below(1_000);
  switch (random.below(5)) {
    case 0:
      return `${random.pick(FIRST)}${random.pick(SECOND)}`;
    case 1:
      return `${random.pick(GIVEN)}_${number}`;
    case 2:
      return `xX${random.pick(SECOND)}${number}Xx`;
    case 3:
      return `${random.pick(SECOND)}Of${random.pick(FIRST)}${number}`;
    default:
      return `${random.pick(GIVEN)}The${random.pick(SECOND)}${number}`;
  }
}

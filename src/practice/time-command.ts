import type { GameCommand } from './game.ts';

/** `time query gametime` */
export const time: GameCommand = (line, { gameTime }) => {
  const verb = line.word();
  if (verb !== 'query') return verb === '' ? line.incomplete() : line.incorrect();
  const what = line.word();
  if (what !== 'gametime') return what === '' ? line.incomplete() : line.incorrect();
  return `The time is ${gameTime.ticks}`;
};

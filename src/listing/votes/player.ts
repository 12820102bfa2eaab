import { PLAYER_NAME_MAX } from '../../core/player-name.ts';

/** NS-11: a Java name, or one behind the prefix that a cross-play bridge gives Bedrock players. */
const PLAYER = /^[^\s\p{C}@"'\\/#;]{0,3}[A-Za-z0-9_]+$/u;

export const isPlayer = (name: string): boolean => name.length <= PLAYER_NAME_MAX && PLAYER.test(name);

/** For whoever entered another one. */
export const PLAYER_RULE =
  'A player’s name has 1 to 16 letters, digits and _; Bedrock players’ stand behind their prefix.';

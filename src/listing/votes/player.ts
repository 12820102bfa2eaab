import { PLAYER_NAME_MAX } from '../../core/player-name.ts';

/** NS-11: a Java name, optionally with the prefix that a cross-play bridge gives Bedrock players. */
const PLAYER = /^[^\s\p{C}@"'\\/#;]{0,3}[A-Za-z0-9_]+$/u;

export const isPlayer = (name: string): boolean => name.length <= PLAYER_NAME_MAX && PLAYER.test(name);

/** Shown if the entered name is not allowed. */
export const PLAYER_RULE =
  'A player’s name has 1 to 16 characters: letters, digits and _. Bedrock names may begin with their prefix.';

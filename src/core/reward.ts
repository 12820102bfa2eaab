/**
 * `online` waits until the player is on the game server; `join` until they were not there and then are; `always` is paid at
 * once.
 */
export type When = 'online' | 'always';

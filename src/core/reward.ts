/** `online` waits until the player is on the game server; `always` is paid at once. */
export type When = 'online' | 'always';

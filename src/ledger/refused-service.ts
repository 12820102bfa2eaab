/** Names have no white space around them, so a space stands for the empty one; empty is where no name was read. */
const EMPTY_NAME = ' ';

/** How the service name of a refusal is stored, where null is no name. */
export const storedService = (service: string | null): string =>
  service === '' ? EMPTY_NAME : (service ?? '');

export const refusedService = (stored: string): string | null =>
  stored === EMPTY_NAME ? '' : stored === '' ? null : stored;

/** Names have no surrounding white space, so a space represents the empty name. The empty string means that none was read. */
const EMPTY_NAME = ' ';

/** The service name of a refusal as it is stored; null: none was read. */
export const storedService = (service: string | null): string =>
  service === '' ? EMPTY_NAME : (service ?? '');

export const refusedService = (stored: string): string | null =>
  stored === EMPTY_NAME ? '' : stored === '' ? null : stored;

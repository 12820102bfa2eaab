/** Top-level names that no public DNS serves, or that are kept for private use. */
const INTERNAL_SUFFIXES: readonly string[] = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'home.arpa',
  'lan',
];

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const LONGEST_NAME = 253;

/** A host name as names are compared: in lower case, without the dot that marks it as complete. */
export const plainName = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** @param name as `plainName` gives it, in ASCII. */
export const isHostName = (name: string): boolean =>
  name.length <= LONGEST_NAME && name.split('.').every((label) => LABEL.test(label));

/** Whether a name can only mean something inside a private network: a single label, or under one of these. */
export const isInternalName = (name: string): boolean =>
  !name.includes('.') || INTERNAL_SUFFIXES.some((suffix) => name.endsWith(`.${suffix}`));

/** Top-level names that public DNS does not have, or that are reserved for private use. */
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

/** A host name in the form used for comparing: in lower case, without a dot at the end. */
export const plainName = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** @param name from `plainName`, in ASCII. */
export const isHostName = (name: string): boolean =>
  name.length <= LONGEST_NAME && name.split('.').every((label) => LABEL.test(label));

/** Whether a name can only exist in a private network: a single label, or one of these suffixes. */
export const isInternalName = (name: string): boolean =>
  !name.includes('.') || INTERNAL_SUFFIXES.some((suffix) => name.endsWith(`.${suffix}`));

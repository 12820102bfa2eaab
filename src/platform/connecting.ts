/** How long to try each address of a host name before the next. Node's 250 ms is too short for distant hosts. */
export const ADDRESS_ATTEMPT_MS = 1_500;

const UNRESOLVABLE: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENODATA',
  'ESERVFAIL',
  'EAI_NODATA',
]);

/** Whether a socket's error says that its host name has no address. */
export const isUnresolvable = (code: string | undefined): boolean => UNRESOLVABLE.has(code ?? '');

/** The API root that an operator wrote, without a slash at its end; null if it cannot be one. */
export function apiRoot(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, origin, pathname, username, password, search, hash } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  // Failures show the address, so no password may be in it; `?` or `#` would swallow the paths.
  if (`${username}${password}${search}${hash}` !== '') return null;
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

/** With any other character, such as a line break at the end of its file, fetch refuses the header and quotes it in its message. */
export const isSendableToken = (token: string): boolean => /^[\x21-\x7e]+$/.test(token);
